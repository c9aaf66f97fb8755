package daemon

import (
	"sync"
	"time"
)

// slots hands out the machine's job slots, max-min fair: a free slot goes to the member that
// wants one and has the fewest, among equals to the one that has waited longest.
//
// A member that is refused waits. As long as it does, a slot is kept for it from everybody who
// ranks behind it. When its turn comes it is woken; if it does not take the slot within patience
// it has lost interest, and the next one is woken.
type slots struct {
	total int

	mu      sync.Mutex // guards what follows and the members; never held while waking
	used    int
	ticket  uint64 // of the latest refusal
	members map[*member]struct{}
}

// patience is how long a woken member may hesitate. Workspaces answer within microseconds.
const patience = 100 * time.Millisecond

// A member is one workspace's share. Its fields are guarded by slots.mu.
type member struct {
	s       *slots
	wake    func()
	have    int
	ticket  uint64      // of its first refusal; 0 = it does not wait
	invited *time.Timer // runs from waking to patience; nil = not woken
	turn    uint64      // counts the wakings: a timer that rings late belongs to an earlier one
}

func newSlots(total int) *slots {
	return &slots{total: total, members: map[*member]struct{}{}}
}

// inUse is how many slots are taken.
func (s *slots) inUse() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// join makes a member. wake must not block; it is never called while TryAcquire, Release or
// Leave of any member holds the lock.
func (s *slots) join(wake func()) *member {
	m := &member{s: s, wake: wake}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members[m] = struct{}{}
	return m
}

// TryAcquire takes a slot, or returns false: wake will be called.
func (m *member) TryAcquire() bool {
	took, richer := m.tryAcquire()
	for _, x := range richer {
		x.wake()
	}
	return took
}

// tryAcquire returns, for a member that begins to wait, those that have more than it.
func (m *member) tryAcquire() (took bool, richer []*member) {
	s := m.s
	s.mu.Lock()
	defer s.mu.Unlock()
	m.disinvite()
	if s.total-s.used > s.ahead(m) {
		s.used++
		m.have++
		m.ticket = 0
		return true, nil
	}
	if m.ticket != 0 {
		return false, nil
	}
	s.ticket++
	m.ticket = s.ticket
	for x := range s.members {
		if x.have > m.have {
			richer = append(richer, x)
		}
	}
	return false, richer
}

// Over is how many slots the member is to give back as soon as it can, because others wait and have
// fewer. It is woken when that may have changed from 0.
func (m *member) Over() int {
	s := m.s
	s.mu.Lock()
	defer s.mu.Unlock()
	over := 0
	for x := range s.members {
		if x.ticket != 0 && x.have < m.have-over {
			over++
		}
	}
	return max(0, over-max(0, s.total-s.used))
}

// Claim takes a slot even when none is free: for processes that an earlier daemon has left
// running. Until enough slots have come back, nobody gets another one.
func (m *member) Claim() {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	m.s.used++
	m.have++
}

// Release gives one slot back.
func (m *member) Release() {
	m.change(func() {
		if m.have == 0 {
			panic("internal error: a slot is released that was not taken")
		}
		m.have--
		m.s.used--
	})
}

// Leave gives all slots back; the member is not woken any more.
func (m *member) Leave() {
	m.change(func() {
		m.disinvite()
		m.s.used -= m.have
		m.have, m.ticket = 0, 0
		delete(m.s.members, m)
	})
}

// lapse ends the wait of a member that was woken for the given turn and did not come.
func (m *member) lapse(turn uint64) {
	m.change(func() {
		if m.invited != nil && m.turn == turn {
			m.invited, m.ticket = nil, 0
		}
	})
}

func (m *member) disinvite() {
	if m.invited != nil {
		m.invited.Stop()
		m.invited = nil
	}
}

// change does what may free a slot, and wakes those who may have one now.
func (m *member) change(f func()) {
	m.s.mu.Lock()
	f()
	woken := m.s.invite()
	m.s.mu.Unlock()
	for _, w := range woken {
		w.wake()
	}
}

// ahead counts the waiting members that rank before m.
func (s *slots) ahead(m *member) int {
	n := 0
	for x := range s.members {
		if x != m && x.ticket != 0 && x.before(m) {
			n++
		}
	}
	return n
}

// before ranks a waiting member; one that only now asks comes last among equals.
func (m *member) before(other *member) bool {
	if m.have != other.have {
		return m.have < other.have
	}
	return other.ticket == 0 || m.ticket < other.ticket
}

// invite marks the waiting members that a free slot is there for and returns those not yet woken.
func (s *slots) invite() []*member {
	var woken []*member
	for m := range s.members {
		if m.ticket != 0 && m.invited == nil && s.total-s.used > s.ahead(m) {
			m.turn++
			turn := m.turn
			m.invited = time.AfterFunc(patience, func() { m.lapse(turn) })
			woken = append(woken, m)
		}
	}
	return woken
}
