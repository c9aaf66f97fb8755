package activerun

import (
	"cmp"
	"maps"
	"slices"

	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// Lookahead: executions that are certain to be asked for once others have succeeded are handed over before their turn. Each
// such job names the executions that it comes after, and the executor starts it the moment the last of them has succeeded.
// Until the scheduler asks for it, such a job has no record, no status and no slot. When the scheduler does, the job may be
// with the executor already, or have started, and is not handed over again. A job that will not be asked for any more is
// taken back.

// lookahead has the jobs that the executor has and the scheduler has not asked for.
type lookahead struct {
	run *Run
	// early are reports about executions that the scheduler has not asked for: after a power cut the runner's log may contain
	// more than the journal, and the executor starts prefetched jobs by itself.
	early map[executor.ID][]executor.Report
	// unreported is set after a restart of the daemon until the executor has reported everything: it may still have, or have
	// started, jobs that the earlier daemon handed over ahead.
	unreported bool
	gated      map[executor.ID]*gatedJob
	handed     int  // how many were handed over ahead so far, for their order
	look       bool // something was dispatched since the last look, or there was no room for all
	due        []executor.ID
}

// A gatedJob is a job that was handed over ahead.
type gatedJob struct {
	job      executor.Job
	order    int  // higher than that of every gated job that it comes after
	recalled bool // it will never be asked for, and the executor is to give it back
}

// prefetch returns the jobs to be handed over ahead, as many as there is room for.
func (la *lookahead) prefetch() (jobs []executor.Job) {
	room := la.prefetchRoom()
	if !la.look || room <= 0 || la.run.Phase != runstate.Going || la.run.journal.holds.journal != "" || !la.run.sess.Gates() {
		return nil
	}
	for f := range la.run.Sched.Lookahead() {
		id := executor.ID{Node: f.Node, Execution: f.Execution}
		if la.has(id) {
			continue
		}
		if room--; room < 0 {
			return jobs
		}
		job := la.run.job(id.Node, id.Execution, la.run.Line(id.Node))
		for _, s := range f.After {
			job.After = append(job.After, executor.ID{Node: s.Node, Execution: s.Execution})
		}
		if la.gated == nil {
			la.gated = map[executor.ID]*gatedJob{}
		}
		la.gated[id] = &gatedJob{job: job, order: la.handed}
		la.handed++
		jobs = append(jobs, job)
	}
	la.look = false
	return jobs
}

// prefetchRoom returns the room for jobs whose turn has not come. They do not count against jobs that could start.
func (la *lookahead) prefetchRoom() int {
	return la.run.dispatcher.roomBeside(la.run.slotShare.working() + len(la.gated))
}

// has reports whether the executor has an execution that was not dispatched.
func (la *lookahead) has(id executor.ID) bool {
	return la.gated[id] != nil || len(la.early[id]) > 0
}

// dispatchPrefetched dispatches an execution that the executor has already.
func (la *lookahead) dispatchPrefetched(id executor.ID) {
	if la.gated[id] != nil {
		delete(la.gated, id)
		la.due = append(la.due, id)
	}
	if !la.run.Sched.Wants(id.Node, id.Execution) {
		return
	}
	la.run.pooling.claimPools(id)
	la.run.dispatcher.recordDispatch(id)
	known := la.early[id]
	delete(la.early, id)
	for _, rep := range known {
		la.run.handleReport(rep)
	}
}

// dispatchReported dispatches an execution that the executor reports and that was not dispatched: it was handed over ahead, perhaps by an
// earlier daemon. One that was ahead when the machine went down, and may have started, is lost like any other.
func (la *lookahead) dispatchReported(rep executor.Report) {
	id := rep.ID
	switch {
	case la.run.Sched.Wants(id.Node, id.Execution):
		la.run.dispatcher.dequeue(id)
		la.dispatchPrefetched(id)
	case rep.Kind == executor.Ended && rep.Exit.Lost && la.lostPrefetched(id):
		la.run.dispatcher.recordDispatch(id)
	}
}

// lostPrefetched reports whether a lost execution is one that the scheduler has not asked for.
func (la *lookahead) lostPrefetched(id executor.ID) bool {
	status := la.run.Sched.Status(id.Node)
	return id.Execution == la.run.Sched.Executions(id.Node)+1 && status != graph.Queued && status != graph.Running && !la.run.Sched.Ended()
}

// dueJobs returns the jobs that were handed over ahead, have been asked for since, and are not known to have started. Handing
// them over once more, with nothing to come after, tells the executor that their turn has come.
func (la *lookahead) dueJobs() (jobs []executor.Job) {
	for _, id := range la.due {
		rec := la.run.Nodes[id.Node].Execution
		if la.run.Phase == runstate.Going && rec.Live && !rec.Started && rec.Number == id.Execution {
			jobs = append(jobs, la.run.job(id.Node, id.Execution, rec.Command))
		}
	}
	la.due = la.due[:0]
	return jobs
}

// recallDependents takes back the jobs that were to come after an execution that did not succeed, and those behind them. The
// jobs behind a lost execution that is repeated stay.
func (la *lookahead) recallDependents(ev scheduler.Event) {
	if ev.OK || len(la.gated) == 0 || la.run.Sched.Wants(ev.Node, ev.Execution+1) {
		return
	}
	void := map[executor.ID]bool{{Node: ev.Node, Execution: ev.Execution}: true}
	var list []executor.ID
	for _, id := range la.gatedIDs() {
		g := la.gated[id]
		if !g.recalled && slices.ContainsFunc(g.job.After, func(s executor.ID) bool { return void[s] }) {
			g.recalled, void[id] = true, true
			list = append(list, id)
		}
	}
	if list = la.run.dispatcher.recallUnhanded(list); len(list) > 0 {
		la.run.stopping.stopExecutions(list, 0)
	}
}

// gatedIDs returns the executions that were handed over ahead, in order.
func (la *lookahead) gatedIDs() []executor.ID {
	return slices.SortedFunc(maps.Keys(la.gated), func(a, b executor.ID) int {
		return cmp.Compare(la.gated[a].order, la.gated[b].order)
	})
}

// noteReturned notes that a job that was handed over ahead will not start. It returns false if the report is about something else.
func (la *lookahead) noteReturned(rep executor.Report) bool {
	if la.gated[rep.ID] == nil {
		return false
	}
	delete(la.gated, rep.ID)
	delete(la.early, rep.ID)
	return !rep.Exit.Lost // a lost one was handed over by an earlier daemon, and may have started
}

// A halt is a stop that the scheduler has not got yet. The executor may have started jobs that it had ahead, so it first
// reports what became of them. Reports that come meanwhile count as before the stop, except for ends that the stop itself
// has caused.
type halt struct {
	record  history.Record
	stopped []executor.Report
}

// beginHalt stops everything. The scheduler gets the stop at once if nothing is uncertain.
func (st *stopping) beginHalt(rec history.Record) {
	st.halt = &halt{record: rec}
	if st.run.lookahead.uncertain() {
		st.stopExecutions(st.stoppable(), st.run.Grace())
	}
	st.endHalt()
}

// stoppable lists what the executor can stop: running executions, and jobs that it has ahead.
func (st *stopping) stoppable() []executor.ID {
	return append(st.run.live(), st.run.lookahead.gatedIDs()...)
}

// uncertain reports whether the executor may have started a job that was handed over ahead without having reported it.
func (la *lookahead) uncertain() bool {
	if la.unreported {
		return true
	}
	for _, g := range la.gated {
		if !g.recalled {
			return true
		}
	}
	return false
}

// deferEnd keeps a report of an end that the stop has caused until the scheduler has got the stop.
func (st *stopping) deferEnd(rep executor.Report) bool {
	if st.halt == nil || rep.Kind != executor.Ended || !rep.Exit.Stopped || st.run.lookahead.gated[rep.ID] != nil {
		return false
	}
	st.halt.stopped = append(st.halt.stopped, rep)
	return true
}

// endHalt gives the scheduler the stop when nothing is uncertain any more.
func (st *stopping) endHalt() {
	if st.halt == nil || st.run.lookahead.uncertain() {
		return
	}
	h := st.halt
	st.halt = nil
	st.run.commit(h.record)
	for _, rep := range h.stopped {
		st.run.handleReport(rep)
	}
}
