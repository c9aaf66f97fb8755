package activerun

import (
	"fmt"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
)

// stopping is the state of stopping a run or its nodes, with the requests that wait for the result.
type stopping struct {
	run         *Run
	halt        *halt            // a stop that has not reached the scheduler yet; usually nil
	stopEarly   *api.StopRequest // a stop that came before the run could start
	delayed     []func()         // calls to make when the executor has been found
	killed      int              // executions that a stop or a timeout has ended
	cancelGrace *time.Duration   // grace time of the node that is being stopped

	onStop    []func(api.StopResult, error)
	stopAsked time.Time                                     // time of the latest of these requests
	patience  *loop.Timer                                   // set while onStop is not empty, see answerUnrecorded
	onEnd     map[executor.ID][]func(api.StopResult, error) // for wf stop --node
}

// Stop stops the run. A second stop may shorten the grace time of the first. reply may be nil.
func (st *stopping) Stop(req api.StopRequest, client string, reply func(api.StopResult, error)) {
	if st.run.Phase == runstate.Complete {
		if reply != nil {
			reply(st.stopResult(), nil)
		}
		return
	}
	if reply != nil {
		if st.onStop = append(st.onStop, reply); len(st.onStop) == 1 {
			st.patience.Reset(st.run.host.StopPatience)
		}
		st.stopAsked = time.Now()
	}
	if req.GraceMS != nil {
		st.run.Request.GraceMS = max(0, *req.GraceMS)
	}
	switch st.run.Phase {
	case runstate.Preparing:
		st.stopEarly = &req
		st.run.hooking.interruptBefore()
	case runstate.Active:
		st.run.Cause, st.run.WasStopped, st.run.Phase = req.Cause, true, runstate.Stopping
		st.run.pooling.leaveLines()
		st.run.preparing.interrupt()
		st.run.reuse.stop()
		st.run.host.Out.Publish(api.Event{Type: api.RunStopping, Run: st.run.ID, Client: client, Message: req.Cause})
		st.startHalt(history.Record{Type: history.RecordStop, Node: history.NoNode, Client: client, Cause: req.Cause})
		st.run.nesting.stopChildren(nil, graceOf(st.run.Grace()))
	case runstate.Ended:
		st.run.hooking.interruptAfter()
	case runstate.Stopping:
		st.stopExecutions(st.stoppable(), st.run.Grace())
		st.run.nesting.stopChildren(nil, graceOf(st.run.Grace()))
	}
}

// stopExecutions tells the executor to stop executions. If the executor of a recovered run has not been found yet, this
// happens later.
func (st *stopping) stopExecutions(ids []executor.ID, grace time.Duration) {
	if st.run.sess == nil {
		st.delayed = append(st.delayed, func() { st.run.sess.Stop(ids, grace) })
		return
	}
	st.run.sess.Stop(ids, grace)
}

// live returns the executions that the executor has.
func (r *Run) live() []executor.ID {
	var ids []executor.ID
	for i := range r.Nodes {
		if rec := r.Nodes[i].Execution; rec != nil && rec.Live {
			ids = append(ids, executor.ID{Node: i, Execution: rec.Number})
		}
	}
	return ids
}

// StopNode stops one node. The run continues.
func (st *stopping) StopNode(req api.StopRequest, reply func(api.StopResult, error)) {
	i, in := st.run.Sched.Index(st.run.host.Nodes.InstanceOf(req.Node))
	if !in {
		n, err := st.run.host.File.Find(req.Node)
		if err != nil {
			reply(api.StopResult{}, err)
			return
		}
		if i, in = st.run.Sched.Index(n.ID); !in {
			reply(api.StopResult{}, api.NotFound("node %s is not part of run %s", st.run.host.File.Handle(n), st.run.ID))
			return
		}
	}
	status := st.run.Sched.Status(i)
	if st.run.Phase == runstate.Preparing || status != graph.Queued && status != graph.Running {
		reply(api.StopResult{}, api.NotFound("node %s is not running: its state is %s", st.run.Nodes[i].Name, st.run.StateIn(i, false)))
		return
	}
	ids := st.liveWithin(i)
	if len(ids) > 0 {
		st.run.nesting.stopChildren(ids, graceOf(st.nodeGrace(req)))
	}
	if st.run.Phase == runstate.Stopping {
		st.stopExecutions(ids, st.nodeGrace(req))
	} else {
		st.cancelGrace = new(st.nodeGrace(req))
		st.run.commit(history.Record{Type: history.RecordCancel, Node: i, ID: st.run.Nodes[i].ID, Cause: req.Cause})
		st.cancelGrace = nil
	}
	if len(ids) == 0 {
		reply(api.StopResult{Run: st.run.ID, Survivors: []int{}}, nil)
		return
	}
	left := len(ids)
	for _, id := range ids {
		st.onEnd[id] = append(st.onEnd[id], func(res api.StopResult, err error) {
			if left--; left == 0 {
				res.Killed = len(ids)
				reply(res, err)
			}
		})
	}
}

// liveWithin returns the executions of a node that the executor has; for a sub-flow, those in its instances.
func (st *stopping) liveWithin(node int) []executor.ID {
	var ids []executor.ID
	for _, id := range st.run.live() {
		for at, in := id.Node, true; in; at, _, in = st.run.Sched.Instance(at) {
			if at == node {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids
}

func (st *stopping) nodeGrace(req api.StopRequest) time.Duration {
	if req.GraceMS != nil {
		return time.Duration(max(0, *req.GraceMS)) * time.Millisecond
	}
	return st.run.Grace()
}

// answerEnd answers the requests that have stopped this execution.
func (st *stopping) answerEnd(id executor.ID) {
	for _, reply := range st.onEnd[id] {
		reply(api.StopResult{Run: st.run.ID, Killed: 1, Survivors: []int{}}, nil)
	}
	delete(st.onEnd, id)
}

func (st *stopping) stopResult() api.StopResult {
	return api.StopResult{Run: st.run.ID, Killed: st.killed, Survivors: append([]int{}, st.run.ending.survivors...), Problem: st.run.ending.unrecorded}
}

// stopText describes problems of a run for its last event.
func (en *ending) stopText() string {
	switch {
	case len(en.survivors) > 0:
		return fmt.Sprintf("processes that could not be killed: %v", en.survivors)
	case en.run.broken != "":
		return en.run.broken
	}
	return en.unrecorded
}
