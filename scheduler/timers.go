package scheduler

import "container/heap"

// timerKind is what a timer is for. A node has one of each kind at most.
type timerKind uint8

const (
	timeWait  timerKind = iota // of rare.wait
	timeLimit                  // of an execution, or of all instances
	timeJoin                   // of a round of a join
	timeRate                   // of a sub-flow, for its next instance
	timerKinds
)

// A timer is a moment that something waits for. It is void if the generation of its node has gone on.
type timer struct {
	at   int64
	node int32
	gen  int32
	kind timerKind
}

// timers is a heap of timers, the earliest first, equal ones by node and kind.
type timers struct {
	list      []timer
	announced int64 // the last Timer effect
}

func (t *timers) Len() int { return len(t.list) }
func (t *timers) Less(i, j int) bool {
	a, b := t.list[i], t.list[j]
	if a.at != b.at {
		return a.at < b.at
	}
	return a.node < b.node || a.node == b.node && a.kind < b.kind
}
func (t *timers) Swap(i, j int) { t.list[i], t.list[j] = t.list[j], t.list[i] }
func (t *timers) Push(x any)    { t.list = append(t.list, x.(timer)) }
func (t *timers) Pop() any {
	last := t.list[len(t.list)-1]
	t.list = t.list[:len(t.list)-1]
	return last
}

func (r *Run) addTimer(i int32, kind timerKind, at int64) {
	x := r.makeExtras(i)
	x.timerGens[kind]++
	heap.Push(&r.timers, timer{at, i, x.timerGens[kind], kind})
}

// dropTimer makes a timer void. It leaves the heap when its moment comes, or everything before it has
// gone.
func (r *Run) dropTimer(i int32, kind timerKind) { r.extrasOf(i).timerGens[kind]++ }

func (r *Run) staleTimer(t timer) bool { return r.extrasOf(t.node).timerGens[t.kind] != t.gen }

// tick serves every timer whose moment has come.
func (r *Run) tick() {
	for len(r.timers.list) > 0 && r.timers.list[0].at <= r.now && !r.ended {
		t := heap.Pop(&r.timers).(timer)
		if r.staleTimer(t) {
			continue
		}
		r.dropTimer(t.node, t.kind)
		switch t.kind {
		case timeWait:
			r.activity(t.node).waitOver()
		case timeLimit:
			r.activity(t.node).timeUp()
		case timeJoin:
			r.join(t.node).joinTimeUp()
		case timeRate:
			r.subflow(t.node).rateAllows()
		}
		r.drain()
	}
}

// setTimer tells the caller when the next Tick is wanted, if that is another moment than before.
func (r *Run) setTimer() {
	for len(r.timers.list) > 0 && r.staleTimer(r.timers.list[0]) {
		heap.Pop(&r.timers)
	}
	if at := r.NextTick(); at != r.timers.announced {
		r.timers.announced = at
		r.emit(Effect{Kind: Timer, At: at})
	}
}

// NextTick is the moment at which a Tick is wanted, in nanoseconds since 1970; 0 = none is.
func (r *Run) NextTick() int64 {
	if r.ended || len(r.timers.list) == 0 {
		return 0
	}
	return r.timers.list[0].at
}
