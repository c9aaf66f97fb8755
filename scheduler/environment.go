package scheduler

import (
	"crypto/sha256"
	"fmt"

	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// env returns what the texts of a node, and of the edges that leave it, can refer to.
func (t *texts) env(i nodeID) expression.Env { return t.envIn(t.instanceNo(i)) }

// testEnv returns what the test of a sub-flow can refer to: names of its own nodes mean those of the latest
// instance.
func (t *texts) testEnv(i nodeID) expression.Env {
	e := t.env(i)
	s, sub := t.extrasOf(i).sub, t.subOf(i)
	parent := e
	e.Parent, e.Iteration = &parent, len(s.instances)
	if t.rulesOf(i).Sub.Kind == flow.Until {
		e.Iteration-- // until is tested after the iteration, while before it
	}
	outer, latest := t.instanceNo(i), instanceID(-1)
	if len(s.instances) > 0 {
		latest = s.instances[len(s.instances)-1]
	}
	e.Previous = func(name string) expression.Node { return t.inIteration(i, len(s.instances)-2, name) }
	e.Node = func(name string) expression.Node {
		static := t.opt.Flow.FindIn(sub.home, name)
		if at, ok := t.places[static]; ok && at.lay == sub {
			if latest < 0 {
				return expression.Node{}
			}
			return t.nodeView(t.instances[latest].nodeID(at.local))
		}
		if latest >= 0 && static != nil && static.Home() == sub.home {
			return t.lookup(latest, static)
		}
		return t.lookup(outer, static)
	}
	return e
}

// envIn returns what the texts of the nodes and edges of an instance can refer to.
func (t *texts) envIn(frame instanceID) expression.Env {
	inst := &t.instances[frame]
	home := inst.lay.home
	e := expression.Env{Params: t.opt.Params, Variable: t.opt.Variable, Run: t.opt.Run, Now: t.now, UUID: t.uuid, Stored: t.storedValue,
		Node: func(name string) expression.Node { return t.lookup(frame, t.opt.Flow.FindIn(home, name)) }}
	if inst.owner == noNode {
		return e
	}
	parent := t.envIn(t.instanceNo(inst.owner))
	if t.unitOf(frame) != nil {
		e.Params = t.unitParams(frame)
		return e
	}
	e.Parent, e.Params = &parent, parent.Params
	e.Item, e.Index, e.Iteration = parent.Item, parent.Index, parent.Iteration
	switch t.rulesOf(inst.owner).Sub.Kind {
	case flow.Foreach:
		e.Item, e.Index = t.item(inst), int(inst.number)
	case flow.Times:
		e.Index = int(inst.number)
	default:
		e.Iteration = int(inst.number)
		owner, before := inst.owner, int(inst.number)-1
		e.Previous = func(name string) expression.Node { return t.inIteration(owner, before, name) }
	}
	return e
}

// inIteration returns the view of a node of an iteration; before the first iteration it is empty.
func (t *texts) inIteration(loop nodeID, round int, name string) expression.Node {
	s := t.subState(loop)
	if round < 0 || round >= len(s.instances) {
		return expression.Node{}
	}
	return t.lookup(s.instances[round], t.opt.Flow.FindIn(t.subOf(loop).home, name))
}

// item returns the item of an instance of a foreach.
func (st *state) item(inst *instance) any {
	return st.extrasOf(inst.owner).sub.items[inst.number]
}

// uuid returns the next id: the same one when the run is replayed, another one in each run.
func (t *texts) uuid() string {
	t.uuids++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", t.opt.Seed, t.uuids))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80 // RFC 9562, version 4
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// nodeView returns the part of a node that expressions can refer to.
func (t *texts) nodeView(i nodeID) expression.Node {
	t.noteReference(i)
	n := &t.nodes[i]
	v := expression.Node{Status: n.status.String()}
	if i == t.deciding {
		v.Status = t.decidingStatus.String()
	}
	x := t.extrasOf(i)
	if x != nil && x.over {
		v.Outputs, v.Stdout = x.last.outputs, x.last.stdout
		if x.last.hasExit {
			v.ExitCode = &x.last.exit
		}
	} else if n.status == graph.Ran {
		v.ExitCode = new(int)
	}
	if x != nil && x.sub != nil {
		v.Results = func() []map[string]expression.Node { return t.results(x.sub.instances) }
		v.Arrivals = func() []map[string]expression.Node { return t.results(t.arrivals(x.sub)) }
	}
	return v
}

// results returns the nodes of each instance, by id and by local name; local names come first.
func (t *texts) results(frames []instanceID) []map[string]expression.Node {
	list := make([]map[string]expression.Node, len(frames))
	for k, frame := range frames {
		inst := &t.instances[frame]
		list[k] = make(map[string]expression.Node, 2*len(inst.lay.ids))
		for v, id := range inst.lay.ids {
			list[k][id] = t.nodeView(inst.nodeID(localNode(v)))
		}
		for v, name := range inst.lay.names {
			list[k][name] = t.nodeView(inst.nodeID(localNode(v)))
		}
	}
	return list
}

// ItemsCommand returns the command that prints the items of a sub-flow, which is what its Execute runs; ""
// for other nodes.
func (q queries) ItemsCommand(node int) string {
	if q.subOf(nodeID(node)) == nil {
		return ""
	}
	return q.rulesOf(nodeID(node)).Sub.Command
}

// SetID sets run.id for expressions, if it was not known yet. It comes before Start.
func (t *texts) SetID(id string) { t.opt.Run.ID = id }

// SetTriggerBody sets trigger.body for expressions, which is in the folder of the run. It comes before Start.
func (t *texts) SetTriggerBody(path string) { t.opt.Run.TriggerBody = path }
