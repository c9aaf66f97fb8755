package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/history"
)

// Eval evaluates an expression as a text at a place of a run would be: in the run that is named, else in the
// active one, else in the latest one that covered the place.
func (w *Workspace) Eval(ctx context.Context, req api.EvalRequest) (api.Evaluated, error) {
	past := 0
	answer, err := ask(ctx, w, func(w *Workspace) (answer api.Evaluated, err error) {
		number, err := w.runNumber(req.Run)
		if err != nil {
			return answer, err
		}
		req.Node = w.numbered(req.Node)
		if n, err := w.find(req.Node); err == nil && req.Node != "" {
			req.Node = n.ID
		}
		for _, r := range w.runs {
			if r.phase != preparing && (number == r.n || number == 0 && r.sees(req.Node)) {
				return r.eval(req, w.readNames())
			}
		}
		if past = number; past == 0 {
			past = w.latestFor(req.Node)
		}
		if past == 0 {
			return w.evalUnrun(req)
		}
		return answer, nil
	})
	if err != nil || past == 0 {
		return answer, err
	}
	return w.evalPast(req, past)
}

// latestFor is the latest run that covered a node, or of all nodes for ""; 0 if there is none.
func (w *Workspace) latestFor(node string) int {
	if node != "" {
		outer, _, _ := strings.Cut(node, "[")
		if n, err := w.find(outer); err == nil {
			return w.lastRun(n)
		}
		return w.last[node].run
	}
	latest := 0
	for _, last := range w.last {
		latest = max(latest, last.run)
	}
	return latest
}

// readNames is the flow of the workfile as it is now, for a run that has none.
func (w *Workspace) readNames() *flow.Flow {
	f, _ := flow.Read(w.g)
	return f
}

// evalPast evaluates in a run that is over.
func (w *Workspace) evalPast(req api.EvalRequest, n int) (api.Evaluated, error) {
	p, err := replayRun(w.store, n)
	if errors.Is(err, history.ErrNoRun) {
		return api.Evaluated{}, notRun(runID(n))
	}
	if err != nil {
		return api.Evaluated{}, internal(fmt.Sprintf("run %d cannot be read any more", n), err)
	}
	f, _ := flow.Read(p.graph)
	return p.eval(req, f)
}

// sees says whether a run has the place.
func (r *runState) sees(place string) bool {
	_, _, ok := r.sched.EnvAt(place)
	return ok
}

// eval evaluates at a place of the run. names is the flow whose names the text uses where the run has none.
func (r *runState) eval(req api.EvalRequest, names *flow.Flow) (api.Evaluated, error) {
	env, home, ok := r.sched.EnvAt(req.Node)
	if !ok {
		return api.Evaluated{}, &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("run %s has no place %s", r.id, req.Node),
			Fix: "name a node, or an instance that has begun, like align[0]"}
	}
	if r.flow != nil {
		names = r.flow
	} else {
		env.Node = func(name string) expression.Node { return r.plainNode(names.Find(nil, name)) }
	}
	if env.Variable == nil {
		env.Variable = variable(req.Env)
	}
	env.Now, env.UUID = now().UnixNano(), newID // those of the run are for its own decisions
	return evaluate(req, r.id, names.Scope(home), env)
}

// plainNode is what a text sees of a node of a run without control flow.
func (r *runState) plainNode(n *graph.Node) (v expression.Node) {
	if n == nil {
		return v
	}
	i, in := r.sched.Index(n.ID)
	if !in {
		return expression.Node{Status: n.Status.String()}
	}
	v.Status, v.Outputs = r.sched.Status(i).String(), r.knownOutputs(i)
	if rec := r.nodes[i].rec; rec != nil && rec.run == r.n && (rec.reason == api.ReasonExit || r.sched.Status(i) == graph.Ran) {
		v.ExitCode = &rec.exitCode
	}
	return v
}

// evalUnrun evaluates in a workfile that no run has covered: nothing has run, and parameters have their defaults.
func (w *Workspace) evalUnrun(req api.EvalRequest) (api.Evaluated, error) {
	f, _ := flow.Read(w.g)
	var home *graph.Node
	if req.Node != "" {
		n := w.g.Node(req.Node)
		if n == nil {
			return api.Evaluated{}, &api.Error{Code: api.CodeUnknownNode, Message: "no run has had a place " + req.Node, Fix: "wf ls lists the nodes"}
		}
		home = n.Home()
	}
	params := map[string]any{}
	for _, p := range f.Params {
		if p.Default != nil {
			params[p.Name] = p.Default
		}
	}
	env := expression.Env{Params: params, Variable: variable(req.Env), Run: expression.Run{Workfile: w.path},
		Now: now().UnixNano(), UUID: newID, Node: func(name string) expression.Node {
			if n := f.FindIn(home, name); n != nil {
				return expression.Node{Status: n.Status.String()}
			}
			return expression.Node{}
		}}
	return evaluate(req, "", f.Scope(home), env)
}

// evaluate compiles and evaluates an expression, or a text with expressions.
func evaluate(req api.EvalRequest, run string, scope expression.Scope, env expression.Env) (api.Evaluated, error) {
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
