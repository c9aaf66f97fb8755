package inquiry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
)

// Eval evaluates an expression at a place of a run: of the named run, otherwise of the active run, otherwise of the latest
// run that covered the place.
func (q *Reader) Eval(ctx context.Context, req api.EvalRequest) (api.Evaluated, error) {
	past := 0
	answer, err := loop.Ask(ctx, q.loop, func() (answer api.Evaluated, err error) {
		number, err := q.RunNumber(req.Run)
		if err != nil {
			return answer, err
		}
		req.Node = q.nodes.Numbered(req.Node)
		if n, err := q.file.Find(req.Node); err == nil && req.Node != "" {
			req.Node = n.ID
		}
		for _, r := range q.nodes.Runs {
			if r.Phase != runstate.Preparing && (number == r.Number || number == 0 && r.Sees(req.Node)) {
				masks, err := q.masksOf(r.Dir)
				if err != nil {
					return answer, err
				}
				return r.Eval(req, q.readNames(), q.stored(), masks)
			}
		}
		if past = number; past == 0 {
			past = q.latestFor(req.Node)
		}
		if past == 0 {
			return q.evalUnrun(req)
		}
		return answer, nil
	})
	if err != nil || past == 0 {
		return answer, err
	}
	return q.evalPast(req, past)
}

// latestFor returns the latest run that covered a node, or 0 if there is none. "" means any node.
func (q *Reader) latestFor(node string) int {
	if node != "" {
		outer, _, _ := strings.Cut(node, "[")
		if n, err := q.file.Find(outer); err == nil {
			return q.nodes.LastRun(n)
		}
		return q.nodes.Latest[node].Run
	}
	latest := 0
	for _, last := range q.nodes.Latest {
		latest = max(latest, last.Run)
	}
	return latest
}

// stored returns a function that reads the present values of wf kv, nil if there are none.
func (q *Reader) stored() func(key string) (*expression.Kept, error) {
	if q.values == nil {
		return nil
	}
	return func(key string) (*expression.Kept, error) { return runstate.StoredValue(q.values, q.id, key) }
}

// readNames reads the control flow of the present workfile, for a run without control flow.
func (q *Reader) readNames() *flow.Flow {
	f, _ := flow.Read(q.file.Graph())
	return f
}

// evalPast evaluates an expression in a run of the history.
func (q *Reader) evalPast(req api.EvalRequest, n int) (api.Evaluated, error) {
	p, err := replayRun(q.store, n)
	if errors.Is(err, history.ErrNoRun) {
		return api.Evaluated{}, NotRun(history.RunID(n))
	}
	if err != nil {
		return api.Evaluated{}, api.Internal(fmt.Sprintf("run %d cannot be read any more", n), err)
	}
	masks, err := q.masksOf(q.store.Dir(n))
	if err != nil {
		return api.Evaluated{}, err
	}
	f, _ := flow.Read(p.graph)
	return p.Eval(req, f, q.stored(), masks)
}

// evalUnrun evaluates an expression in a workfile that no run has covered. Parameters have their defaults.
func (q *Reader) evalUnrun(req api.EvalRequest) (api.Evaluated, error) {
	f, _ := flow.Read(q.file.Graph())
	var home *graph.Node
	if req.Node != "" {
		n := q.file.Graph().Node(req.Node)
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
	env := expression.Env{Params: params, Variable: runstate.Variable(req.Env), Run: expression.Run{Workfile: q.path},
		Now: clock.Now().UnixNano(), UUID: graph.NewID, Stored: q.stored(), Node: func(name string) expression.Node {
			if n := f.FindIn(home, name); n != nil {
				return expression.Node{Status: n.Status.String()}
			}
			return expression.Node{}
		}}
	return runstate.Evaluate(req, "", f.Scope(home), env)
}
