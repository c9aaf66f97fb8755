package activerun

import (
	"fmt"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// handleReports processes reports of the run's executor.
func (r *Run) handleReports(list []executor.Report) {
	forget := r.lookForOutputs(list)
	for _, rep := range list {
		r.handleReport(rep)
	}
	forget()
	r.recovery.reported = true
}

// handleReport processes one report.
func (r *Run) handleReport(rep executor.Report) {
	if r.stopping.deferEnd(rep) {
		return
	}
	defer r.stopping.endHalt()
	switch rep.Kind {
	case executor.Started:
		r.started(rep)
	case executor.Changed:
		r.engineChanged(rep)
	case executor.Ended:
		r.finish(rep)
	case executor.Resized:
		r.slotShare.widthApplied(rep.Width)
	case executor.CaughtUp:
		r.lookahead.unreported = false
	case executor.Held:
		r.journal.hold(&r.journal.holds.executor, rep.Message)
	case executor.Leftovers:
		r.ending.noteLeftovers(rep)
	case executor.Broken:
		r.executorLost(rep)
	}
}

// expects reports whether a report is about a live execution. After a restart the executor repeats its reports. expects
// skips those that the journal already contains and keeps those about executions that the scheduler has not requested yet.
func (r *Run) expects(rep executor.Report) bool {
	id := rep.ID
	if id.Node >= len(r.Nodes) {
		return false
	}
	r.lookahead.dispatchReported(rep)
	if id.Execution > r.Sched.Executions(id.Node) {
		if r.lookahead.early == nil {
			r.lookahead.early = map[executor.ID][]executor.Report{}
		}
		r.lookahead.early[id] = append(r.lookahead.early[id], rep)
		return false
	}
	rec := r.Nodes[id.Node].Execution
	return rec != nil && rec.Live && rec.Number == id.Execution
}

func (r *Run) started(rep executor.Report) {
	if !r.expects(rep) || r.Nodes[rep.ID.Node].Execution.Started {
		return
	}
	rec := r.Nodes[rep.ID.Node].Execution
	rec.StartEngine(rep.Engine)
	r.commit(history.Record{Type: history.RecordStart, Time: rep.Time.UTC(), Node: rep.ID.Node, ID: r.Nodes[rep.ID.Node].ID,
		Execution: rep.ID.Execution, PID: rep.PID, Out: rep.Out, Err: rep.Err, Engine: rec.EngineRecord()})
	r.slotShare.executionStarted(rep.ID)
}

// engineChanged publishes what an engine tells about a job that it has. The journal does not contain it: the executor reports
// it again after a restart.
func (r *Run) engineChanged(rep executor.Report) {
	if !r.expects(rep) {
		return
	}
	n := &r.Nodes[rep.ID.Node]
	if n.Execution.NoteEngine(rep.Engine) {
		r.host.Out.Publish(api.Event{Type: api.NodeEngine, Time: rep.Time.UTC(), Run: r.ID, Client: r.Request.Client, Node: n.ID, Name: n.Name,
			Execution: rep.ID.Execution, Engine: n.Execution.Engine()})
	}
}

// finish handles the end of an execution: it records the end and releases its slot and pools, for nodes that declare outputs when
// these were looked at.
func (r *Run) finish(rep executor.Report) {
	if r.lookahead.noteReturned(rep) || !r.expects(rep) {
		return
	}
	rep = r.hooking.fateOf(rep)
	if !r.reuse.examine(rep) {
		r.end(rep)
	}
}

// end records the end of an execution.
func (r *Run) end(rep executor.Report) {
	i, n := rep.ID.Node, &r.Nodes[rep.ID.Node]
	r.slotShare.executionEnded(rep.ID)
	r.dispatcher.pace.ended++
	r.pooling.leavePools(rep.ID)
	if !n.Execution.Started && rep.Exit.Stopped {
		r.commit(history.Record{Type: history.RecordWithdraw, Node: i, ID: n.ID, Execution: rep.ID.Execution})
		r.stopping.answerEnd(rep.ID)
		return
	}
	r.nesting.endChildren(rep.ID, rep.Exit.Stopped)
	n.Execution.Ending.Close(rep)
	n.Execution.Ending = nil
	announced, attempt := r.host.Out.Pending(), r.Sched.Attempt(i)
	rec := r.endRecord(rep)
	r.commit(rec)
	r.reuse.ended(rep.ID, rec)
	r.host.Out.Noted(announced, n.ID, r.Unmatched(i))
	switch {
	case r.Sched.Handled(i):
		r.host.Out.Handled(announced, n.ID)
	case r.Sched.Attempt(i) > attempt:
		r.host.Out.Retried(announced, n.ID, api.Retry{Attempt: attempt + 1, Of: r.Sched.Attempts(i)})
	}
	r.stopping.answerEnd(rep.ID)
}

// endRecord returns the record of the end of an execution, with its outputs. If the outputs are invalid, the execution has
// failed.
func (r *Run) endRecord(rep executor.Report) history.Record {
	id, reason, x := rep.ID, r.Reason(rep), r.Nodes[rep.ID.Node].Execution
	x.NoteEngine(rep.Engine)
	rec := history.Record{Type: history.RecordEnd, Time: rep.Time.UTC(), Node: id.Node, ID: r.Nodes[id.Node].ID, Execution: id.Execution,
		ExitCode: rep.Exit.Code, Signal: rep.Exit.Signal, Message: rep.Message, Out: rep.Out, Err: rep.Err,
		UserMS: rep.Exit.User.Milliseconds(), SysMS: rep.Exit.System.Milliseconds(),
		PeakBytes: rep.Exit.PeakMemory, Engine: x.EngineRecord()}
	if !rep.Exit.Lost && !rep.Exit.Failed {
		var err error
		if _, rec.Outputs, err = r.outputs(id); err == nil && reason == "" && r.Sched.ItemsCommand(id.Node) != "" {
			rec.Items, err = r.items(rep.Out)
		}
		if err == nil && r.Nodes[id.Node].Printed {
			rec.Stdout, err = r.printed(rep.Out)
		}
		if err != nil && reason == "" {
			reason, rec.Message = api.ReasonExpression, err.Error()
		}
	}
	rec.OK, rec.Reason = reason == "", string(reason)
	return rec
}

// executorLost ends a run after the connection to its executor has failed for good. Running executions count as lost.
func (r *Run) executorLost(rep executor.Report) {
	if r.Phase == runstate.Ended || r.Phase == runstate.Complete {
		return
	}
	r.journal.holds.executor = ""
	clear(r.lookahead.gated)
	r.lookahead.unreported = false
	r.stopping.endHalt()
	stopped := r.Phase == runstate.Stopping // a run that is stopping does not fail because of this
	if !stopped {
		r.broken = rep.Message
	}
	r.host.Log.Error("executor lost", "run", r.ID, "err", rep.Message)
	for _, id := range r.live() {
		if r.reuse.examines(id) {
			continue
		}
		rec := r.Nodes[id.Node].Execution
		r.finish(executor.Report{Kind: executor.Ended, ID: id, Time: clock.Now(), Out: rec.Out, Err: rec.Err,
			Exit: executor.Exit{Lost: !stopped, Stopped: stopped}, Message: fmt.Sprintf("the executor was lost (%s)", rep.Message)})
	}
	if r.Phase == runstate.Active {
		r.stopping.Stop(api.StopRequest{Cause: "executor lost"}, "", nil)
	}
}
