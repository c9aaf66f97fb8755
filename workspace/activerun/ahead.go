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

// ahead are the jobs that the executor has and the scheduler has not asked for.
type ahead struct {
	// untold is set after a restart of the daemon until the executor has reported everything: it may still have, or have
	// started, jobs that the earlier daemon handed over ahead.
	untold bool
	gated  map[executor.ID]*gatedJob
	handed int  // how many were handed over ahead so far, for their order
	look   bool // something was dispatched since the last look, or there was no room for all
	passed []executor.ID
}

// A gatedJob is a job that was handed over ahead.
type gatedJob struct {
	job      executor.Job
	order    int  // higher than that of every gated job that it comes after
	recalled bool // it will never be asked for, and the executor is to give it back
}

// foresee returns the jobs to be handed over ahead, as many as there is room for.
func (r *Run) foresee() (jobs []executor.Job) {
	room := r.roomAhead()
	if !r.look || room <= 0 || r.Phase != runstate.Going || r.holds.journal != "" || !r.sess.Gates() {
		return nil
	}
	for f := range r.Sched.Lookahead() {
		id := executor.ID{Node: f.Node, Execution: f.Execution}
		if r.has(id) {
			continue
		}
		if room--; room < 0 {
			return jobs
		}
		job := r.job(id.Node, id.Execution, r.Line(id.Node))
		for _, s := range f.After {
			job.After = append(job.After, executor.ID{Node: s.Node, Execution: s.Execution})
		}
		if r.gated == nil {
			r.gated = map[executor.ID]*gatedJob{}
		}
		r.gated[id] = &gatedJob{job: job, order: r.handed}
		r.handed++
		jobs = append(jobs, job)
	}
	r.look = false
	return jobs
}

// roomAhead returns the room for jobs whose turn has not come. They do not count against jobs that could start.
func (r *Run) roomAhead() int {
	return r.roomBeside(r.working() + len(r.gated))
}

// has reports whether the executor has an execution that was not dispatched.
func (r *Run) has(id executor.ID) bool {
	return r.gated[id] != nil || len(r.early[id]) > 0
}

// overtaken dispatches an execution that the executor has already.
func (r *Run) overtaken(id executor.ID) {
	if r.gated[id] != nil {
		delete(r.gated, id)
		r.passed = append(r.passed, id)
	}
	if !r.Sched.Wants(id.Node, id.Execution) {
		return
	}
	r.claimPools(id)
	r.dispatched(id)
	known := r.early[id]
	delete(r.early, id)
	for _, rep := range known {
		r.hear(rep)
	}
}

// meet dispatches an execution that the executor reports and that was not dispatched: it was handed over ahead, perhaps by an
// earlier daemon. One that was ahead when the machine went down, and may have started, is lost like any other.
func (r *Run) meet(rep executor.Report) {
	id := rep.ID
	switch {
	case r.Sched.Wants(id.Node, id.Execution):
		r.dequeue(id)
		r.overtaken(id)
	case rep.Kind == executor.Ended && rep.Exit.Lost && r.mayStray(id):
		r.dispatched(id)
	}
}

// mayStray reports whether a lost execution is one that the scheduler has not asked for.
func (r *Run) mayStray(id executor.ID) bool {
	status := r.Sched.Status(id.Node)
	return id.Execution == r.Sched.Executions(id.Node)+1 && status != graph.Queued && status != graph.Running && !r.Sched.Ended()
}

// overdue returns the jobs that were handed over ahead, have been asked for since, and are not known to have started. Handing
// them over once more, with nothing to come after, tells the executor that their turn has come.
func (r *Run) overdue() (jobs []executor.Job) {
	for _, id := range r.passed {
		rec := r.Nodes[id.Node].Execution
		if r.Phase == runstate.Going && rec.Live && !rec.Started && rec.Number == id.Execution {
			jobs = append(jobs, r.job(id.Node, id.Execution, rec.Command))
		}
	}
	r.passed = r.passed[:0]
	return jobs
}

// takeBackBehind takes back the jobs that were to come after an execution that did not succeed, and those behind them. The
// jobs behind a lost execution that is repeated stay.
func (r *Run) takeBackBehind(ev scheduler.Event) {
	if ev.OK || len(r.gated) == 0 || r.Sched.Wants(ev.Node, ev.Execution+1) {
		return
	}
	void := map[executor.ID]bool{{Node: ev.Node, Execution: ev.Execution}: true}
	var list []executor.ID
	for _, id := range r.gatedIDs() {
		g := r.gated[id]
		if !g.recalled && slices.ContainsFunc(g.job.After, func(s executor.ID) bool { return void[s] }) {
			g.recalled, void[id] = true, true
			list = append(list, id)
		}
	}
	if list = r.recallUnhanded(list); len(list) > 0 {
		r.stopThere(list, 0)
	}
}

// gatedIDs returns the executions that were handed over ahead, in order.
func (r *Run) gatedIDs() []executor.ID {
	return slices.SortedFunc(maps.Keys(r.gated), func(a, b executor.ID) int {
		return cmp.Compare(r.gated[a].order, r.gated[b].order)
	})
}

// gaveBack notes that a job that was handed over ahead will not start. It returns false if the report is about something else.
func (r *Run) gaveBack(rep executor.Report) bool {
	if r.gated[rep.ID] == nil {
		return false
	}
	delete(r.gated, rep.ID)
	delete(r.early, rep.ID)
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
func (r *Run) beginHalt(rec history.Record) {
	r.halt = &halt{record: rec}
	if r.uncertain() {
		r.stopThere(r.stoppable(), r.Grace())
	}
	r.endHalt()
}

// stoppable lists what the executor can stop: running executions, and jobs that it has ahead.
func (r *Run) stoppable() []executor.ID { return append(r.live(), r.gatedIDs()...) }

// uncertain reports whether the executor may have started a job that was handed over ahead without having reported it.
func (r *Run) uncertain() bool {
	if r.untold {
		return true
	}
	for _, g := range r.gated {
		if !g.recalled {
			return true
		}
	}
	return false
}

// putOff keeps a report of an end that the stop has caused until the scheduler has got the stop.
func (r *Run) putOff(rep executor.Report) bool {
	if r.halt == nil || rep.Kind != executor.Ended || !rep.Exit.Stopped || r.gated[rep.ID] != nil {
		return false
	}
	r.halt.stopped = append(r.halt.stopped, rep)
	return true
}

// endHalt gives the scheduler the stop when nothing is uncertain any more.
func (r *Run) endHalt() {
	if r.halt == nil || r.uncertain() {
		return
	}
	h := r.halt
	r.halt = nil
	r.commit(h.record)
	for _, rep := range h.stopped {
		r.hear(rep)
	}
}
