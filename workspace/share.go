package workspace

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
func (r *run) jobs() int {
	if r.Request.NoLimit {
		return NoLimit
	}
	return r.Request.Jobs
}

// join makes the run a member of the machine's slots.
func (r *run) join(w *Workspace) {
	r.member = w.cfg.Slots.Join(w.id, r.jobs(), w.loop.Wake)
}

// leaveSlots returns all slots: the run is over, or goes on without this daemon.
func (r *run) leaveSlots() {
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
func (r *run) working() int { return r.InFlight - len(r.lent) }

// inUse returns how many slots may be in use at this moment, at most.
func (r *run) inUse() int { return min(r.InFlight, max(r.Running, r.ceiling)) - len(r.lent) }

// demand returns how many slots the run could use.
func (r *run) demand() int {
	n := r.working()
	if r.Phase == runstate.Going {
		n += len(r.queue) - r.head
	}
	if r.Request.Jobs > 0 {
		n = min(n, max(r.Request.Jobs-len(r.lent), r.Running-len(r.lent)))
	}
	return n
}

// shareOut acquires and returns slots, for all runs in turn so that none of them starves.
func (w *Workspace) shareOut() {
	for _, r := range w.runs {
		if r.sess != nil {
			r.giveBack()
		}
	}
	for progress := true; progress; {
		progress = false
		for _, r := range w.runs {
			if r.sess != nil && r.acquire() {
				progress = true
			}
		}
	}
}

// acquire takes one slot if the run can use one more.
func (r *run) acquire() bool {
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

// giveBack returns slots that the run has no use for, or that other runs have a better claim to.
func (r *run) giveBack() {
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

func (r *run) release() {
	r.slots--
	r.fresh = min(r.fresh, r.slots)
	r.member.Release()
}

// tellWidth sets the width of the executor, if that makes a difference.
func (r *run) tellWidth() {
	width := max(r.slots-r.owed, r.fresh, 0) + len(r.lent)
	if width != r.told && min(width, r.told) < r.InFlight {
		r.told, r.ceiling = width, max(r.ceiling, width)
		r.sess.SetWidth(width)
	}
}

// startedOne notes that an execution has started.
func (r *run) startedOne(id executor.ID) {
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
func (r *run) endedOne(id executor.ID) {
	r.fresh = max(0, r.fresh-1)
	r.takeBack(id)
}

// lend returns the slot of a command while the command waits for another run.
func (r *run) lend(id executor.ID) {
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

// takeBack gives a command its slot again when it stops waiting: it goes on at once, even beyond the limit.
func (r *run) takeBack(id executor.ID) {
	if _, lent := r.lent[id]; !lent {
		return
	}
	delete(r.lent, id)
	r.slots++
	r.member.TakeBack()
}
