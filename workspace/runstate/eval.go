package runstate

import (
	"encoding/json"
	"fmt"

	"wf/api"
	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/clock"
	"wf/workspace/secrets"
)

// Sees reports whether the run has a place with this name.
func (r *State) Sees(place string) bool {
	_, _, ok := r.Sched.EnvAt(place)
	return ok
}

// Eval evaluates an expression at a place of the run. names contains the names of nodes, for a run without control flow; stored reads
// the present values of wf kv; masks hide secrets in what commands printed.
func (r *State) Eval(req api.EvalRequest, names *flow.Flow, stored func(key string) (*expression.Kept, error), masks *secrets.Masks) (api.Evaluated, error) {
	env, home, ok := r.Sched.EnvAt(req.Node)
	if !ok {
		return api.Evaluated{}, &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("run %s has no place %s", r.ID, req.Node),
			Fix: "name a node, or an instance that has begun, like align[0]"}
	}
	if r.Flow != nil {
		names = r.Flow
	} else {
		env.Node = func(name string) expression.Node { return r.plainNode(names.Find(nil, name)) }
	}
	env.Node = withPrinted(r, env.Node, names, home, masks)
	if env.Variable == nil {
		env.Variable = Variable(req.Env)
	}
	env.Now, env.UUID, env.Stored = clock.Now().UnixNano(), graph.NewID, stored // the run keeps its own values for its decisions
	return Evaluate(req, r.ID, names.Scope(home), env)
}

// withPrinted adds what nodes of the outer flow printed, which the run keeps only if a text of its workfile reads it.
func withPrinted(r *State, look func(name string) expression.Node, names *flow.Flow, home *graph.Node, masks *secrets.Masks) func(name string) expression.Node {
	return func(name string) expression.Node {
		v, n := look(name), names.FindIn(home, name)
		if n == nil || v.Stdout != nil || n.SubFlow() {
			return v
		}
		if i, in := r.Sched.Index(n.ID); in && r.Dir != "" {
			if rec := r.Nodes[i].Execution; rec != nil && rec.Run == r.Number && !rec.Live {
				v.Stdout, _ = ReadPrinted(r.Dir, rec.Out, masks) // nil if the log was removed
			}
		}
		return v
	}
}

// plainNode returns the values of a node that expressions can use, for a run without control flow.
func (r *State) plainNode(n *graph.Node) (v expression.Node) {
	if n == nil {
		return v
	}
	i, in := r.Sched.Index(n.ID)
	if !in {
		return expression.Node{Status: n.Status.String()}
	}
	v.Status, v.Outputs = r.Sched.Status(i).String(), r.KnownOutputs(i)
	if rec := r.Nodes[i].Execution; rec != nil && rec.Run == r.Number && (rec.Reason == api.ReasonExit || r.Sched.Status(i) == graph.Ran) {
		v.ExitCode = &rec.ExitCode
	}
	return v
}

// Evaluate compiles and evaluates an expression, or a text with expressions.
func Evaluate(req api.EvalRequest, run string, scope expression.Scope, env expression.Env) (api.Evaluated, error) {
	answer := api.Evaluated{Schema: api.SchemaEval, Expr: req.Expr, Run: run, Node: req.Node}
	wrong := func(message string, err error) (api.Evaluated, error) {
		e := &api.Error{Code: api.CodeInvalid, Message: message + ": " + err.Error()}
		if run != "" {
			e.Why = "with the workfile and the data of run " + run
		}
		return answer, e
	}
	text, err := expression.CompileText(req.Expr, scope)
	if err != nil {
		return wrong("the expression does not compile", err)
	}
	e := text.Only()
	if text.Plain() {
		if e, err = expression.Compile(req.Expr, scope); err != nil {
			return wrong("the expression does not compile", err)
		}
	}
	var value any
	if e == nil {
		value, err = text.Render(env)
	} else {
		value, err = e.Eval(env)
	}
	if err != nil {
		return wrong("the expression fails", err)
	}
	answer.Type = expression.TypeOf(value)
	answer.Value, err = json.Marshal(value)
	return answer, err
}
