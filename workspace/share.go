package workspace

import "wf/executor"

// share is what a run has of the machine: its slots, and how many executions its executor may have
// going (the width). What the executor is told takes effect a little later, and it says when: until
// then it may go by what it was told before.
//
// A slot that a run has got stays with it until it has started something, or can be of no use to it.
// Else slots could go round among many runs without anything being started.
type share struct {
	member  SlotMember
	slots   int  // held
	fresh   int  // of these, those that nothing was started in since they were got
	refused bool // a slot that it waits for
	owed    int  // how many others have a better right to
	told    int  // width, said last with SetWidth
	ceiling int  // the largest width that may be in effect
	lent    map[executor.ID]struct{}
	short   shortage
}

// jobs is how many slots the run was asked to use at most, see Slots.
func (r *run) jobs() int {
	if r.req.NoLimit {
		return NoLimit
	}
	return r.req.Jobs
}

// join begins to take part in what the machine has for all.
func (r *run) join(w *Workspace) {
	r.member = noSlots{}
	if w.cfg.Slots != nil {
		r.member = w.cfg.Slots.Join(w.id, r.jobs(), w.loop.Wake)
	}
}

// leaveSlots is for a run that is over, or goes on without this daemon.
func (r *run) leaveSlots() {
	r.short.stop()
	if r.member != nil {
		r.member.Leave()
	}
}

// resized notes that the executor goes by a width from now on.
func (s *share) resized(n int) {
	if n == s.told {
		s.ceiling = n
	}
}

// working is how many executions are with the executor and need a slot once they run.
func (r *run) working() int { return r.inflight - len(r.lent) }

// inUse bounds how many of the slots may be in use at this moment.
func (r *run) inUse() int { return min(r.inflight, max(r.running, r.ceiling)) - len(r.lent) }

// demand is how many slots the run could use.
func (r *run) demand() int {
	n := r.working()
	if r.phase == going {
		n += len(r.queue) - r.head
	}
	if r.req.Jobs > 0 {
		n = min(n, max(r.req.Jobs-len(r.lent), r.running-len(r.lent)))
	}
	return n
}

// shareOut takes and gives back slots, for all runs in turns so that none of them starves.
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

// acquire takes a slot if the run can use one more.
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

// giveBack returns slots that the run has no use for, or that others have a better right to.
func (r *run) giveBack() {
	least := 0
	if r.req.Caller != nil && r.phase >= ended {
		least = 1 // for the command that has started the run, see leaveTo
	}
	for r.slots > max(r.demand(), r.inUse(), least) {
		r.release()
	}
	if r.owed = 0; r.slots == 0 {
		return
	}
	if r.holds.why() != "" { // nothing is started until that is over
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

// tellWidth tells the executor how many executions it may have going, if that makes a difference.
func (r *run) tellWidth() {
	width := max(r.slots-r.owed, r.fresh, 0) + len(r.lent)
	if width != r.told && min(width, r.told) < r.inflight {
		r.told, r.ceiling = width, max(r.ceiling, width)
		r.sess.SetWidth(width)
	}
}

// startedOne notes that the executor has started something.
func (r *run) startedOne(id executor.ID) {
	r.fresh = max(0, r.fresh-1)
	if r.running-len(r.lent) > r.slots { // an executor that was left alone has gone on by itself
		r.member.Claim()
		r.slots++
	}
	if r.callers[id] > 0 {
		r.lend(id)
	}
}

// endedOne notes that an execution is over. One that was not seen to start has used its slot as well.
func (r *run) endedOne(id executor.ID) {
	r.fresh = max(0, r.fresh-1)
	r.takeBack(id)
}

// lend gives the slot of a command back while it waits for another run.
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

// takeBack is for a command that does not wait any more: it goes on at once, whether there is a slot or not.
func (r *run) takeBack(id executor.ID) {
	if _, lent := r.lent[id]; !lent {
		return
	}
	delete(r.lent, id)
	r.slots++
	r.member.TakeBack()
}
