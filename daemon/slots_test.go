package daemon

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"wf/workspace/activerun"
)

func TestFreeSlotGoesToTheRunWithFewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(3)
		var woken int
		a, b := s.join("a", 0, func() {}), s.join("b", 0, func() { woken++ })
		for range 3 {
			if !a.TryAcquire() {
				t.Fatal("a free slot is refused")
			}
		}
		if b.TryAcquire() {
			t.Fatal("more slots are given out than exist")
		}
		a.Release()
		if woken != 1 {
			t.Errorf("b was woken %d times", woken)
		}
		if a.TryAcquire() {
			t.Error("a took the slot back although b waits with fewer")
		}
		if !b.TryAcquire() {
			t.Error("b does not get the slot it was woken for")
		}
		a.Leave()
		b.Leave()
	})
}

func TestOneSlotAlternates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1)
		members := []*member{s.join("a", 0, func() {}), s.join("b", 0, func() {})}
		members[0].TryAcquire()
		members[1].TryAcquire()
		for i := range 10 {
			has, waits := members[i%2], members[(i+1)%2]
			has.Release()
			if has.TryAcquire() {
				t.Fatalf("round %d: the same member got it again", i)
			}
			if !waits.TryAcquire() {
				t.Fatalf("round %d: the waiting member is refused", i)
			}
		}
		members[0].Leave()
		members[1].Leave()
	})
}

func TestMemberThatDoesNotTakeItsTurnBlocksNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1)
		var woken atomic.Bool // two timers may fire at once
		a, b := s.join("a", 0, func() { woken.Store(true) }), s.join("b", 0, func() {})
		a.TryAcquire()
		b.TryAcquire() // refused; then its run is stopped, so it does not try again
		a.Release()
		if a.TryAcquire() {
			t.Fatal("b was passed over")
		}
		time.Sleep(inviteTime)
		synctest.Wait()
		if !woken.Load() || !a.TryAcquire() {
			t.Errorf("a woken %v, and still refused", woken.Load())
		}
		a.Leave()
		b.Leave()
	})
}

func TestMemberWithMoreSlotsIsAskedToGiveBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(3)
		var asked atomic.Int32
		a, b := s.join("a", 0, func() { asked.Add(1) }), s.join("b", 0, func() {})
		for range 3 {
			a.TryAcquire()
		}
		if n := a.Over(); n != 0 {
			t.Errorf("%d over without a waiting member", n)
		}
		b.TryAcquire()
		b.TryAcquire()
		if n := a.Over(); n != 0 {
			t.Errorf("%d over before the end of its turn", n)
		}
		time.Sleep(turn)
		synctest.Wait()
		if over := a.Over(); asked.Load() != 1 || over != 1 || b.Over() != 0 {
			t.Errorf("asked %d times; a is over by %d, b by %d", asked.Load(), over, b.Over())
		}
		a.Release()
		if asked.Load() != 2 || a.Over() != 0 {
			t.Errorf("asked %d times; a is asked for more than the free slot that b is about to take", asked.Load())
		}
		if !b.TryAcquire() {
			t.Error("b does not get what a gave back")
		}
		a.Leave()
		b.Leave()
	})
}

// TestRequestToGiveBackIsWithdrawn checks that several members are asked for the same slot, and are woken when one of them
// has given it back, because they started no commands meanwhile.
func TestRequestToGiveBackIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(2)
		wakeups := 0
		a, b, c := s.join("a", 0, func() {}), s.join("b", 0, func() { wakeups++ }), s.join("c", 0, func() {})
		a.TryAcquire()
		b.TryAcquire()
		c.TryAcquire()
		time.Sleep(turn)
		synctest.Wait()
		if a.Over() != 1 || b.Over() != 1 {
			t.Error("Over is 0 although a and b have had their turn and c waits")
		}
		wakeups = 0
		a.Release()
		c.TryAcquire()
		if wakeups == 0 || b.Over() != 0 {
			t.Errorf("b was woken %d times, and is over by %d", wakeups, b.Over())
		}
		for _, m := range []*member{a, b, c} {
			m.Leave()
		}
	})
}

// TestRunWithMoreJobsRaisesTheLimit checks that a run with more jobs than slots raises the total limit while it is active,
// but not the limit of runs without a number of jobs.
func TestRunWithMoreJobsRaisesTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(2)
		take := func(m *member) (n int) {
			for m.TryAcquire() {
				n++
			}
			return n
		}
		few, more := s.join("few", 0, func() {}), s.join("more", 8, func() {})
		if f, m := take(few), take(more); f != 2 || m != 6 {
			t.Errorf("%d and %d slots, want 2 and 6", f, m)
		}
		all := s.join("all", activerun.NoLimit, func() {})
		for range 100 {
			if !all.TryAcquire() {
				t.Fatal("refused without a limit")
			}
		}
		if n := take(more); n != 2 {
			t.Errorf("%d more slots, want 2: the run may have 8", n)
		}
		other := s.join("other", 0, func() {})
		if n := take(other); n != 0 {
			t.Errorf("%d slots for a run without a number of jobs, although another run has all", n)
		}
		all.Leave()
		more.Leave()
		if used, total := s.inUse(); used != 2 || total != 2 {
			t.Errorf("%d of %d in use, want 2 of 2", used, total)
		}
		few.Leave()
		other.Leave()
	})
}

// TestLentSlots checks that other runs get a lent slot, the nested run before its parent.
func TestLentSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(2)
		parent, child := s.join("parent", 0, func() {}), s.join("child", 0, func() {})
		parent.TryAcquire()
		parent.TryAcquire()
		child.TryAcquire() // refused
		parent.Lend()
		if parent.TryAcquire() || !child.TryAcquire() {
			t.Error("the slot is for the child")
		}
		parent.Lend()
		if !child.TryAcquire() || parent.TryAcquire() {
			t.Error("a run without a number of jobs has more commands than slots, including waiting ones")
		}
		parent.TakeBack()
		if used, _ := s.inUse(); used != 3 || parent.Over() != 1 {
			t.Errorf("%d in use, want 3: the command continues; the parent is over by %d", used, parent.Over())
		}
		child.Leave()
		parent.Leave()
		if used, _ := s.inUse(); used != 0 || len(s.groups) != 0 {
			t.Errorf("%d in use after all have left, %d groups", used, len(s.groups))
		}
	})
}

// TestFairBetweenWorkspaces checks that workspaces get equal shares for any number of runs, and so do the runs of one.
func TestFairBetweenWorkspaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(4)
		a1, a2, b := s.join("a", 0, func() {}), s.join("a", 0, func() {}), s.join("b", 0, func() {})
		for range 4 {
			a1.TryAcquire()
		}
		b.TryAcquire()
		a2.TryAcquire()
		for range 3 {
			a1.Release()
			for _, m := range []*member{a2, b} {
				m.TryAcquire()
			}
		}
		if a1.have != 1 || a2.have != 1 || b.have != 2 {
			t.Errorf("%d and %d of one workspace, %d of the other", a1.have, a2.have, b.have)
		}
		for _, m := range []*member{a1, a2, b} {
			m.Leave()
		}
	})
}

func TestClaimGoesBeyondTheLimit(t *testing.T) {
	s := newSlots(1)
	m := s.join("a", 0, func() {})
	m.Claim()
	m.Claim()
	m.Release()
	if m.TryAcquire() {
		t.Error("a slot was given although all are in use")
	}
	m.Release()
	if !m.TryAcquire() {
		t.Error("a free slot is refused")
	}
	m.Leave()
	if n, _ := s.inUse(); n != 0 {
		t.Errorf("%d in use after all have left", n)
	}
}
