package workspace

import (
	"cmp"
	"maps"
	"slices"

	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/history"
)

// What is certain to come next is handed over before its turn, each job with the executions that it
// has to come after: the executor starts it the moment the last of them has succeeded, without asking.
// Nobody sees anything of that. Only when the scheduler asks for an execution does it become one, with
// a dispatch record and a status; that the executor has it already, or has even begun it, is then a
// reason not to hand it over. What the scheduler will not ask for any more is taken back.

// ahead are the jobs that the executor has and the scheduler has not asked for.
type ahead struct {
	// untold: the run was taken up, and the executor may still have, or have begun, what an earlier
	// daemon has handed over ahead.
	untold bool
	gated  map[executor.ID]*gatedJob
	handed int  // so far, for their order
	look   bool // something was dispatched since the last look, or there was no room for all
	passed []executor.ID
}

// A gatedJob is a job that was handed over ahead.
type gatedJob struct {
	job      executor.Job
	order    int  // what it comes after has a lower one, or was dispatched
	recalled bool // it will never be asked for, and the executor is to give it back
}

// foresee returns the jobs that are to be handed over ahead, as many as there is room for.
func (r *run) foresee() (jobs []executor.Job) {
	room := r.roomAhead()
	if !r.look || room <= 0 || r.phase != going || r.holds.journal != "" || !r.sess.Gates() {
		return nil
	}
	for f := range r.sched.Lookahead() {
		id := executor.ID{Node: f.Node, Execution: f.Execution}
		if r.has(id) {
			continue
		}
		if room--; room < 0 {
			return jobs
		}
		job := r.job(id.Node, id.Execution, r.line(id.Node))
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

// roomAhead is room for jobs whose turn has not come. They do not count there: they must not keep
// those out that could start.
func (r *run) roomAhead() int {
	return r.roomBeside(r.working() + len(r.gated))
}

// has reports whether the executor knows of an execution that nobody has dispatched.
func (r *run) has(id executor.ID) bool {
	return r.gated[id] != nil || len(r.early[id]) > 0
}

// overtaken dispatches an execution that the executor has already.
func (r *run) overtaken(w *Workspace, id executor.ID) {
	if r.gated[id] != nil {
		delete(r.gated, id)
		r.passed = append(r.passed, id)
	}
	if !r.sched.Wants(id.Node, id.Execution) {
		return
	}
	r.claimPools(w, id)
	r.dispatched(w, id)
	known := r.early[id]
	delete(r.early, id)
	for _, rep := range known {
		r.hear(w, rep)
	}
}

// meet dispatches what the executor tells of and nobody has dispatched: it was handed over ahead, by
// an earlier daemon perhaps. What was ahead when the machine went down and may have begun is lost like
// everything else.
func (r *run) meet(w *Workspace, rep executor.Report) {
	id := rep.ID
	switch {
	case r.sched.Wants(id.Node, id.Execution):
		r.dequeue(id)
		r.overtaken(w, id)
	case rep.Kind == executor.Ended && rep.Exit.Lost && r.mayStray(id):
		r.dispatched(w, id)
	}
}

// mayStray reports whether an execution that is lost is one that nobody has asked for.
func (r *run) mayStray(id executor.ID) bool {
	status := r.sched.Status(id.Node)
	return id.Execution == r.sched.Executions(id.Node)+1 && status != graph.Queued && status != graph.Running && !r.sched.Ended()
}

// overdue returns what was handed over ahead, has been asked for and is not known to have begun. To
// hand it over once more, with nothing that it has to come after, tells the executor that its turn has
// come, should it not know.
func (r *run) overdue() (jobs []executor.Job) {
	for _, id := range r.passed {
		rec := r.nodes[id.Node].rec
		if r.phase == going && rec.live && !rec.begun && rec.executions == id.Execution {
			jobs = append(jobs, r.job(id.Node, id.Execution, rec.command))
		}
	}
	r.passed = r.passed[:0]
	return jobs
}

// takeBackBehind takes back what was to come after an execution that did not succeed, and what was to
// come after that. One that is lost and executes again decides later.
func (r *run) takeBackBehind(ev scheduler.Event) {
	if ev.OK || len(r.gated) == 0 || r.sched.Wants(ev.Node, ev.Execution+1) {
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

// gatedIDs lists what was handed over ahead, in order.
func (r *run) gatedIDs() []executor.ID {
	return slices.SortedFunc(maps.Keys(r.gated), func(a, b executor.ID) int {
		return cmp.Compare(r.gated[a].order, r.gated[b].order)
	})
}

// gaveBack notes that a job that was handed over ahead has not started and will not. It returns false
// if the report says something else.
func (r *run) gaveBack(rep executor.Report) bool {
	if r.gated[rep.ID] == nil {
		return false
	}
	delete(r.gated, rep.ID)
	delete(r.early, rep.ID)
	return !rep.Exit.Lost // else an earlier daemon had handed it over, and it may have begun
}

// A halt is a stop that the scheduler has not been told of: the executor may have begun what it had
// ahead, so first it says what has become of that. Whatever is told meanwhile counts as it would have
// before the stop, but for what the stop itself has ended.
type halt struct {
	record  history.Record
	stopped []executor.Report
}

// beginHalt stops everything. The scheduler hears of it at once if nothing is uncertain.
func (r *run) beginHalt(w *Workspace, rec history.Record) {
	r.halt = &halt{record: rec}
	if r.uncertain() {
		r.stopThere(r.stoppable(), r.grace())
	}
	r.endHalt(w)
}

// stoppable lists what the executor can stop: executions that are going, and jobs it has ahead.
func (r *run) stoppable() []executor.ID { return append(r.live(), r.gatedIDs()...) }

// uncertain reports whether the runner may have begun a job that was handed over ahead, without having said so.
func (r *run) uncertain() bool {
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

// putOff keeps a report that is to be heard after the stop that has caused it.
func (r *run) putOff(rep executor.Report) bool {
	if r.halt == nil || rep.Kind != executor.Ended || !rep.Exit.Stopped || r.gated[rep.ID] != nil {
		return false
	}
	r.halt.stopped = append(r.halt.stopped, rep)
	return true
}

// endHalt tells the scheduler of a stop when nothing is uncertain any more.
func (r *run) endHalt(w *Workspace) {
	if r.halt == nil || r.uncertain() {
		return
	}
	h := r.halt
	r.halt = nil
	r.commit(w, h.record)
	for _, rep := range h.stopped {
		r.hear(w, rep)
	}
}
