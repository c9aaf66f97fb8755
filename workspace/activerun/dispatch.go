package activerun

import (
	"slices"
	"time"

	"wf/executor"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// Jobs are handed to the executor before there is a slot for them, so that it can start the next job without delay when
// another ends. The width of the run, which follows its number of slots, bounds how many run at the same time. A run keeps
// its slots while it can use them, and returns them when it cannot or when another run waits with fewer.

// dispatcher contains the executions that the scheduler has requested and the executor does not have yet.
type dispatcher struct {
	run   *Run
	queue []executor.ID // requested and not handed over, starting at head
	head  int
	// elsewhere are those that engines execute. They need no slots, so they are handed over at once.
	elsewhere []executor.ID
	pace      pace
	unhanded  []executor.Job // recorded as dispatched, but not handed over because the journal could not be written
	recalled  []executor.ID  // those of unhanded that were stopped meanwhile
}

// jobsPerSlot is the minimum number of jobs that wait in the executor for each slot. After a power cut the daemon has to
// find out what became of each, so more jobs wait only if jobs are short: as many as end within paceWindow. Each hand-over
// costs one sync of the runner log, whatever the number of jobs.
const (
	jobsPerSlot = 2
	paceWindow  = 40 * time.Millisecond
	maxAhead    = 256
)

// A pace measures how many executions end within paceWindow.
type pace struct {
	since  time.Time
	ended  int // executions that ended since then
	recent int // those of the window before, scaled to paceWindow
}

// count returns how many executions ended in the latest complete window before now, or in the present one if these are
// more.
func (p *pace) count(now time.Time) int {
	if took := now.Sub(p.since); took >= paceWindow {
		p.recent = int(int64(p.ended) * int64(paceWindow) / int64(took))
		p.since, p.ended = now, 0
	}
	return max(p.recent, p.ended)
}

// room returns how many more jobs to hand over now. It stays 0 until half of the waiting jobs have started, because one sync
// serves many jobs. With FailFast no jobs wait in the executor: the run decides about each start.
func (dp *dispatcher) room() int {
	if dp.run.Request.FailFast {
		return dp.run.slotShare.slots - dp.run.slotShare.working()
	}
	return dp.roomBeside(dp.run.slotShare.working())
}

// roomBeside returns the room if handed jobs were handed over, not counting those whose commands wait for other runs.
func (dp *dispatcher) roomBeside(handed int) int {
	waiting := max(jobsPerSlot*dp.run.slotShare.slots, min(dp.pace.count(time.Now()), maxAhead))
	if free := dp.run.slotShare.slots + waiting - handed; free > waiting/2 || handed < dp.run.slotShare.slots*2 {
		return free
	}
	return 0
}

// HandOver sets the executor's width and hands over the next jobs. A job that the executor does not accept has failed to
// start.
func (dp *dispatcher) HandOver() {
	if dp.run.sess == nil {
		return
	}
	dp.withdrawRecalled()
	jobs := append(dp.unhanded, dp.run.lookahead.dueJobs()...)
	dp.unhanded = nil
	for room := dp.room(); room > 0 && dp.ready() && dp.run.journal.hasRoom(); room-- {
		jobs = append(jobs, dp.take())
	}
	for dp.run.Phase == runstate.Active && len(dp.elsewhere) > 0 && dp.run.journal.hasRoom() {
		if id := dp.elsewhere[0]; dp.run.Sched.Wants(id.Node, id.Execution) {
			jobs = append(jobs, dp.jobOf(id))
		}
		dp.elsewhere = dp.elsewhere[1:]
	}
	jobs = append(jobs, dp.run.lookahead.prefetch()...)
	for i := range jobs {
		jobs[i].Foreseen = dp.run.Sched.Foreseen(jobs[i].ID.Node)
	}
	dp.run.slotShare.setWidth()
	if len(jobs) == 0 {
		return
	}
	if !dp.run.journal.FlushJournal() {
		dp.unhanded = jobs // after a crash the next daemon must find them in the journal
		return
	}
	n := len(dp.run.journal.mayHandOver(jobs))
	jobs, dp.unhanded = jobs[:n], slices.Clone(jobs[n:])
	gated := func(j executor.Job) bool { return len(j.After) > 0 }
	dp.start(slices.DeleteFunc(slices.Clone(jobs), gated))
	dp.start(slices.DeleteFunc(jobs, func(j executor.Job) bool { return !gated(j) }))
}

// start hands jobs to the executor, which accepts all or none.
func (dp *dispatcher) start(jobs []executor.Job) {
	if len(jobs) == 0 {
		return
	}
	if err := dp.run.sess.Start(jobs); err != nil {
		for _, j := range jobs {
			dp.run.finish(executor.Report{Kind: executor.Ended, ID: j.ID, Time: clock.Now(),
				Exit: executor.Exit{Failed: true}, Message: err.Error()})
		}
	}
}

// ready reports whether an execution waits for handing over. It removes executions that the scheduler has withdrawn.
func (dp *dispatcher) ready() bool {
	for dp.head < len(dp.queue) && !dp.run.Sched.Wants(dp.queue[dp.head].Node, dp.queue[dp.head].Execution) {
		dp.head++
	}
	if dp.head == len(dp.queue) {
		dp.queue, dp.head = dp.queue[:0], 0
	}
	return dp.run.Phase == runstate.Active && dp.head < len(dp.queue)
}

// take removes the next execution from the queue and returns its job.
func (dp *dispatcher) take() executor.Job {
	id := dp.queue[dp.head]
	dp.head++
	return dp.jobOf(id)
}

// jobOf records that an execution is being handed over and returns its job.
func (dp *dispatcher) jobOf(id executor.ID) executor.Job {
	return dp.run.job(id.Node, id.Execution, dp.recordDispatch(id))
}

// enqueue adds an execution that the scheduler has requested.
func (dp *dispatcher) enqueue(id executor.ID) {
	if runstate.ExecutorOf(&dp.run.State, id.Node) != "" {
		dp.elsewhere = append(dp.elsewhere, id)
	} else {
		dp.queue = append(dp.queue, id)
	}
}

// takeAll empties the queues and returns what was in them.
func (dp *dispatcher) takeAll() []executor.ID {
	all := append(dp.queue[dp.head:], dp.elsewhere...)
	dp.queue, dp.head, dp.elsewhere = nil, 0, nil
	return all
}

// recordDispatch records that an execution is being handed over. It returns its command line.
func (dp *dispatcher) recordDispatch(id executor.ID) (line string) {
	dp.run.lookahead.stale = true
	n := &dp.run.Nodes[id.Node]
	line = dp.run.Line(id.Node)
	dp.run.commit(history.Record{Type: history.RecordDispatch, Node: id.Node, ID: n.ID, Execution: id.Execution, Command: line,
		Inputs: inputRecord(dp.run.reuse.explain(id, dp.run.InputsOf(id.Node, dp.run.masks.Text)))})
	return line
}
