package scheduler

import (
	"strconv"

	"wf/graph"
	"wf/scheduler/expression"
)

// seen is a node for a text in a frame: that of the frame, or of one around it. Of a node that is not
// part of the run the past is seen, in an instance that of the same instance while that has the same item.
func (r *Run) seen(frame int32, static *graph.Node) expression.Node {
	if static == nil {
		return expression.Node{}
	}
	at, in := r.places[static]
	home, prefix, same := static.Home(), "", true
	for k := frame; ; k = r.frameNo(r.frames[k].owner) {
		f := &r.frames[k]
		if in && f.lay == at.lay {
			return r.view(f.node + at.local)
		}
		if f.lay.home == home {
			prefix, same = r.instanceName(k), r.sameItems(k)
			break
		}
		if f.owner == noNode {
			break
		}
	}
	if given, mocked := r.opt.Prior[static.ID]; mocked || prefix == "" {
		return r.pastView(given, static, r.opt.Flow.LocalName(static))
	}
	if !same {
		return expression.Node{}
	}
	path := prefix + "/" + r.opt.Flow.LocalName(static)
	return r.pastView(r.opt.Prior[path], static, path)
}

// instanceName is the path of an instance, "" for the outer flow.
func (r *Run) instanceName(k int32) string {
	f := &r.frames[k]
	if f.owner == noNode {
		return ""
	}
	return r.name(f.owner) + "[" + strconv.Itoa(int(f.instance)) + "]"
}

// sameItems says whether an instance, and those around it, have the items that they had in an earlier run.
func (r *Run) sameItems(k int32) bool {
	for f := &r.frames[k]; f.owner != noNode; f = r.frameOf(f.owner) {
		if !r.sameItem(int(f.owner), int(f.instance), r.rareAt(f.owner).sub.items) {
			return false
		}
	}
	return true
}

// pastView is what expressions see of a node that is not part of the run. path is what it is called in it.
func (r *Run) pastView(p PriorNode, static *graph.Node, path string) expression.Node {
	v := p.view()
	if p.Instances > 0 && static.SubFlow() {
		v.Results = func() []map[string]expression.Node { return r.pastResults(p, static, path) }
		v.Arrivals = func() []map[string]expression.Node {
			results := r.pastResults(p, static, path)
			if p.Arrivals == nil {
				return results
			}
			list := make([]map[string]expression.Node, 0, len(p.Arrivals))
			for _, number := range p.Arrivals {
				if number >= 0 && number < len(results) {
					list = append(list, results[number])
				}
			}
			return list
		}
	}
	return v
}

func (r *Run) pastResults(p PriorNode, static *graph.Node, path string) []map[string]expression.Node {
	list := make([]map[string]expression.Node, p.Instances)
	for k := range list {
		list[k] = map[string]expression.Node{}
		for name, member := range r.opt.Flow.Members(static) {
			at := path + "[" + strconv.Itoa(k) + "]/" + name
			seen := r.pastView(r.opt.Prior[at], member, at)
			list[k][name], list[k][member.ID] = seen, seen
		}
	}
	return list
}
