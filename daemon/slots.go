package daemon

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"
	"wf/workspace/activerun"
)

// slots distributes the job slots of the machine. A member is one run. A free slot goes to the workspace with the fewest
// slots, in it to the run with the fewest, among equals to the run that has waited longest.
//
// size limits the sum over all runs, and over the runs without a number of jobs. A run with a larger number raises the
// limit of the sum while it is a member.
//
// A refused member waits. While it waits, members that rank behind it do not get a slot that is free for it. On its turn
// it is woken; if it does not take the slot within inviteTime, the next one is woken. Members with more slots than a waiting
// one are asked to return slots (Over), but not before they have had them for the time turn.
type slots struct {
	size int

	mu      sync.Mutex // guards the fields below and the members; not held during calls of wake
	total   int        // the limit of the sum at present
	used    int
	plain   int    // of used: slots of runs without a number of jobs
	ticket  uint64 // of the latest refusal
	groups  map[string]*group
	members map[*member]struct{}
	queue   []*member // waiting members, in the order of their turns after sort
	asked   bool      // some member is asked to give back slots
}

// inviteTime is how long a woken member may take to use its turn. Workspaces need microseconds.
const inviteTime = 100 * time.Millisecond

// turn is how long a member may keep a slot before it is asked to give it back: passing on a slot after each of many short
// commands costs more than the commands.
const turn = 100 * time.Millisecond

// A group is the runs of one workspace.
type group struct {
	members int
	have    int // slots of its members, including lent ones
}

// A member is one run's share. Its fields are guarded by slots.mu.
type member struct {
	s       *slots
	g       *group
	id      string // of the group
	jobs    int    // the run's number of jobs; 0 = none was given, or activerun.NoLimit
	wake    func()
	have    int
	lent    int         // returned while a command waits for another run
	since   time.Time   // of the latest slot
	asked   int         // the latest result of Over
	review  *time.Timer // runs until Over may ask for more; nil = it does not
	ticket  uint64      // of its first refusal; 0 = it does not wait
	invited *time.Timer // runs from waking to inviteTime; nil = not woken
	turn    uint64      // counts the wake-ups: a late timer belongs to an earlier one
	gone    bool
}

func newSlots(size int) *slots {
	return &slots{size: size, total: size, groups: map[string]*group{}, members: map[*member]struct{}{}}
}

// inUse returns the number of taken slots, and the limit of the sum or activerun.NoLimit.
func (s *slots) inUse() (used, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total == math.MaxInt {
		return s.used, activerun.NoLimit
	}
	return s.used, s.total
}

// join adds a member. wake must not block; it is called without the lock.
func (s *slots) join(id string, jobs int, wake func()) *member {
	m := &member{s: s, id: id, jobs: jobs, wake: wake}
	m.change(func() {
		if m.g = s.groups[id]; m.g == nil {
			m.g = &group{}
			s.groups[id] = m.g
		}
		m.g.members++
		s.members[m] = struct{}{}
		s.limit()
	})
	return m
}

// limit updates the limit of the sum.
func (s *slots) limit() {
	s.total = s.size
	for m := range s.members {
		s.total = max(s.total, m.most())
	}
}

// plain reports whether the run has no number of jobs.
func (m *member) plain() bool { return m.jobs == 0 }

// most returns how many slots the run may have.
func (m *member) most() int {
	switch m.jobs {
	case 0:
		return m.s.size
	case activerun.NoLimit:
		return math.MaxInt
	}
	return m.jobs
}

// full reports whether the run has as many slots as it may have.
func (m *member) full() bool { return m.have+m.lent >= m.most() }

// add gives n slots to the member, or takes them.
func (m *member) add(n int) {
	m.have += n
	m.g.have += n
	m.s.used += n
	if m.plain() {
		m.s.plain += n
	}
}

// TryAcquire is activerun.SlotMember.TryAcquire.
func (m *member) TryAcquire() (took bool) {
	s := m.s
	s.mu.Lock()
	if m.gone || m.ticket == 0 && m.full() || m.ticket != 0 && m.invited == nil { // a waiting member is woken when it is its turn
		s.mu.Unlock()
		return false
	}
	m.stopWaiting(&m.invited)
	if m.full() {
		m.leaveQueue()
	} else if took = s.fits(m); took {
		m.add(1)
		m.leaveQueue()
		m.since = time.Now()
	} else if m.ticket == 0 {
		s.ticket++
		m.ticket = s.ticket
		s.queue = append(s.queue, m)
	}
	woken := s.settle()
	s.mu.Unlock()
	wake(woken)
	return took
}

// Machine is activerun.SlotMember.Machine.
func (m *member) Machine() (limit, used int) {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	if m.plain() && m.s.plain >= m.s.size {
		return m.s.size, m.s.plain
	}
	return m.s.total, m.s.used
}

// Decline is activerun.SlotMember.Decline.
func (m *member) Decline() {
	m.s.mu.Lock()
	waits := m.ticket != 0
	m.s.mu.Unlock()
	if waits {
		m.change(m.leaveQueue)
	}
}

// Over is activerun.SlotMember.Over.
func (m *member) Over() int {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	m.asked = m.s.excess(m)
	if len(m.s.queue) > 0 && time.Since(m.since) >= turn {
		m.s.sort()
		m.asked = m.s.over(m)
	}
	m.s.asked = m.s.asked || m.asked > 0
	return m.asked
}

// Claim is activerun.SlotMember.Claim.
func (m *member) Claim() { m.change(func() { m.add(1) }) }

// Release is activerun.SlotMember.Release.
func (m *member) Release() { m.change(m.release) }

func (m *member) release() {
	if m.have == 0 {
		panic("internal error: a slot is released that was not taken")
	}
	m.add(-1)
}

// Lend is activerun.SlotMember.Lend. Lent slots count in the ranking, so that the nested run comes before its parent.
func (m *member) Lend() {
	m.change(func() {
		m.release()
		m.lent++
		m.g.have++
	})
}

// TakeBack is activerun.SlotMember.TakeBack.
func (m *member) TakeBack() {
	m.change(func() {
		if m.lent == 0 {
			panic("internal error: a slot is taken back that was not lent")
		}
		m.lent--
		m.g.have--
		m.add(1)
	})
}

// Leave is activerun.SlotMember.Leave.
func (m *member) Leave() {
	m.change(func() {
		if m.gone {
			return
		}
		m.gone = true
		m.leaveQueue()
		m.stopWaiting(&m.review)
		m.g.have -= m.lent
		m.add(-m.have)
		delete(m.s.members, m)
		if m.g.members--; m.g.members == 0 {
			delete(m.s.groups, m.id)
		}
		m.s.limit()
	})
}

// expireInvitation ends the wait of a member that was woken for the given turn and did not take a slot.
func (m *member) expireInvitation(turn uint64) {
	m.change(func() {
		if m.invited != nil && m.turn == turn {
			m.leaveQueue()
		}
	})
}

func (m *member) leaveQueue() {
	m.stopWaiting(&m.invited)
	if m.ticket != 0 {
		m.ticket = 0
		m.s.queue = slices.DeleteFunc(m.s.queue, func(x *member) bool { return x == m })
	}
}

func (m *member) stopWaiting(t **time.Timer) {
	if *t != nil {
		(*t).Stop()
		*t = nil
	}
}

// change runs f, which may free a slot, and wakes the members that can get one now.
func (m *member) change(f func()) {
	m.s.mu.Lock()
	f()
	woken := m.s.settle()
	m.s.mu.Unlock()
	wake(woken)
}

func wake(members []*member) {
	for _, m := range members {
		m.wake()
	}
}

// settle returns the members to wake: those whose turn has come, and those for which the result of Over has changed.
func (s *slots) settle() (woken []*member) {
	if len(s.queue) == 0 && !s.asked && s.used <= s.total && s.plain <= s.size {
		return nil
	}
	s.sort()
	left := s.left()
	for _, m := range s.queue {
		if !left.take(m) || m.invited != nil {
			continue
		}
		m.turn++
		turn := m.turn
		m.invited = time.AfterFunc(inviteTime, func() { m.expireInvitation(turn) })
		woken = append(woken, m)
	}
	s.asked = false
	for m := range s.members {
		if m.have == 0 && m.asked == 0 {
			continue
		}
		over := s.over(m)
		s.asked = s.asked || m.asked > 0
		switch wait := turn - time.Since(m.since); {
		case over == m.asked:
		case over > m.asked && wait > 0 && m.asked >= s.excess(m):
			if m.review == nil {
				m.review = time.AfterFunc(wait, func() { m.wakeForReview() })
			}
		default:
			woken = append(woken, m)
		}
	}
	return woken
}

// wakeForReview wakes a member that has had its turn.
func (m *member) wakeForReview() {
	m.s.mu.Lock()
	m.review = nil
	gone := m.gone
	m.s.mu.Unlock()
	if !gone {
		m.wake()
	}
}

func (s *slots) sort() {
	slices.SortFunc(s.queue, func(a, b *member) int {
		return cmp.Or(cmp.Compare(a.g.have, b.g.have), cmp.Compare(a.have+a.lent, b.have+b.lent), cmp.Compare(a.ticket, b.ticket))
	})
}

// left contains the numbers of free slots.
type left struct{ all, plain int }

func (s *slots) left() left { return left{s.total - s.used, s.size - s.plain} }

// take takes a slot for a member and reports whether there was one.
func (l *left) take(m *member) bool {
	if l.all <= 0 || m.plain() && l.plain <= 0 {
		return false
	}
	l.all--
	if m.plain() {
		l.plain--
	}
	return true
}

// fits reports whether there is a slot for a member in addition to those for the members before it.
func (s *slots) fits(m *member) bool {
	left := s.left()
	if len(s.queue) > 0 {
		s.sort()
		for _, x := range s.queue {
			if x == m {
				break
			}
			if m.ticket == 0 && !x.before(m) {
				break
			}
			left.take(x)
		}
	}
	return left.take(m)
}

// before reports whether a waiting member ranks before other, which does not wait yet and comes last among equals.
func (m *member) before(other *member) bool {
	return cmp.Or(cmp.Compare(m.g.have, other.g.have), cmp.Compare(m.have+m.lent, other.have+other.lent)) <= 0
}

// over returns how many slots a member has to give back for waiting members with fewer. Several members are asked for the
// same slot, because any of their commands may end first. The queue is sorted.
func (s *slots) over(m *member) int {
	over, left := 0, s.left()
	for _, x := range s.queue {
		switch {
		case left.take(x), x == m:
		case x.plain() && left.plain <= 0 && !m.plain(): // m has no slot that x could use
		case x.g != m.g && x.g.have < m.g.have-over, x.g == m.g && x.have+x.lent < m.have+m.lent-over:
			over++
		}
	}
	return max(s.excess(m), min(over, m.have))
}

// excess returns how many slots a member has to give back because more slots are in use than exist: commands continued
// after waiting for other runs, or an earlier daemon started them.
func (s *slots) excess(m *member) int {
	n := s.used - s.total
	if m.plain() {
		n = max(n, s.plain-s.size)
	}
	return min(max(n, 0), m.have)
}
