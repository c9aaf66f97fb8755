package workspace

import (
	"encoding/json"
	"fmt"
	"time"

	"wf/api"
	"wf/executor"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/workspace/history"
)

// reports is news from a run's executor.
type reports struct {
	r    *run
	list []executor.Report
}

func (m reports) handle(w *Workspace) {
	forget := m.r.lookForOutputs(m.list)
	for _, rep := range m.list {
		m.r.hear(w, rep)
	}
	forget()
	m.r.heard = true
}

// hear takes one report.
func (r *run) hear(w *Workspace, rep executor.Report) {
	if r.putOff(rep) {
		return
	}
	defer r.endHalt(w)
	switch rep.Kind {
	case executor.Started:
		r.started(w, rep)
	case executor.Ended:
		r.finish(w, rep)
	case executor.Resized:
		r.resized(rep.Width)
	case executor.Told:
		r.untold = false
	case executor.Held:
		r.hold(w, &r.holds.executor, rep.Message)
	case executor.Swept:
		r.sweptUp(rep)
	case executor.Broken:
		r.lose(w, rep)
	}
}

// expects reports whether the report is about an execution that is going. After a restart an
// executor tells everything again: what is over is passed over, what is to come is kept.
func (r *run) expects(w *Workspace, rep executor.Report) bool {
	id := rep.ID
	if id.Node >= len(r.nodes) {
		return false
	}
	r.meet(w, rep)
	if id.Execution > r.sched.Executions(id.Node) {
		if r.early == nil {
			r.early = map[executor.ID][]executor.Report{}
		}
		r.early[id] = append(r.early[id], rep)
		return false
	}
	rec := r.nodes[id.Node].rec
	return rec != nil && rec.live && rec.executions == id.Execution
}

func (r *run) started(w *Workspace, rep executor.Report) {
	if !r.expects(w, rep) || !r.begun(w, rep.ID.Node) {
		return
	}
	r.startedOne(rep.ID)
	n := &r.nodes[rep.ID.Node]
	n.rec.pid, n.rec.lastPID, n.rec.started = rep.PID, rep.PID, rep.Time.UTC()
	n.rec.out, n.rec.err = rep.Out, rep.Err
	r.record(history.Record{Type: history.RecordStart, Time: rep.Time.UTC(), Node: rep.ID.Node, ID: n.id,
		Execution: rep.ID.Execution, PID: rep.PID, Out: historyRange(rep.Out), Err: historyRange(rep.Err)})
	r.step(w, scheduler.Event{Kind: scheduler.Started, Node: rep.ID.Node, At: n.rec.started.UnixNano()})
	if r.sched.ItemsCommand(rep.ID.Node) != "" {
		return // what starts is the command that lists the items of a sub-flow: that begins when they are known
	}
	w.publish(api.Event{Type: api.NodeStarted, Time: n.rec.started, Run: r.id, Client: r.client,
		Node: n.id, Name: n.name, Execution: rep.ID.Execution, PID: rep.PID})
}

// finish folds the end of an execution: journal, status, tokens, event, slot.
func (r *run) finish(w *Workspace, rep executor.Report) {
	if r.gaveBack(rep) || !r.expects(w, rep) {
		return
	}
	n := &r.nodes[rep.ID.Node]
	r.endedOne(rep.ID)
	r.inflight--
	r.pace.ended++
	if !n.rec.begun && rep.Exit.Stopped {
		at := now()
		r.record(history.Record{Type: history.RecordWithdraw, Time: at, Node: rep.ID.Node, ID: n.id, Execution: rep.ID.Execution})
		r.withdraw(w, rep.ID.Node)
		r.leavePools(w, rep.ID)
		r.step(w, scheduler.Event{Kind: scheduler.Withdrawn, Node: rep.ID.Node, Execution: rep.ID.Execution, At: at.UnixNano()})
		r.answerEnd(rep.ID)
		return
	}
	if n.rec.begun {
		r.running--
	}
	r.leavePools(w, rep.ID)
	r.endChildren(w, rep.ID, rep.Exit.Stopped)
	rec := r.conclude(n.rec, rep)
	reason := api.Reason(rec.Reason)
	r.record(rec)
	told := len(w.out.pending)
	if reason != "" || r.sched.ItemsCommand(rep.ID.Node) == "" {
		r.tell(w, n, rep.ID.Execution, reason)
	}
	if n.node != nil {
		w.file.Statuses().TouchOutput(n.node)
	}
	attempt := r.sched.Attempt(rep.ID.Node)
	r.step(w, finished(rec))
	w.out.noted(told, n.id, r.unmatched(rep.ID.Node))
	switch {
	case r.sched.Handled(rep.ID.Node):
		w.out.handled(told, n.id)
	case r.sched.Attempt(rep.ID.Node) > attempt:
		w.out.retried(told, n.id, api.Retry{Attempt: attempt + 1, Of: r.sched.Attempts(rep.ID.Node)})
	}
	r.answerEnd(rep.ID)
}

// conclude notes how an execution ended and returns the record of that. What the command has left for
// others is part of it; if that cannot be used, the execution has failed.
func (r *run) conclude(n *nodeRecord, rep executor.Report) history.Record {
	reason := r.ended(n, rep)
	rec := history.Record{Type: history.RecordEnd, Node: rep.ID.Node, ID: r.nodes[rep.ID.Node].id, Execution: rep.ID.Execution}
	if !rep.Exit.Lost && !rep.Exit.Failed {
		var err error
		if n.outputs, rec.Outputs, err = r.outputs(rep.ID); err == nil && reason == "" && r.sched.ItemsCommand(rep.ID.Node) != "" {
			rec.Items, err = r.items(rep.Out)
		}
		if err != nil && reason == "" {
			reason = api.ReasonExpression
			n.reason, n.message = reason, err.Error()
		}
	}
	rec.Time, rec.OK, rec.Reason, rec.ExitCode, rec.Signal, rec.Message = n.ended, reason == "", string(reason), n.exitCode, n.signal, n.message
	rec.Out, rec.Err = historyRange(rep.Out), historyRange(rep.Err)
	rec.UserMS, rec.SysMS = rep.Exit.User.Milliseconds(), rep.Exit.System.Milliseconds()
	return rec
}

// finished is the event that the record of an end stands for. The record was made by conclude: what is
// in it can be read.
func finished(rec history.Record) scheduler.Event {
	ev := scheduler.Event{Kind: scheduler.Finished, Node: rec.Node, Execution: rec.Execution, At: rec.Time.UnixNano(),
		OK: rec.OK, Reason: rec.Reason, Message: rec.Message, Exit: rec.ExitCode}
	switch api.Reason(rec.Reason) {
	case "", api.ReasonExit:
		ev.HasExit = true
	}
	ev.Outputs, _ = decodeValues(rec.Outputs)
	if rec.Items != nil {
		var items expression.List
		if json.Unmarshal(rec.Items, &items) == nil {
			ev.Items = items
		}
	}
	return ev
}

// ended notes how an execution ended and says why it failed, "" for success.
func (r *run) ended(rec *nodeRecord, rep executor.Report) api.Reason {
	rec.live, rec.pid, rec.ended, rec.message = false, 0, rep.Time.UTC(), rep.Message
	if rec.started.IsZero() {
		rec.started = rec.ended // a blank command, or one that could not be started
	}
	rec.exitCode, rec.signal, rec.out, rec.err = rep.Exit.Code, rep.Exit.Signal, rep.Out, rep.Err
	rec.reason = r.reason(rep)
	if rec.ending != nil {
		rec.ending.out, rec.ending.err = rep.Out, rep.Err
		close(rec.ending.done)
		rec.ending = nil
	}
	return rec.reason
}

func (r *run) reason(rep executor.Report) api.Reason {
	switch e := rep.Exit; {
	case e.Lost:
		return api.ReasonLost
	case e.Stopped && (r.cause == "timeout" || r.sched.Expired(rep.ID.Node)):
		return api.ReasonTimeout
	case e.Stopped:
		return api.ReasonCancelled
	case e.Failed:
		return api.ReasonStart
	case e.Signal != 0:
		return api.ReasonSignal
	case e.Code != 0:
		return api.ReasonExit
	}
	return ""
}

// tell publishes the end of an execution.
func (r *run) tell(w *Workspace, n *runNode, execution int, reason api.Reason) {
	rec := n.rec
	ev := api.Event{Type: api.NodeFinished, Time: rec.ended, Run: r.id, Client: r.client, Node: n.id, Name: n.name, SubFlow: n.node != nil && n.node.SubFlow(),
		Execution: execution, Reason: reason, Message: rec.message, ExitCode: rec.exit(),
		Signal: signalName(rec.signal), DurationMS: ptr(took(rec.started, rec.ended))}
	if reason != "" {
		ev.Type = api.NodeFailed
	}
	if reason == api.ReasonCancelled || reason == api.ReasonTimeout {
		r.killed++
	}
	w.publish(ev)
}

// lose ends a run whose executor is gone: what was going on has an unknown fate.
func (r *run) lose(w *Workspace, rep executor.Report) {
	if r.state == ended || r.state == complete {
		return
	}
	r.holds.executor = ""
	clear(r.gated)
	r.untold = false
	r.endHalt(w)
	stopped := r.state == stopping // what is killed with the executor then is what was to be killed
	if !stopped {
		r.broken = rep.Message
	}
	w.cfg.Log.Error("executor lost", "run", r.id, "err", rep.Message)
	for i := range r.nodes {
		if rec := r.nodes[i].rec; rec != nil && rec.live {
			r.finish(w, executor.Report{Kind: executor.Ended, ID: executor.ID{Node: i, Execution: rec.executions},
				Time: now(), Out: rec.out, Err: rec.err, Exit: executor.Exit{Lost: !stopped, Stopped: stopped},
				Message: fmt.Sprintf("the executor was lost (%s)", rep.Message)})
		}
	}
	if r.state == going {
		w.stop(r, api.StopRequest{Cause: "executor lost"}, "", nil)
	}
}

func historyRange(r executor.Range) history.Range {
	return history.Range{File: r.File, Start: r.Start, End: r.End}
}

func executorRange(r history.Range) executor.Range {
	return executor.Range{File: r.File, Start: r.Start, End: r.End}
}

// elapsed is how long the run has taken, in milliseconds.
func (r *run) elapsed(end time.Time) int64 { return took(r.req.Time, end) }
