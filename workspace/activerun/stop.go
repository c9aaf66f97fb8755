package activerun

import (
	"fmt"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// Stop ends a run. Another stop may shorten the grace time of the first. reply may be nil.
func (r *Run) Stop(req api.StopRequest, client string, reply func(api.StopResult, error)) {
	if r.Phase == runstate.Complete {
		if reply != nil {
			reply(r.stopResult(), nil)
		}
		return
	}
	if reply != nil {
		r.onStop = append(r.onStop, reply)
		r.stopAsked = time.Now()
		r.answerInTime()
	}
	if req.GraceMS != nil {
		r.Request.GraceMS = max(0, *req.GraceMS)
	}
	switch r.Phase {
	case runstate.Preparing:
		r.stopEarly = &req
	case runstate.Going:
		r.Cause, r.WasStopped, r.Phase = req.Cause, true, runstate.Stopping
		r.leaveLines()
		r.host.Out.Publish(api.Event{Type: api.RunStopping, Run: r.ID, Client: client, Message: req.Cause})
		r.beginHalt(history.Record{Type: history.RecordStop, Node: history.NoNode, Client: client, Cause: req.Cause})
		r.stopChildren(nil, graceOf(r.Grace()))
	case runstate.Stopping:
		r.stopThere(r.stoppable(), r.Grace())
		r.stopChildren(nil, graceOf(r.Grace()))
	}
}

// stopThere has the executor stop executions, once the executor has been found.
func (r *Run) stopThere(ids []executor.ID, grace time.Duration) {
	if r.sess == nil {
		r.unsaid = append(r.unsaid, func() { r.sess.Stop(ids, grace) })
		return
	}
	r.sess.Stop(ids, grace)
}

// live lists the executions that are going.
func (r *Run) live() []executor.ID {
	var ids []executor.ID
	for i := range r.Nodes {
		if rec := r.Nodes[i].Execution; rec != nil && rec.Live {
			ids = append(ids, executor.ID{Node: i, Execution: rec.Number})
		}
	}
	return ids
}

// StopNode ends one node of a run; the run goes on.
func (r *Run) StopNode(req api.StopRequest, reply func(api.StopResult, error)) {
	i, in := r.Sched.Index(r.host.Nodes.Numbered(req.Node))
	if !in {
		n, err := r.host.File.Find(req.Node)
		if err != nil {
			reply(api.StopResult{}, err)
			return
		}
		if i, in = r.Sched.Index(n.ID); !in {
			reply(api.StopResult{}, api.NotFound("node %s is not part of run %s", r.host.File.Handle(n), r.ID))
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
		r.stopChildren(ids, graceOf(r.nodeGrace(req)))
	}
	if r.Phase == runstate.Stopping {
		r.stopThere(ids, r.nodeGrace(req))
	} else {
		r.cancelGrace = new(r.nodeGrace(req))
		r.commit(history.Record{Type: history.RecordCancel, Node: i, ID: r.Nodes[i].ID, Cause: req.Cause})
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
func (r *Run) liveWithin(node int) []executor.ID {
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

func (r *Run) nodeGrace(req api.StopRequest) time.Duration {
	if req.GraceMS != nil {
		return time.Duration(max(0, *req.GraceMS)) * time.Millisecond
	}
	return r.Grace()
}

// answerEnd answers the requests that have stopped this execution.
func (r *Run) answerEnd(id executor.ID) {
	for _, reply := range r.onEnd[id] {
		reply(api.StopResult{Run: r.ID, Killed: 1, Survivors: []int{}}, nil)
	}
	delete(r.onEnd, id)
}

func (r *Run) stopResult() api.StopResult {
	return api.StopResult{Run: r.ID, Killed: r.killed, Survivors: append([]int{}, r.survivors...), Problem: r.unrecorded}
}

// stopText says what went wrong with a run, for its last event.
func (r *Run) stopText() string {
	switch {
	case len(r.survivors) > 0:
		return fmt.Sprintf("processes that could not be killed: %v", r.survivors)
	case r.broken != "":
		return r.broken
	}
	return r.unrecorded
}
