package scheduler

import "container/heap"

// timerKind is the purpose of a timer. A node has at most one timer of each kind.
type timerKind uint8

const (
	timeWait  timerKind = iota // extras.wait
	timeLimit                  // the timeout of an execution, or of all instances
	timeJoin                   // the join_timeout of a round
	timeRate                   // the next instance of a sub-flow with a rate
	timerKinds
)

// A timer is a moment that a node waits for. Dropping it only counts on the generation in the extras
// of the node: a timer of an earlier generation is stale.
type timer struct {
	at    int64
	node  nodeID
	owner *extras
	gen   int32
	kind  timerKind
}

func (t timer) stale() bool { return t.owner.timerGens[t.kind] != t.gen }

// dropTimer makes a timer of the node stale.
func (x *extras) dropTimer(kind timerKind) { x.timerGens[kind]++ }

// timers is a heap of timers, the earliest first, those of the same moment by node and kind.
type timers struct {
	list      []timer
	announced int64 // the moment of the last Timer effect
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

// add starts a timer; the one of the same kind that the node had is stale.
func (t *timers) add(node nodeID, x *extras, kind timerKind, at int64) {
	x.timerGens[kind]++
	heap.Push(t, timer{at, node, x, x.timerGens[kind], kind})
}

// due takes out a timer whose moment has come, and drops it. It skips stale ones.
func (t *timers) due(now int64) (due timer, ok bool) {
	for len(t.list) > 0 && t.list[0].at <= now {
		if first := heap.Pop(t).(timer); !first.stale() {
			first.owner.dropTimer(first.kind)
			return first, true
		}
	}
	return timer{}, false
}

// next returns the earliest moment; 0 = there is none. A stale timer counts until trim.
func (t *timers) next() int64 {
	if len(t.list) == 0 {
		return 0
	}
	return t.list[0].at
}

// trim removes stale timers from the front.
func (t *timers) trim() {
	for len(t.list) > 0 && t.list[0].stale() {
		heap.Pop(t)
	}
}

// shift moves the timers that measure a duration, because the clock was set. A timer for a moment that
// the workfile names stays.
func (t *timers) shift(by int64) {
	for k := range t.list {
		if timer := &t.list[k]; timer.kind != timeWait || !timer.owner.fixed {
			timer.at += by
		}
	}
	heap.Init(t)
}

// tick serves every timer whose moment has come.
func (r *Run) tick() {
	for !r.ended {
		t, ok := r.timers.due(r.now)
		if !ok {
			return
		}
		switch t.kind {
		case timeWait:
			r.activity(t.node).waitOver()
		case timeLimit:
			r.activity(t.node).timeUp()
		case timeJoin:
			r.join(t.node).timeUp()
		case timeRate:
			r.subflow(t.node).rateAllows()
		}
		r.drain()
	}
}

// announceTimer emits a Timer effect if the next Tick is wanted at another moment than before.
func (r *Run) announceTimer() {
	r.timers.trim()
	if at := r.NextTick(); at != r.timers.announced {
		r.timers.announced = at
		r.emit(Effect{Kind: Timer, At: at})
	}
}

// NextTick returns the moment at which a Tick is wanted, in nanoseconds since 1970; 0 = none is.
func (r *Run) NextTick() int64 {
	if r.ended {
		return 0
	}
	return r.timers.next()
}

// clockSet adapts the run to a wall clock that was set forward or back by ev.By: the time of the run is now
// ev.At. Durations (timeout, wait, delays, approve_timeout, join_timeout) keep what was left of them; wait_until
// keeps its moment.
func (r *Run) clockSet(ev *Event) {
	r.now = ev.At
	r.timers.shift(ev.By)
	for i := range r.control {
		if x := r.control[i].extras; x != nil && x.wait != WaitNone && x.until > 0 && !x.fixed {
			x.until += ev.By
			r.emit(Effect{Kind: Waiting, Node: i, Wait: x.wait, At: x.until, Message: x.text})
		}
	}
	r.tick()
}
