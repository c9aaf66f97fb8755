package activerun

import (
	"wf/executor"
	"wf/workspace/runstate"
)

// slotShare is a run's share of the machine. It consists of slots and of a width: the number of executions that the executor
// may run at the same time. A new width takes effect when the executor reports it. Until then the old width may still apply.
//
// A run keeps a slot that it acquired until an execution has started in it, or until the run cannot use it. Otherwise slots
// could move between many runs without any execution starting.
type slotShare struct {
	run     *Run
	member  SlotMember
	slots   int  // slots that the run has
	unused  int  // how many of them have had no execution yet
	refused bool // the run waits for a slot
	excess  int  // slots that the run should return because other runs have fewer
	width   int  // the width that was set last
	ceiling int  // the largest width that may be in effect
	lent    map[executor.ID]struct{}
	short   shortage
}

// jobs returns the largest number of slots that the run wants, as for Slots.Join.
func (sh *slotShare) jobs() int {
	if sh.run.Request.NoLimit {
		return NoLimit
	}
	return sh.run.Request.Jobs
}

// join registers the run with the machine's slots.
func (sh *slotShare) join() {
	sh.member = sh.run.host.Slots.Join(sh.run.host.ID, sh.jobs(), sh.run.host.Loop.Wake)
}

// leaveSlots returns all slots, because the run is over or continues without this daemon.
func (sh *slotShare) leaveSlots() {
	sh.short.timer.Stop()
	if sh.member != nil {
		sh.member.Leave()
	}
}

// widthApplied notes that the executor now applies width n.
func (sh *slotShare) widthApplied(n int) {
	if n == sh.width {
		sh.ceiling = n
	}
}

// inFlight returns how many executions the executor has for this machine. Those at engines need no slots.
func (sh *slotShare) inFlight() int { return sh.run.Here.InFlight }

// running returns how many executions of the run have started on this machine and not ended.
func (sh *slotShare) running() int { return sh.run.Here.Running }

// working returns how many executions are with the executor and need a slot to run.
func (sh *slotShare) working() int { return sh.inFlight() - len(sh.lent) }

// inUse returns an upper bound of the slots in use at this moment.
func (sh *slotShare) inUse() int {
	return min(sh.inFlight(), max(sh.running(), sh.ceiling)) - len(sh.lent)
}

// demand returns how many slots the run could use.
func (sh *slotShare) demand() int {
	n := sh.working()
	if sh.run.Phase == runstate.Active {
		n += len(sh.run.dispatcher.queue) - sh.run.dispatcher.head
	}
	if sh.run.Request.Jobs > 0 {
		n = min(n, max(sh.run.Request.Jobs-len(sh.lent), sh.running()-len(sh.lent)))
	}
	return n
}

// Acquire takes one slot if the run can use one more.
func (sh *slotShare) Acquire() bool {
	if sh.run.sess == nil {
		return false
	}
	if sh.slots >= sh.demand() {
		if sh.refused {
			sh.refused = false
			sh.member.Decline()
		}
		return false
	}
	if sh.refused = !sh.member.TryAcquire(); sh.refused {
		return false
	}
	sh.slots++
	sh.unused++
	return true
}

// GiveBack returns slots that the run cannot use, or that other runs should get.
func (sh *slotShare) GiveBack() {
	if sh.run.sess == nil {
		return
	}
	least := 0
	if sh.run.Request.Caller != nil && sh.run.Phase >= runstate.Ended {
		least = 1 // stays for the command that started the run, see nesting.Leave
	}
	for sh.slots > max(sh.demand(), sh.inUse(), least) {
		sh.release()
	}
	if sh.excess = 0; sh.slots == 0 {
		return
	}
	if sh.run.journal.holds.why() != "" { // nothing starts while the run is held
		sh.unused = 0
	}
	sh.excess = sh.member.Over()
	for sh.excess > 0 && sh.slots > max(sh.inUse(), sh.unused, least) {
		sh.release()
		sh.excess--
	}
}

func (sh *slotShare) release() {
	sh.slots--
	sh.unused = min(sh.unused, sh.slots)
	sh.member.Release()
}

// setWidth sets the width of the executor if the new width makes a difference.
func (sh *slotShare) setWidth() {
	width := max(sh.slots-sh.excess, sh.unused, 0) + len(sh.lent)
	if width != sh.width && min(width, sh.width) < sh.inFlight() {
		sh.width, sh.ceiling = width, max(sh.ceiling, width)
		sh.run.sess.SetWidth(width)
	}
}

// executionStarted notes that an execution has started.
func (sh *slotShare) executionStarted(id executor.ID) {
	if sh.run.Nodes[id.Node].Execution.AtEngine() {
		return
	}
	sh.unused = max(0, sh.unused-1)
	if sh.running()-len(sh.lent) > sh.slots { // the executor went on without a daemon
		sh.member.Claim()
		sh.slots++
	}
	if sh.run.nesting.callers[id] > 0 {
		sh.lend(id)
	}
}

// executionEnded notes that an execution has ended. It has used a slot even if its start was not reported.
func (sh *slotShare) executionEnded(id executor.ID) {
	if sh.run.Nodes[id.Node].Execution.AtEngine() {
		return
	}
	sh.unused = max(0, sh.unused-1)
	sh.TakeBack(id)
}

// lend returns the slot of a command while the command waits for another run. A command at an engine has none.
func (sh *slotShare) lend(id executor.ID) {
	if _, lent := sh.lent[id]; lent || sh.slots == 0 || sh.run.Nodes[id.Node].Execution.AtEngine() {
		return
	}
	if sh.lent == nil {
		sh.lent = map[executor.ID]struct{}{}
	}
	sh.lent[id] = struct{}{}
	sh.slots--
	sh.unused = min(sh.unused, sh.slots)
	sh.member.Lend()
}

// TakeBack gets the slot of a command back when the command stops waiting. The command continues at once, so this may exceed
// the limit.
func (sh *slotShare) TakeBack(id executor.ID) {
	if _, lent := sh.lent[id]; !lent {
		return
	}
	delete(sh.lent, id)
	sh.slots++
	sh.member.TakeBack()
}

// Slots hands out the job slots of the machine (docs/semantics.md, Commands). It is safe for concurrent use.
type Slots interface {
	// Join registers a run of the workspace id. jobs is the largest number of slots that the run wants: 0 means the limit of
	// the machine, NoLimit means no limit. wake is called when a refused member may get a slot, or when the result of Over
	// has changed. It must not block.
	Join(id string, jobs int, wake func()) SlotMember
}

// NoLimit is the value of jobs for a run without a limit.
const NoLimit = -1

// A SlotMember takes and returns slots for one run.
type SlotMember interface {
	TryAcquire() bool // takes one slot; false means that the member waits or has all it wants
	Decline()         // stops waiting
	Claim()           // takes one slot, even beyond the limit, for a process that already runs
	Over() int        // returns how many slots to return soon, because other members with fewer slots wait
	Release()         // returns one slot
	Lend()            // returns one slot until TakeBack, while its command waits for another run
	TakeBack()        // takes back one lent slot, even beyond the limit
	Leave()           // returns all slots; wake is not called any more
	// Machine returns the limit that applies to the member, and the number of slots that count towards it.
	Machine() (limit, used int)
}
