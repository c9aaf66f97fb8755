package workspace

import (
	"slices"
	"time"

	"wf/executor"
	"wf/workspace/history"
)

// Jobs are handed over before there is room for them: the executor starts the next one the moment
// another ends, without asking. How many it may have going at once is its width: the slots that the
// run holds. So slots stay with a run while it can use them, and are given back when it cannot, or
// when another workspace waits with fewer.

// aheadOf is how many jobs wait in the executor for each slot at least. Each is one whose fate has to
// be found out if the machine goes down, so there are more only where jobs are over in no time: as
// many as end in paceWindow, since handing over takes a sync of the executor's record each time, and
// most of a sync is the same for one job and for many.
const (
	aheadOf    = 2
	paceWindow = 40 * time.Millisecond
	maxAhead   = 256
)

// A pace is how many executions ended in the last window.
type pace struct {
	since  time.Time
	ended  int // since then
	recent int // in the window before, which may have been a long one: scaled to paceWindow
}

// count returns the pace at a moment.
func (p *pace) count(now time.Time) int {
	if took := now.Sub(p.since); took >= paceWindow {
		p.recent = int(int64(p.ended) * int64(paceWindow) / int64(took))
		p.since, p.ended = now, 0
	}
	return p.recent
}

// room is how many more jobs the executor gets now. It is filled up only when half of what waits
// there has gone, for the reason given at aheadOf. A run that stops at the first failure decides
// about every start: none waits there.
func (r *run) room() int {
	if r.req.FailFast {
		return r.slots - r.working()
	}
	return r.roomBeside(r.working())
}

// roomBeside is room when so many jobs count as handed over, without those that wait for other runs.
func (r *run) roomBeside(handed int) int {
	waiting := max(aheadOf*r.slots, min(r.pace.count(time.Now()), maxAhead))
	if free := r.slots + waiting - handed; free > waiting/2 || handed < r.slots*2 {
		return free
	}
	return 0
}

// dispatch gives every run its share of slots and hands over what it lets start.
func (w *Workspace) dispatch() {
	for _, r := range w.runs {
		if r.sess != nil {
			r.enterPools(w)
		}
	}
	w.shareOut()
	for _, r := range w.runs {
		r.handOver(w)
	}
}

// handOver tells the executor its width, as far as that makes a difference, and gives it the next
// jobs. What it does not take has failed to start.
func (r *run) handOver(w *Workspace) {
	if r.sess == nil {
		return
	}
	r.withdrawRecalled(w)
	jobs := append(r.unhanded, r.overdue()...)
	r.unhanded = nil
	for room := r.room(); room > 0 && r.ready() && r.mayTake(w); room-- {
		jobs = append(jobs, r.take(w))
	}
	jobs = append(jobs, r.foresee()...)
	r.tellWidth()
	if len(jobs) == 0 {
		return
	}
	if !r.keepNumbers(w, jobs) || !r.flushJournal(w) {
		r.unhanded = jobs // whoever takes the run up after a crash must know of them
		return
	}
	gated := func(j executor.Job) bool { return len(j.After) > 0 }
	r.start(w, slices.DeleteFunc(slices.Clone(jobs), gated))
	r.start(w, slices.DeleteFunc(jobs, func(j executor.Job) bool { return !gated(j) }))
}

// start hands jobs to the executor. It takes all of them or none.
func (r *run) start(w *Workspace, jobs []executor.Job) {
	if len(jobs) == 0 {
		return
	}
	if err := r.sess.Start(jobs); err != nil {
		for _, j := range jobs {
			r.finish(w, executor.Report{Kind: executor.Ended, ID: j.ID, Time: now(),
				Exit: executor.Exit{Failed: true}, Message: err.Error()})
		}
	}
}

// ready reports whether there is an activation to hand over. Those that were withdrawn meanwhile
// leave the queue here.
func (r *run) ready() bool {
	for r.head < len(r.queue) && !r.sched.Wants(r.queue[r.head].Node, r.queue[r.head].Execution) {
		r.head++
	}
	if r.head == len(r.queue) {
		r.queue, r.head = r.queue[:0], 0
	}
	return r.phase == going && r.head < len(r.queue)
}

// take removes the next activation from the queue and makes a job of it.
func (r *run) take(w *Workspace) executor.Job {
	id := r.queue[r.head]
	r.head++
	return r.job(id.Node, id.Execution, r.dispatched(w, id))
}

// dispatched records that an execution is with the executor, or will be. It returns its command line.
func (r *run) dispatched(w *Workspace, id executor.ID) (line string) {
	r.look = true
	n := &r.nodes[id.Node]
	line = r.line(id.Node)
	r.commit(w, history.Record{Type: history.RecordDispatch, Node: id.Node, ID: n.id, Execution: id.Execution, Command: line,
		Inputs: inputRecord(r.inputsOf(id.Node))})
	return line
}
