package activerun

import (
	"wf/executor"
	"wf/workspace/runstate"
)

// share is the part of the machine that a run has: its slots, and its width, which is how many executions the executor may
// have going. A new width takes effect a little later. The executor reports when it does; until then the old one may
// still be in effect.
//
// A slot stays with the run that acquired it until an execution has started in it, or the run has no use for it.
// Otherwise slots could move around among many runs without anything starting.
type share struct {
	member  SlotMember
	slots   int  // held
	fresh   int  // of these, how many no execution has started in since they were acquired
	refused bool // the run waits for a slot
	owed    int  // slots that other runs have a better claim to
	told    int  // the width set last
	ceiling int  // the largest width that may be in effect
	lent    map[executor.ID]struct{}
	short   shortage
}

// jobs returns how many slots the run wants at most, in the terms of Slots.Join.
func (r *Run) jobs() int {
	if r.Request.NoLimit {
		return NoLimit
	}
	return r.Request.Jobs
}

// join makes the run a member of the machine's slots.
func (r *Run) join() {
	r.member = r.host.Slots.Join(r.host.ID, r.jobs(), r.host.Loop.Wake)
}

// leaveSlots returns all slots: the run is over, or goes on without this daemon.
func (r *Run) leaveSlots() {
	r.short.stop()
	if r.member != nil {
		r.member.Leave()
	}
}

// resized notes that width n is in effect from now on.
func (s *share) resized(n int) {
	if n == s.told {
		s.ceiling = n
	}
}

// working returns how many executions are with the executor and need a slot once they run.
func (r *Run) working() int { return r.InFlight - len(r.lent) }

// inUse returns how many slots may be in use at this moment, at most.
func (r *Run) inUse() int { return min(r.InFlight, max(r.Running, r.ceiling)) - len(r.lent) }

// demand returns how many slots the run could use.
func (r *Run) demand() int {
	n := r.working()
	if r.Phase == runstate.Going {
		n += len(r.queue) - r.head
	}
	if r.Request.Jobs > 0 {
		n = min(n, max(r.Request.Jobs-len(r.lent), r.Running-len(r.lent)))
	}
	return n
}

// Acquire takes one slot if the run can use one more.
func (r *Run) Acquire() bool {
	if r.sess == nil {
		return false
	}
	if r.slots >= r.demand() {
		if r.refused {
			r.refused = false
			r.member.Decline()
		}
		return false
	}
	if r.refused = !r.member.TryAcquire(); r.refused {
		return false
	}
	r.slots++
	r.fresh++
	return true
}

// GiveBack returns slots that the run has no use for, or that other runs have a better claim to.
func (r *Run) GiveBack() {
	if r.sess == nil {
		return
	}
	least := 0
	if r.Request.Caller != nil && r.Phase >= runstate.Ended {
		least = 1 // for the command that has started the run, see leaveTo
	}
	for r.slots > max(r.demand(), r.inUse(), least) {
		r.release()
	}
	if r.owed = 0; r.slots == 0 {
		return
	}
	if r.holds.why() != "" { // nothing starts until the hold ends
		r.fresh = 0
	}
	r.owed = r.member.Over()
	for r.owed > 0 && r.slots > max(r.inUse(), r.fresh, least) {
		r.release()
		r.owed--
	}
}

func (r *Run) release() {
	r.slots--
	r.fresh = min(r.fresh, r.slots)
	r.member.Release()
}

// tellWidth sets the width of the executor, if that makes a difference.
func (r *Run) tellWidth() {
	width := max(r.slots-r.owed, r.fresh, 0) + len(r.lent)
	if width != r.told && min(width, r.told) < r.InFlight {
		r.told, r.ceiling = width, max(r.ceiling, width)
		r.sess.SetWidth(width)
	}
}

// startedOne notes that an execution has started.
func (r *Run) startedOne(id executor.ID) {
	r.fresh = max(0, r.fresh-1)
	if r.Running-len(r.lent) > r.slots { // the executor went on by itself while no daemon was there
		r.member.Claim()
		r.slots++
	}
	if r.callers[id] > 0 {
		r.lend(id)
	}
}

// endedOne notes that an execution is over. It has used a slot even if its start was not seen.
func (r *Run) endedOne(id executor.ID) {
	r.fresh = max(0, r.fresh-1)
	r.TakeBack(id)
}

// lend returns the slot of a command while the command waits for another run.
func (r *Run) lend(id executor.ID) {
	if _, lent := r.lent[id]; lent || r.slots == 0 {
		return
	}
	if r.lent == nil {
		r.lent = map[executor.ID]struct{}{}
	}
	r.lent[id] = struct{}{}
	r.slots--
	r.fresh = min(r.fresh, r.slots)
	r.member.Lend()
}

// TakeBack gives a command its slot again when it stops waiting: it goes on at once, even beyond the limit.
func (r *Run) TakeBack(id executor.ID) {
	if _, lent := r.lent[id]; !lent {
		return
	}
	delete(r.lent, id)
	r.slots++
	r.member.TakeBack()
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
