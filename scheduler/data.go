package scheduler

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// env is what the texts of a node, and those of the edges that leave it, see.
func (t *texts) env(i int32) expression.Env { return t.envIn(t.instanceNo(i)) }

// testEnv is what the test of a sub-flow sees: its own nodes mean those of the latest instance.
func (t *texts) testEnv(i int32) expression.Env {
	e := t.env(i)
	s, sub := t.extrasOf(i).sub, t.subOf(i)
	parent := e
	e.Parent, e.Iteration = &parent, len(s.instances)
	if t.rulesOf(i).Sub.Kind == flow.Until {
		e.Iteration-- // it is tested after the iteration that it is about, while before
	}
	outer, latest := t.instanceNo(i), noNode
	if len(s.instances) > 0 {
		latest = s.instances[len(s.instances)-1]
	}
	e.Previous = func(name string) expression.Node { return t.inIteration(i, len(s.instances)-2, name) }
	e.Node = func(name string) expression.Node {
		static := t.opt.Flow.FindIn(sub.home, name)
		if at, ok := t.places[static]; ok && at.lay == sub {
			if latest == noNode {
				return expression.Node{}
			}
			return t.nodeView(t.instances[latest].node + at.local)
		}
		if latest != noNode && static != nil && static.Home() == sub.home {
			return t.lookup(latest, static)
		}
		return t.lookup(outer, static)
	}
	return e
}

// envIn is what a text sees that belongs to a node, or an edge, of a frame.
func (t *texts) envIn(frame int32) expression.Env {
	inst := &t.instances[frame]
	home := inst.lay.home
	e := expression.Env{Params: t.opt.Params, Variable: t.opt.Variable, Run: t.opt.Run, Now: t.now, UUID: t.uuid,
		Node: func(name string) expression.Node { return t.lookup(frame, t.opt.Flow.FindIn(home, name)) }}
	if inst.owner == noNode {
		return e
	}
	parent := t.envIn(t.instanceNo(inst.owner))
	e.Parent = &parent
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

// inRound is what expressions see of a node of an iteration. One before the first has run nothing.
func (t *texts) inIteration(loop int32, round int, name string) expression.Node {
	s := t.extrasOf(loop).sub
	if s == nil || round < 0 || round >= len(s.instances) {
		return expression.Node{}
	}
	return t.lookup(s.instances[round], t.opt.Flow.FindIn(t.subOf(loop).home, name))
}

// item is the item of an instance of a foreach.
func (st *state) item(inst *instance) any {
	return st.extrasOf(inst.owner).sub.items[inst.number]
}

// uuid is the next id: the same in each life of the run, another one in each run.
func (t *texts) uuid() string {
	t.uuids++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", t.opt.Seed, t.uuids))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80 // RFC 9562, version 4
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// view is what expressions see of a node.
func (t *texts) nodeView(i int32) expression.Node {
	t.noteReference(i)
	n := &t.nodes[i]
	v := expression.Node{Status: n.status.String()}
	if i == t.deciding {
		v.Status = t.decidingStatus.String()
	}
	x := t.extrasOf(i)
	if x != nil && x.over {
		v.Outputs = x.last.outputs
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

// results are instances of a sub-flow, each with its nodes by their ids and, before these, their local names.
func (t *texts) results(frames []int32) []map[string]expression.Node {
	list := make([]map[string]expression.Node, len(frames))
	for k, frame := range frames {
		inst := &t.instances[frame]
		list[k] = make(map[string]expression.Node, 2*len(inst.lay.ids))
		for v, id := range inst.lay.ids {
			list[k][id] = t.nodeView(inst.node + int32(v))
		}
		for v, name := range inst.lay.names {
			list[k][name] = t.nodeView(inst.node + int32(v))
		}
	}
	return list
}

// Environment returns what the present execution of a node is told beyond what all are: KEY=VALUE,
// later ones replace earlier ones. It is valid from its Execute on, until the execution is over.
func (t *texts) Environment(node int) []string {
	if x := t.extrasOf(int32(node)); x != nil {
		return x.env
	}
	return nil
}

// SecretVariable says whether a variable that an execution of a node is told holds a secret parameter.
func (t *texts) SecretVariable(node int, name string) bool {
	for i := int32(node); i != noNode; i = t.instanceOf(i).owner {
		if rules := t.rulesOf(i); rules != nil {
			for _, v := range rules.Env {
				if v.Name == name {
					return v.Value.Secret()
				}
			}
		}
	}
	return false
}

// ItemsCommand returns the command that gives the items of a sub-flow, which is what its Execute asks
// for; "" for other nodes.
func (q queries) ItemsCommand(node int) string {
	if q.subOf(int32(node)) == nil {
		return ""
	}
	return q.rulesOf(int32(node)).Sub.Command
}

// ParamVariables words the parameters of the run as environment variables of its commands.
func (t *texts) ParamVariables() []string { return appendValues(nil, "WF_PARAM_", t.opt.Params) }

// SetID says what expressions see as run.id, if that was not known yet. It comes before Start.
func (t *texts) SetID(id string) { t.opt.Run.ID = id }

// appendValues words values as environment variables, sorted. Characters of names that those of
// variables do not have become underscores.
func appendValues(env []string, prefix string, values map[string]any) []string {
	first := len(env)
	for name, value := range values {
		env = append(env, prefix+variableName(name)+"="+expression.Format(value))
	}
	slices.Sort(env[first:])
	return env
}

func variableName(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return c - 'a' + 'A'
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			return c
		}
		return '_'
	}, name)
}
