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
func (r *Run) env(i int32) expression.Env { return r.envIn(r.frameNo(i)) }

// testEnv is what the test of a sub-flow sees: its own nodes mean those of the latest instance.
func (r *Run) testEnv(i int32) expression.Env {
	e := r.env(i)
	s, sub := r.rareAt(i).sub, r.subOf(i)
	parent := e
	e.Parent, e.Iteration = &parent, len(s.frames)
	if r.rulesOf(i).Sub.Kind == flow.Until {
		e.Iteration-- // it is tested after the iteration that it is about, while before
	}
	outer, latest := r.frameNo(i), noNode
	if len(s.frames) > 0 {
		latest = s.frames[len(s.frames)-1]
	}
	e.Previous = func(name string) expression.Node { return r.inRound(i, len(s.frames)-2, name) }
	e.Node = func(name string) expression.Node {
		static := r.opt.Flow.FindIn(sub.home, name)
		if at, ok := r.places[static]; ok && at.lay == sub {
			if latest == noNode {
				return expression.Node{}
			}
			return r.view(r.frames[latest].node + at.local)
		}
		if latest != noNode && static != nil && static.Home() == sub.home {
			return r.seen(latest, static)
		}
		return r.seen(outer, static)
	}
	return e
}

// envIn is what a text sees that belongs to a node, or an edge, of a frame.
func (r *Run) envIn(frame int32) expression.Env {
	f := &r.frames[frame]
	home := f.lay.home
	e := expression.Env{Params: r.opt.Params, Variable: r.opt.Variable, Run: r.opt.Run, Now: r.now, UUID: r.uuid,
		Node: func(name string) expression.Node { return r.seen(frame, r.opt.Flow.FindIn(home, name)) }}
	if f.owner == noNode {
		return e
	}
	parent := r.envIn(r.frameNo(f.owner))
	e.Parent = &parent
	e.Item, e.Index, e.Iteration = parent.Item, parent.Index, parent.Iteration
	switch r.rulesOf(f.owner).Sub.Kind {
	case flow.Foreach:
		e.Item, e.Index = r.item(f), int(f.instance)
	case flow.Times:
		e.Index = int(f.instance)
	default:
		e.Iteration = int(f.instance)
		owner, before := f.owner, int(f.instance)-1
		e.Previous = func(name string) expression.Node { return r.inRound(owner, before, name) }
	}
	return e
}

// inRound is what expressions see of a node of an iteration. One before the first has run nothing.
func (r *Run) inRound(loop int32, round int, name string) expression.Node {
	s := r.rareAt(loop).sub
	if s == nil || round < 0 || round >= len(s.frames) {
		return expression.Node{}
	}
	return r.seen(s.frames[round], r.opt.Flow.FindIn(r.subOf(loop).home, name))
}

// item is the item of an instance of a foreach.
func (r *Run) item(f *frame) any {
	return r.rareAt(f.owner).sub.items[f.instance]
}

// uuid is the next id: the same in each life of the run, another one in each run.
func (r *Run) uuid() string {
	r.uuids++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", r.opt.Seed, r.uuids))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80 // RFC 9562, version 4
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// view is what expressions see of a node.
func (r *Run) view(i int32) expression.Node {
	r.asked(i)
	n := &r.nodes[i]
	v := expression.Node{Status: n.status.String()}
	if i == r.judged {
		v.Status = r.verdict.String()
	}
	x := r.rareAt(i)
	if x != nil && x.over {
		v.Outputs = x.last.outputs
		if x.last.hasExit {
			v.ExitCode = &x.last.exit
		}
	} else if n.status == graph.Ran {
		v.ExitCode = new(int)
	}
	if x != nil && x.sub != nil {
		v.Results = func() []map[string]expression.Node { return r.results(x.sub.frames) }
		v.Arrivals = func() []map[string]expression.Node { return r.results(r.arrivals(x.sub)) }
	}
	return v
}

// results are instances of a sub-flow, each with its nodes by their ids and, before these, their local names.
func (r *Run) results(frames []int32) []map[string]expression.Node {
	list := make([]map[string]expression.Node, len(frames))
	for k, frame := range frames {
		f := &r.frames[frame]
		list[k] = make(map[string]expression.Node, 2*len(f.lay.ids))
		for v, id := range f.lay.ids {
			list[k][id] = r.view(f.node + int32(v))
		}
		for v, name := range f.lay.names {
			list[k][name] = r.view(f.node + int32(v))
		}
	}
	return list
}

// Environment returns what the present execution of a node is told beyond what all are: KEY=VALUE,
// later ones replace earlier ones. It is valid from its Execute on, until the execution is over.
func (r *Run) Environment(node int) []string {
	if x := r.rareAt(int32(node)); x != nil {
		return x.env
	}
	return nil
}

// SecretVariable says whether a variable that an execution of a node is told holds a secret parameter.
func (r *Run) SecretVariable(node int, name string) bool {
	for i := int32(node); i != noNode; i = r.frameOf(i).owner {
		if rules := r.rulesOf(i); rules != nil {
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
func (r *Run) ItemsCommand(node int) string {
	if r.subOf(int32(node)) == nil {
		return ""
	}
	return r.rulesOf(int32(node)).Sub.Command
}

// ParamVariables words the parameters of the run as environment variables of its commands.
func (r *Run) ParamVariables() []string { return appendValues(nil, "WF_PARAM_", r.opt.Params) }

// SetID says what expressions see as run.id, if that was not known yet. It comes before Start.
func (r *Run) SetID(id string) { r.opt.Run.ID = id }

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
