package workspace

import (
	"fmt"
	"time"

	"wf/api"
	"wf/executor"
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
	if !r.expects(w, rep) || r.nodes[rep.ID.Node].rec.begun {
		return
	}
	r.commit(w, history.Record{Type: history.RecordStart, Time: rep.Time.UTC(), Node: rep.ID.Node, ID: r.nodes[rep.ID.Node].id,
		Execution: rep.ID.Execution, PID: rep.PID, Out: historyRange(rep.Out), Err: historyRange(rep.Err)})
	r.startedOne(rep.ID)
}

// finish takes the end of an execution: journal, status, tokens, event, slot.
func (r *run) finish(w *Workspace, rep executor.Report) {
	if r.gaveBack(rep) || !r.expects(w, rep) {
		return
	}
	i, n := rep.ID.Node, &r.nodes[rep.ID.Node]
	r.endedOne(rep.ID)
	r.pace.ended++
	r.leavePools(w, rep.ID)
	if !n.rec.begun && rep.Exit.Stopped {
		r.commit(w, history.Record{Type: history.RecordWithdraw, Node: i, ID: n.id, Execution: rep.ID.Execution})
		r.answerEnd(rep.ID)
		return
	}
	r.endChildren(w, rep.ID, rep.Exit.Stopped)
	n.rec.ending.close(rep)
	n.rec.ending = nil
	announced, attempt := len(w.out.pending), r.sched.Attempt(i)
	r.commit(w, r.endRecord(rep))
	w.out.noted(announced, n.id, r.unmatched(i))
	switch {
	case r.sched.Handled(i):
		w.out.handled(announced, n.id)
	case r.sched.Attempt(i) > attempt:
		w.out.retried(announced, n.id, api.Retry{Attempt: attempt + 1, Of: r.sched.Attempts(i)})
	}
	r.answerEnd(rep.ID)
}

// close tells those who follow the output of an execution where it ends. e may be nil.
func (e *ending) close(rep executor.Report) {
	if e != nil {
		e.out, e.err = rep.Out, rep.Err
		close(e.done)
	}
}

// endRecord returns the record of the end of an execution. What the command has left for others is part of it; if that
// cannot be used, the execution has failed.
func (r *run) endRecord(rep executor.Report) history.Record {
	id, reason := rep.ID, r.reason(rep)
	rec := history.Record{Type: history.RecordEnd, Time: rep.Time.UTC(), Node: id.Node, ID: r.nodes[id.Node].id, Execution: id.Execution,
		ExitCode: rep.Exit.Code, Signal: rep.Exit.Signal, Message: rep.Message, Out: historyRange(rep.Out), Err: historyRange(rep.Err),
		UserMS: rep.Exit.User.Milliseconds(), SysMS: rep.Exit.System.Milliseconds()}
	if !rep.Exit.Lost && !rep.Exit.Failed {
		var err error
		if _, rec.Outputs, err = r.outputs(id); err == nil && reason == "" && r.sched.ItemsCommand(id.Node) != "" {
			rec.Items, err = r.items(rep.Out)
		}
		if err != nil && reason == "" {
			reason, rec.Message = api.ReasonExpression, err.Error()
		}
	}
	rec.OK, rec.Reason = reason == "", string(reason)
	return rec
}

func (r *runState) reason(rep executor.Report) api.Reason {
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

// lose ends a run whose executor is gone: what was going on has an unknown fate.
func (r *run) lose(w *Workspace, rep executor.Report) {
	if r.phase == ended || r.phase == complete {
		return
	}
	r.holds.executor = ""
	clear(r.gated)
	r.untold = false
	r.endHalt(w)
	stopped := r.phase == stopping // what is killed with the executor then is what was to be killed
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
	if r.phase == going {
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
func (r *runState) elapsed(end time.Time) int64 { return took(r.req.Time, end) }
