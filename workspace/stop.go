package workspace

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/inquiry"
	"wf/workspace/loop"
	"wf/workspace/runstate"
)

// StopRun stops a run, or one node of it, and returns when all its processes are gone. An empty name means the only active
// run.
func (w *Workspace) StopRun(ctx context.Context, client, name string, req api.StopRequest) (api.StopResult, error) {
	return loop.Await(ctx, w.loop, func(reply func(api.StopResult, error)) {
		if n, held := w.heldRun(name); held {
			w.stopHeld(n, reply)
			return
		}
		left := func() { reply(api.StopResult{Run: name, Survivors: []int{}}, nil) }
		if req.Node == "" && w.leaveQueue(name, left) {
			return
		}
		r, err := w.active(name)
		switch {
		case err != nil:
			reply(api.StopResult{}, err)
		case req.Node != "":
			w.stopNode(r, req, reply)
		default:
			w.stop(r, req, client, reply)
		}
	})
}

// StopAll stops every active run and returns when all processes are gone. Runs that wait in line do not start.
func (w *Workspace) StopAll(ctx context.Context, client string, req api.StopRequest) ([]api.StopResult, error) {
	return loop.Await(ctx, w.loop, func(reply func([]api.StopResult, error)) {
		results := []api.StopResult{}
		var failed error
		left := 1 // what is still to be stopped, and this function
		done := func() {
			if left--; left == 0 {
				reply(results, failed)
			}
		}
		defer done()
		stopped := func(res api.StopResult, err error) {
			if results = append(results, res); err != nil {
				failed = err
			}
			done()
		}
		left += w.clearQueue(&api.Error{Code: api.CodeConflict, Message: "all runs were stopped, and this one waited in line for them"}, done)
		left += len(w.runs) + len(w.held.runs)
		for _, n := range w.held.runs {
			w.stopHeld(n, stopped)
		}
		for _, r := range append([]*run(nil), w.runs...) {
			w.stop(r, req, client, func(res api.StopResult, _ error) { stopped(res, nil) })
		}
	})
}

// going returns the active run with this id.
func (w *Workspace) going(name string) (*run, error) {
	for _, r := range w.runs {
		if r.ID == name {
			return r, nil
		}
	}
	return nil, inquiry.NotGoing(name)
}

// active finds an active run by its number.
func (w *Workspace) active(name string) (*run, error) {
	if name != "" {
		return w.going(name)
	}
	switch len(w.runs) {
	case 0:
		return nil, api.NotFound("no run is going")
	case 1:
		return w.runs[0], nil
	}
	ids := make([]string, len(w.runs))
	for i, r := range w.runs {
		ids[i] = r.ID
	}
	return nil, &api.Error{Code: api.CodeInvalid, Message: "several runs are going: " + strings.Join(ids, ", "),
		Fix: "name one: wf stop " + ids[0] + ", or stop all: wf stop --all"}
}

// stop ends a run. Another stop may shorten the grace time of the first. reply may be nil.
func (w *Workspace) stop(r *run, req api.StopRequest, client string, reply func(api.StopResult, error)) {
	if r.Phase == runstate.Complete {
		if reply != nil {
			reply(r.stopResult(), nil)
		}
		return
	}
	if reply != nil {
		r.onStop = append(r.onStop, reply)
		r.stopAsked = time.Now()
		r.answerInTime(w)
	}
	if req.GraceMS != nil {
		r.Request.GraceMS = max(0, *req.GraceMS)
	}
	switch r.Phase {
	case runstate.Preparing:
		r.stopEarly = &req
	case runstate.Going:
		r.Cause, r.WasStopped, r.Phase = req.Cause, true, runstate.Stopping
		r.leaveLines(w)
		w.out.Publish(api.Event{Type: api.RunStopping, Run: r.ID, Client: client, Message: req.Cause})
		r.beginHalt(w, history.Record{Type: history.RecordStop, Node: history.NoNode, Client: client, Cause: req.Cause})
		r.stopChildren(w, nil, graceOf(r.Grace()))
	case runstate.Stopping:
		r.stopThere(r.stoppable(), r.Grace())
		r.stopChildren(w, nil, graceOf(r.Grace()))
	}
}

// stopThere has the executor stop executions, once the executor has been found.
func (r *run) stopThere(ids []executor.ID, grace time.Duration) {
	if r.sess == nil {
		r.unsaid = append(r.unsaid, func() { r.sess.Stop(ids, grace) })
		return
	}
	r.sess.Stop(ids, grace)
}

// live lists the executions that are going.
func (r *run) live() []executor.ID {
	var ids []executor.ID
	for i := range r.Nodes {
		if rec := r.Nodes[i].Execution; rec != nil && rec.Live {
			ids = append(ids, executor.ID{Node: i, Execution: rec.Number})
		}
	}
	return ids
}

// stopNode ends one node of a run; the run goes on.
func (w *Workspace) stopNode(r *run, req api.StopRequest, reply func(api.StopResult, error)) {
	i, in := r.Sched.Index(w.nodes.Numbered(req.Node))
	if !in {
		n, err := w.file.Find(req.Node)
		if err != nil {
			reply(api.StopResult{}, err)
			return
		}
		if i, in = r.Sched.Index(n.ID); !in {
			reply(api.StopResult{}, api.NotFound("node %s is not part of run %s", w.file.Handle(n), r.ID))
			return
		}
	}
	status := r.Sched.Status(i)
	if r.Phase == runstate.Preparing || status != graph.Queued && status != graph.Running {
		reply(api.StopResult{}, api.NotFound("node %s is not running: its state is %s", r.Nodes[i].Name, r.StateIn(i, false)))
		return
	}
	ids := r.liveWithin(i)
	if len(ids) > 0 {
		r.stopChildren(w, ids, graceOf(r.nodeGrace(req)))
	}
	if r.Phase == runstate.Stopping {
		r.stopThere(ids, r.nodeGrace(req))
	} else {
		r.cancelGrace = new(r.nodeGrace(req))
		r.commit(w, history.Record{Type: history.RecordCancel, Node: i, ID: r.Nodes[i].ID, Cause: req.Cause})
		r.cancelGrace = nil
	}
	if len(ids) == 0 {
		reply(api.StopResult{Run: r.ID, Survivors: []int{}}, nil)
		return
	}
	left := len(ids)
	for _, id := range ids {
		r.onEnd[id] = append(r.onEnd[id], func(res api.StopResult, err error) {
			if left--; left == 0 {
				res.Killed = len(ids)
				reply(res, err)
			}
		})
	}
}

// liveWithin lists the executions of a node that are going, or those in the instances of a sub-flow.
func (r *run) liveWithin(node int) []executor.ID {
	var ids []executor.ID
	for _, id := range r.live() {
		for at, in := id.Node, true; in; at, _, in = r.Sched.Instance(at) {
			if at == node {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids
}

func (r *run) nodeGrace(req api.StopRequest) time.Duration {
	if req.GraceMS != nil {
		return time.Duration(max(0, *req.GraceMS)) * time.Millisecond
	}
	return r.Grace()
}

// answerEnd answers the requests that have stopped this execution.
func (r *run) answerEnd(id executor.ID) {
	for _, reply := range r.onEnd[id] {
		reply(api.StopResult{Run: r.ID, Killed: 1, Survivors: []int{}}, nil)
	}
	delete(r.onEnd, id)
}

func (r *run) stopResult() api.StopResult {
	return api.StopResult{Run: r.ID, Killed: r.killed, Survivors: append([]int{}, r.survivors...), Problem: r.unrecorded}
}

// stopText says what went wrong with a run, for its last event.
func (r *run) stopText() string {
	switch {
	case len(r.survivors) > 0:
		return fmt.Sprintf("processes that could not be killed: %v", r.survivors)
	case r.broken != "":
		return r.broken
	}
	return r.unrecorded
}
