package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/params"
	"wf/workspace/runstate"
)

// longestNap bounds a timer, because the wall clock may be set while it runs. A run that waits for no moment has no timer.
const longestNap = time.Minute

// setTimer wakes the run at a moment in nanoseconds since 1970; 0 stops the timer.
func (r *run) setTimer(w *Workspace, at int64) {
	if r.tick != nil {
		r.tick.Stop()
		r.tick = nil
	}
	if at == 0 {
		return
	}
	nap := min(max(time.Unix(0, at).Sub(clock.Now()), 0), longestNap)
	r.tick = time.AfterFunc(nap, func() { w.send(call(r.ring)) })
}

// ring records that the moment has come that the run waits for, or sets the timer again.
func (r *run) ring(w *Workspace) {
	at := r.Sched.NextTick()
	if at == 0 || r.Phase != runstate.Going {
		return
	}
	t := clock.Now()
	if t.UnixNano() < at {
		r.setTimer(w, at)
		return
	}
	r.commit(w, history.Record{Type: history.RecordTick, Time: t, Node: history.NoNode})
}

// announceWait publishes what a node waits for.
func (r *run) announceWait(w *Workspace, ef scheduler.Effect) {
	if ef.Wait == scheduler.WaitNone {
		return
	}
	n := &r.Nodes[ef.Node]
	w.out.Publish(api.Event{Type: api.NodeWaiting, Run: r.ID, Client: r.Request.Client, Node: n.ID, Name: n.Name,
		Wait: r.WaitOf(ef.Node, ef.Wait, ef.At, ef.Message)})
}

// Decide records a person's decision about a node that waits for one. It returns when the disk has the record.
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
		if err := r.decide(w, i, client, d); err != nil {
			reply(a, err)
			return
		}
		r.keepDecision(w, a, reply)
	})
}

// keepDecision answers a request when the decision is durable. Until then nothing follows from the decision.
func (r *run) keepDecision(w *Workspace, a api.Approval, reply func(api.Approval, error)) {
	r.undecided++
	r.syncJournal(w, func(err error) {
		if r.undecided--; err != nil {
			err = api.Internal("the decision is made, but cannot be kept at present", errors.New(r.holds.why()))
		}
		reply(a, err)
	})
}

// awaited finds the node that a decision is about.
func (w *Workspace) awaited(d api.Decision) (*run, int, error) {
	type place struct {
		r *run
		i int
	}
	var found []place
	var waiting []string
	path := w.nodes.Numbered(d.Node)
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

// decide records a decision and continues the run.
func (r *run) decide(w *Workspace, i int, client string, d api.Decision) error {
	values, err := json.Marshal(d.Values)
	if err != nil {
		return api.Invalid("the values: %v", err)
	}
	if _, err := params.Decode(values); err != nil {
		return api.Invalid("the values: %v", err)
	}
	rec := history.Record{Type: history.RecordDecide, Node: i, ID: r.Nodes[i].ID, OK: d.Approved,
		Message: d.Comment, Cause: d.User, User: systemUser(), Client: client, Key: d.Key}
	if len(d.Values) > 0 {
		rec.Outputs = values
	}
	r.commit(w, rec)
	return nil
}
