package activerun

import (
	"slices"
	"time"

	"wf/executor"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// Jobs are handed to the executor before there is a slot for them, so that it starts the next one the moment another ends,
// without asking. The width of the run, which is its number of slots, bounds how many go at once. A run keeps its slots
// while it can use them, and returns them when it cannot or when another run waits with fewer.

// jobsPerSlot is how many jobs wait in the executor for each slot at least. After a power cut the fate of each has to be
// found out, so there are more only where jobs are short: as many as end in paceWindow. Handing over costs one sync of
// the runner's log, for one job as for many.
const (
	jobsPerSlot = 2
	paceWindow  = 40 * time.Millisecond
	maxAhead    = 256
)

// A pace measures how many executions end in a window of time.
type pace struct {
	since  time.Time
	ended  int // since then
	recent int // in the window before, scaled to paceWindow
}

// count returns how many executions ended in the latest whole window before now.
func (p *pace) count(now time.Time) int {
	if took := now.Sub(p.since); took >= paceWindow {
		p.recent = int(int64(p.ended) * int64(paceWindow) / int64(took))
		p.since, p.ended = now, 0
	}
	return p.recent
}

// room returns how many more jobs the executor gets now. It is refilled when half of what waits there has gone, because
// one sync serves many jobs. With FailFast none waits there: the run decides about every start.
func (r *Run) room() int {
	if r.Request.FailFast {
		return r.slots - r.working()
	}
	return r.roomBeside(r.working())
}

// roomBeside returns room if handed jobs count as handed over, without those that wait for other runs.
func (r *Run) roomBeside(handed int) int {
	waiting := max(jobsPerSlot*r.slots, min(r.pace.count(time.Now()), maxAhead))
	if free := r.slots + waiting - handed; free > waiting/2 || handed < r.slots*2 {
		return free
	}
	return 0
}

// HandOver sets the executor's width and gives it the next jobs. A job that the executor does not accept has failed to
// start.
func (r *Run) HandOver() {
	if r.sess == nil {
		return
	}
	r.withdrawRecalled()
	jobs := append(r.unhanded, r.overdue()...)
	r.unhanded = nil
	for room := r.room(); room > 0 && r.ready() && r.mayTake(); room-- {
		jobs = append(jobs, r.take())
	}
	jobs = append(jobs, r.foresee()...)
	r.tellWidth()
	if len(jobs) == 0 {
		return
	}
	if !r.FlushJournal() {
		r.unhanded = jobs // after a crash the next daemon must find them in the journal
		return
	}
	n := len(r.mayHandOver(jobs))
	jobs, r.unhanded = jobs[:n], slices.Clone(jobs[n:])
	gated := func(j executor.Job) bool { return len(j.After) > 0 }
	r.start(slices.DeleteFunc(slices.Clone(jobs), gated))
	r.start(slices.DeleteFunc(jobs, func(j executor.Job) bool { return !gated(j) }))
}

// start hands jobs to the executor, which accepts all of them or none.
func (r *Run) start(jobs []executor.Job) {
	if len(jobs) == 0 {
		return
	}
	if err := r.sess.Start(jobs); err != nil {
		for _, j := range jobs {
			r.finish(executor.Report{Kind: executor.Ended, ID: j.ID, Time: clock.Now(),
				Exit: executor.Exit{Failed: true}, Message: err.Error()})
		}
	}
}

// ready reports whether there is an activation to hand over. It removes activations that were withdrawn meanwhile.
func (r *Run) ready() bool {
	for r.head < len(r.queue) && !r.Sched.Wants(r.queue[r.head].Node, r.queue[r.head].Execution) {
		r.head++
	}
	if r.head == len(r.queue) {
		r.queue, r.head = r.queue[:0], 0
	}
	return r.Phase == runstate.Going && r.head < len(r.queue)
}

// take removes the next activation from the queue and returns its job.
func (r *Run) take() executor.Job {
	id := r.queue[r.head]
	r.head++
	return r.job(id.Node, id.Execution, r.dispatched(id))
}

// dispatched records that an execution is with the executor, or will be. It returns its command line.
func (r *Run) dispatched(id executor.ID) (line string) {
	r.look = true
	n := &r.Nodes[id.Node]
	line = r.Line(id.Node)
	r.commit(history.Record{Type: history.RecordDispatch, Node: id.Node, ID: n.ID, Execution: id.Execution, Command: line,
		Inputs: inputRecord(r.InputsOf(id.Node))})
	return line
}
