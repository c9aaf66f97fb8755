package workspace

import (
	"context"
	"fmt"

	"wf/api"
	"wf/workspace/activerun"
	"wf/workspace/loop"
)

// Decide records a person's decision about a node that waits for one. It returns when the record is durable.
func (w *Workspace) Decide(ctx context.Context, client string, d api.Decision) (api.Approval, error) {
	if a, made := w.decidedBefore(ctx, d); made {
		return a, nil
	}
	return loop.Await(ctx, w.loop, func(reply func(api.Approval, error)) {
		if w.decidedAlready(d, reply) {
			return
		}
		r, i, err := w.awaited(d)
		if err != nil {
			reply(api.Approval{}, err)
			return
		}
		q := r.Question(i)
		a := q.Describe()
		if err := q.Check(a, &d); err != nil {
			reply(a, err)
			return
		}
		if err := r.Decide(i, client, d); err != nil {
			reply(a, err)
			return
		}
		r.KeepDecision(a, reply)
	})
}

// awaited returns the run and the node that a decision is about.
func (w *Workspace) awaited(d api.Decision) (*activerun.Run, int, error) {
	type place struct {
		r *activerun.Run
		i int
	}
	var found []place
	var waiting []string
	path := w.nodes.InstanceOf(d.Node)
	for _, r := range w.runs {
		if d.Run != "" && d.Run != r.ID {
			continue
		}
		for _, a := range r.Approvals() {
			waiting = append(waiting, a.Name)
			if a.Node == d.Node || a.Node == path || a.Name == d.Node {
				i, _ := r.Sched.Index(a.Node)
				found = append(found, place{r, i})
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0].r, found[0].i, nil
	case len(found) > 1:
		return nil, 0, api.Invalid("%s waits in %d runs: say which with --run", d.Node, len(found))
	}
	e := &api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf("%s does not wait for a person", d.Node), Fix: "wf approvals lists what does"}
	if len(waiting) > 0 {
		e.Why = "waiting: " + api.Several(waiting, 5)
	}
	return nil, 0, e
}
