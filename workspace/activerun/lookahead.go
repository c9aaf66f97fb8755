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

// Lookahead hands jobs to the executor before the scheduler requests them: jobs that are certain to be requested once other
// executions have succeeded. Such a prefetched job names the executions that it depends on. The executor starts it when the
// last of them has succeeded. A prefetched job has no record, no status and no slot until the scheduler requests it. By then
// the executor may have started it, and the run does not hand it over again. A prefetched job that cannot be requested any
// more is recalled.

// lookahead keeps track of prefetched jobs.
type lookahead struct {
	run *Run
	// early contains reports about executions that the scheduler has not requested yet. There are two causes: the executor
	// starts prefetched jobs on its own, and after a power cut the runner log may contain more than the journal.
	early map[executor.ID][]executor.Report
	// unreported is set after a restart of the daemon until the executor has repeated all its reports. Until then it may
	// have, or have started, jobs that the earlier daemon prefetched.
	unreported bool
	gated      map[executor.ID]*gatedJob
	handed     int  // number of jobs prefetched so far; gives the next job its order
	stale      bool // look for jobs again: one was dispatched since the last time, or there was no room for all
	due        []executor.ID
}

// A gatedJob is a prefetched job.
type gatedJob struct {
	job      executor.Job
	order    int  // higher than that of every prefetched job that it depends on
	recalled bool // the executor was asked to return it
}

// prefetch returns further jobs to hand over ahead of their turn, as many as there is room for.
func (la *lookahead) prefetch() (jobs []executor.Job) {
	room := la.prefetchRoom()
	if !la.stale || room <= 0 || la.run.Phase != runstate.Active || la.run.journal.holds.journal != "" || !la.run.sess.Gates() {
		return nil
	}
	if la.run.hooking.nodes != nil { // the end of a command with hooks is known only here, see hooking.fateOf
		return nil
	}
	if la.run.preparing.pending() {
		return nil
	}
	if la.run.Request.Executor != "" { // gates connect only jobs on this machine, and other executors are among the rules that end a lookahead
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
	la.stale = false
	return jobs
}

// prefetchRoom returns how many more jobs can be prefetched. Prefetched jobs take no room from jobs that can start now.
func (la *lookahead) prefetchRoom() int {
	return la.run.dispatcher.roomBeside(la.run.slotShare.working() + len(la.gated))
}

// has reports whether the executor has an execution that was not dispatched yet.
func (la *lookahead) has(id executor.ID) bool {
	return la.gated[id] != nil || len(la.early[id]) > 0
}

// dispatchPrefetched records the dispatch of an execution that the executor already has, and processes its early reports.
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

// dispatchReported records the dispatch of an execution that the executor reports although it was not dispatched: it was
// prefetched, possibly by an earlier daemon. A prefetched job that may have been running when the machine crashed counts as
// lost, like any other execution.
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

// lostPrefetched reports whether a lost execution is the next one of its node, and the scheduler has not requested it.
func (la *lookahead) lostPrefetched(id executor.ID) bool {
	status := la.run.Sched.Status(id.Node)
	return id.Execution == la.run.Sched.Executions(id.Node)+1 && status != graph.Queued && status != graph.Running && !la.run.Sched.Ended()
}

// dueJobs returns the prefetched jobs that the scheduler has requested since and that have not been reported as started.
// Handing them over again, without dependencies, releases them in the executor.
func (la *lookahead) dueJobs() (jobs []executor.Job) {
	for _, id := range la.due {
		rec := la.run.Nodes[id.Node].Execution
		if la.run.Phase == runstate.Active && rec.Live && !rec.Started && rec.Number == id.Execution {
			jobs = append(jobs, la.run.job(id.Node, id.Execution, rec.Command))
		}
	}
	la.due = la.due[:0]
	return jobs
}

// recallDependents recalls the prefetched jobs that depend, directly or indirectly, on an execution that did not succeed.
// Jobs that depend on a lost execution stay if the scheduler repeats it.
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

// gatedIDs returns the prefetched executions in the order of handing over.
func (la *lookahead) gatedIDs() []executor.ID {
	return slices.SortedFunc(maps.Keys(la.gated), func(a, b executor.ID) int {
		return cmp.Compare(la.gated[a].order, la.gated[b].order)
	})
}

// noteReturned handles the end of a prefetched job that will not start. It returns false if the report is about something
// else.
func (la *lookahead) noteReturned(rep executor.Report) bool {
	if la.gated[rep.ID] == nil {
		return false
	}
	delete(la.gated, rep.ID)
	delete(la.early, rep.ID)
	return !rep.Exit.Lost // a lost job was handed over by an earlier daemon and may have started
}

// A halt is a stop that has not reached the scheduler yet. The executor may have started prefetched jobs, so their reports
// come first. Reports that arrive in between count as if they came before the stop, except for ends that the stop itself has
// caused.
type halt struct {
	record  history.Record
	stopped []executor.Report
}

// startHalt stops everything in the executor. It passes the stop to the scheduler at once if no prefetched job can have
// started.
func (st *stopping) startHalt(rec history.Record) {
	st.halt = &halt{record: rec}
	if st.run.lookahead.uncertain() {
		st.stopExecutions(st.stoppable(), st.run.Grace())
	}
	st.endHalt()
}

// stoppable returns the executions that the executor can stop: running ones and prefetched jobs.
func (st *stopping) stoppable() []executor.ID {
	return append(st.run.live(), st.run.lookahead.gatedIDs()...)
}

// uncertain reports whether the executor may have started a prefetched job without having reported it.
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

// deferEnd keeps the report of an end that the stop has caused until the stop has reached the scheduler. It returns false
// for other reports.
func (st *stopping) deferEnd(rep executor.Report) bool {
	if st.halt == nil || rep.Kind != executor.Ended || !rep.Exit.Stopped || st.run.lookahead.gated[rep.ID] != nil {
		return false
	}
	st.halt.stopped = append(st.halt.stopped, rep)
	return true
}

// endHalt passes the stop to the scheduler, unless a prefetched job may have started.
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
