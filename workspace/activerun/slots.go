package activerun

import (
	"wf/executor"
	"wf/workspace/runstate"
)

// slotShare is the part of the machine that a run has: its slots, and its width, which is how many executions the executor may
// have going. A new width takes effect a little later. The executor reports when it does; until then the old one may
// still be in effect.
//
// A slot stays with the run that acquired it until an execution has started in it, or the run has no use for it.
// Otherwise slots could move around among many runs without anything starting.
type slotShare struct {
	run     *Run
	member  SlotMember
	slots   int  // held
	fresh   int  // of these, how many no execution has started in since they were acquired
	refused bool // the run waits for a slot
	owed    int  // slots that other runs have a better claim to
	width   int  // the width set last
	ceiling int  // the largest width that may be in effect
	lent    map[executor.ID]struct{}
	short   shortage
}

// jobs returns how many slots the run wants at most, in the terms of Slots.Join.
func (sh *slotShare) jobs() int {
	if sh.run.Request.NoLimit {
		return NoLimit
	}
	return sh.run.Request.Jobs
}

// join makes the run a member of the machine's slots.
func (sh *slotShare) join() {
	sh.member = sh.run.host.Slots.Join(sh.run.host.ID, sh.jobs(), sh.run.host.Loop.Wake)
}

// leaveSlots returns all slots: the run is over, or goes on without this daemon.
func (sh *slotShare) leaveSlots() {
	sh.short.stop()
	if sh.member != nil {
		sh.member.Leave()
	}
}

// widthApplied notes that width n is in effect from now on.
func (sh *slotShare) widthApplied(n int) {
	if n == sh.width {
		sh.ceiling = n
	}
}

// working returns how many executions are with the executor and need a slot once they run.
func (sh *slotShare) working() int { return sh.run.InFlight - len(sh.lent) }

// inUse returns how many slots may be in use at this moment, at most.
func (sh *slotShare) inUse() int {
	return min(sh.run.InFlight, max(sh.run.Running, sh.ceiling)) - len(sh.lent)
}

// demand returns how many slots the run could use.
func (sh *slotShare) demand() int {
	n := sh.working()
	if sh.run.Phase == runstate.Going {
		n += len(sh.run.dispatcher.queue) - sh.run.dispatcher.head
	}
	if sh.run.Request.Jobs > 0 {
		n = min(n, max(sh.run.Request.Jobs-len(sh.lent), sh.run.Running-len(sh.lent)))
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
	sh.fresh++
	return true
}

// GiveBack returns slots that the run has no use for, or that other runs have a better claim to.
func (sh *slotShare) GiveBack() {
	if sh.run.sess == nil {
		return
	}
	least := 0
	if sh.run.Request.Caller != nil && sh.run.Phase >= runstate.Ended {
		least = 1 // for the command that has started the run, see leaveTo
	}
	for sh.slots > max(sh.demand(), sh.inUse(), least) {
		sh.release()
	}
	if sh.owed = 0; sh.slots == 0 {
		return
	}
	if sh.run.journal.holds.why() != "" { // nothing starts until the hold ends
		sh.fresh = 0
	}
	sh.owed = sh.member.Over()
	for sh.owed > 0 && sh.slots > max(sh.inUse(), sh.fresh, least) {
		sh.release()
		sh.owed--
	}
}

func (sh *slotShare) release() {
	sh.slots--
	sh.fresh = min(sh.fresh, sh.slots)
	sh.member.Release()
}

// setWidth sets the width of the executor, if that makes a difference.
func (sh *slotShare) setWidth() {
	width := max(sh.slots-sh.owed, sh.fresh, 0) + len(sh.lent)
	if width != sh.width && min(width, sh.width) < sh.run.InFlight {
		sh.width, sh.ceiling = width, max(sh.ceiling, width)
		sh.run.sess.SetWidth(width)
	}
}

// executionStarted notes that an execution has started.
func (sh *slotShare) executionStarted(id executor.ID) {
	sh.fresh = max(0, sh.fresh-1)
	if sh.run.Running-len(sh.lent) > sh.slots { // the executor went on by itself while no daemon was there
		sh.member.Claim()
		sh.slots++
	}
	if sh.run.nesting.callers[id] > 0 {
		sh.lend(id)
	}
}

// executionEnded notes that an execution is over. It has used a slot even if its start was not seen.
func (sh *slotShare) executionEnded(id executor.ID) {
	sh.fresh = max(0, sh.fresh-1)
	sh.TakeBack(id)
}

// lend returns the slot of a command while the command waits for another run.
func (sh *slotShare) lend(id executor.ID) {
	if _, lent := sh.lent[id]; lent || sh.slots == 0 {
		return
	}
	if sh.lent == nil {
		sh.lent = map[executor.ID]struct{}{}
	}
	sh.lent[id] = struct{}{}
	sh.slots--
	sh.fresh = min(sh.fresh, sh.slots)
	sh.member.Lend()
}

// TakeBack gives a command its slot again when it stops waiting: it goes on at once, even beyond the limit.
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
	// Join makes a run of a workspace a member. jobs is how many slots it wants at most: 0 = the limit of the machine, or
	// NoLimit. wake is called when the member may get a slot that it was refused, or Over has another answer. It must not block.
	Join(id string, jobs int, wake func()) SlotMember
}

// NoLimit is the number of slots that a run without a limit wants.
const NoLimit = -1

// A SlotMember takes and returns slots for one run.
type SlotMember interface {
	TryAcquire() bool // one slot, or false: then the member waits, or has all that it wants
	Decline()         // stop waiting
	Claim()           // one slot, even beyond the limit: for a process that runs already
	Over() int        // how many slots to return as soon as possible, because others wait with fewer
	Release()         // return one slot
	Lend()            // return one slot until TakeBack: its command waits for another run
	TakeBack()        // one lent slot, even beyond the limit
	Leave()           // return all slots and get no wake any more
	// Machine returns the limit that applies to the member, and how many slots count towards it.
	Machine() (limit, used int)
}
