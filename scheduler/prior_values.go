package scheduler

import (
	"strconv"

	"wf/graph"
	"wf/scheduler/expression"
)

// lookup returns what a text in an instance sees of a node of the workfile: the node of that instance, or
// of one around it. For a node that is not part of the run it is the prior state; in an instance, that of
// the same instance as long as it has the same item.
func (t *texts) lookup(frame instanceID, static *graph.Node) expression.Node {
	if static == nil {
		return expression.Node{}
	}
	at, in := t.places[static]
	home, prefix, same := static.Home(), "", true
	for k := frame; ; k = t.instanceNo(t.instances[k].owner) {
		inst := &t.instances[k]
		if in && inst.lay == at.lay {
			return t.nodeView(inst.nodeID(at.local))
		}
		if inst.lay.home == home {
			prefix, same = t.instanceName(k), t.sameItems(k)
			break
		}
		if inst.owner == noNode {
			break
		}
	}
	if given, mocked := t.opt.Prior[static.ID]; mocked || prefix == "" {
		return t.priorView(given, static, t.opt.Flow.LocalName(static))
	}
	if !same {
		return expression.Node{}
	}
	path := prefix + "/" + t.opt.Flow.LocalName(static)
	return t.priorView(t.opt.Prior[path], static, path)
}

// sameItems reports whether an instance, and those around it, have the items that they had in an earlier
// run.
func (st *state) sameItems(k instanceID) bool {
	for inst := &st.instances[k]; inst.owner != noNode; inst = st.instanceOf(inst.owner) {
		if !st.sameItem(int(inst.owner), int(inst.number), st.extrasOf(inst.owner).sub.items) {
			return false
		}
	}
	return true
}

// priorView returns what expressions see of a node that is not part of the run but would have the given
// path.
func (t *texts) priorView(p PriorNode, static *graph.Node, path string) expression.Node {
	v := p.view()
	if p.Instances > 0 && static.SubFlow() {
		v.Results = func() []map[string]expression.Node { return t.priorResults(p, static, path) }
		v.Arrivals = func() []map[string]expression.Node {
			results := t.priorResults(p, static, path)
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

func (t *texts) priorResults(p PriorNode, static *graph.Node, path string) []map[string]expression.Node {
	list := make([]map[string]expression.Node, p.Instances)
	for k := range list {
		list[k] = map[string]expression.Node{}
		for name, member := range t.opt.Flow.Members(static) {
			at := path + "[" + strconv.Itoa(k) + "]/" + name
			seen := t.priorView(t.opt.Prior[at], member, at)
			list[k][name], list[k][member.ID] = seen, seen
		}
	}
	return list
}
