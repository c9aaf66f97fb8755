package daemon

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestSlotsGoToTheOneWithFewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(3)
		var woken int
		a, b := s.join(func() {}), s.join(func() { woken++ })
		for range 3 {
			if !a.TryAcquire() {
				t.Fatal("a free slot is refused")
			}
		}
		if b.TryAcquire() {
			t.Fatal("there are more slots than there are")
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
		members := []*member{s.join(func() {}), s.join(func() {})}
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

func TestWhoLosesInterestBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1)
		var woken bool
		a, b := s.join(func() { woken = true }), s.join(func() {})
		a.TryAcquire()
		b.TryAcquire() // refused; then its run is stopped and it never asks again
		a.Release()
		if a.TryAcquire() {
			t.Fatal("b was passed over")
		}
		time.Sleep(patience)
		synctest.Wait()
		if !woken || !a.TryAcquire() {
			t.Errorf("a woken %v, and refused for ever", woken)
		}
		a.Leave()
		b.Leave()
	})
}

func TestWhoHasMoreIsAskedToGiveBack(t *testing.T) {
	s := newSlots(3)
	asked := 0
	a, b := s.join(func() { asked++ }), s.join(func() {})
	for range 3 {
		a.TryAcquire()
	}
	if n := a.Over(); n != 0 {
		t.Errorf("%d over while nobody waits", n)
	}
	b.TryAcquire()
	b.TryAcquire() // asks once more: a knows already
	if asked != 1 || a.Over() != 1 || b.Over() != 0 {
		t.Errorf("asked %d times; a is over by %d, b by %d", asked, a.Over(), b.Over())
	}
	a.Release()
	if a.Over() != 0 {
		t.Error("a is asked for more than the free slot that b is about to take")
	}
	if !b.TryAcquire() {
		t.Error("b does not get what a gave back")
	}
	a.Leave()
	b.Leave()
}

func TestClaimGoesBeyondTheLimit(t *testing.T) {
	s := newSlots(1)
	m := s.join(func() {})
	m.Claim()
	m.Claim()
	m.Release()
	if m.TryAcquire() {
		t.Error("a slot was given although as many are in use as there are")
	}
	m.Release()
	if !m.TryAcquire() {
		t.Error("a free slot is refused")
	}
	m.Leave()
	if n := s.inUse(); n != 0 {
		t.Errorf("%d in use after all have left", n)
	}
}

// worker is a member with work to do: it takes slots when it is woken and gives back at random.
type worker struct {
	*member
	todo  int
	woken bool
}

// TestSlotsServeEverybody: never more than the total, never less fair than by one among those
// who wait, everybody's work gets done, and nothing is left in use.
func TestSlotsServeEverybody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 5).Draw(t, "total")
		s := newSlots(total)
		workers := make([]*worker, rapid.IntRange(1, 5).Draw(t, "workers"))
		left := 0
		for i := range workers {
			w := &worker{todo: rapid.IntRange(0, 12).Draw(t, "todo"), woken: true}
			w.member = s.join(func() { w.woken = true })
			workers[i] = w
			left += w.todo
		}
		for steps := 0; left > 0 || s.inUse() > 0; steps++ {
			if steps > 5000 {
				t.Fatalf("%d left, %d in use: nobody gets on", left, s.inUse())
			}
			w := workers[rapid.IntRange(0, len(workers)-1).Draw(t, "who")]
			if w.have > 0 && rapid.Bool().Draw(t, "release") {
				w.Release()
				w.woken = true // its loop turns anyway
			}
			for w.woken && w.todo > 0 && w.TryAcquire() {
				w.todo--
				left--
			}
			w.woken = false
			if n := s.inUse(); n > total {
				t.Fatalf("%d of %d slots in use", n, total)
			}
		}
		for _, w := range workers {
			w.Leave()
		}
	})
}
