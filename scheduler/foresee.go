package scheduler

import "iter"

// An Upcoming is an execution that Step will ask for as soon as others have succeeded.
type Upcoming struct {
	Node, Execution int
	After           []Source // valid until the next one is yielded
}

// A Source is an execution whose success gives the last tokens of an Upcoming: one that was dispatched,
// or that is foreseen itself.
type Source struct{ Node, Execution int }

// Lookahead yields what is certain to come next, nearest first: executions that Step asks for when the
// last of their After has succeeded, with just this number, and not before. If one of After does not
// succeed, Step never asks for this execution; but what is idempotent and lost executes once more, and
// a later execution of it counts then. A Stop ends all foresight, too.
//
// So it leaves out what anything else can have a say in: nodes that a non-blocking edge leads to, all
// loops, what follows on these, and whatever a resume may activate twice. A run that is to fail fast
// foresees nothing. It changes nothing; no Step may come before the caller has stopped asking.
func (la *lookahead) Lookahead() iter.Seq[Upcoming] {
	return func(yield func(Upcoming) bool) {
		if la.halted || la.opt.FailFast || len(la.inFlight) == 0 {
			return
		}
		if la.gets == nil {
			la.gets = make([]int32, len(la.outer.ids))
		}
		la.search(yield)
		for _, t := range la.touched {
			la.gets[t] = 0
		}
		la.touched = la.touched[:0]
	}
}

// lookahead finds what is certain to come next.
type lookahead struct {
	*state
	inFlight []int32 // nodes that were dispatched, in no order that means anything

	// Scratch of Lookahead:
	gets    []int32 // how many of the tokens that a node misses come from what is in flight or foreseen
	touched []int32 // nodes that get any
	queue   []int32 // what is in flight, then what is foreseen
	after   []Source
}

func (la *lookahead) search(yield func(Upcoming) bool) {
	s := la
	s.queue = append(s.queue[:0], la.inFlight...)
	for at := 0; at < len(s.queue); at++ {
		i := s.queue[at]
		if !la.nodes[i].atMostOnce {
			continue
		}
		for _, j := range la.outer.out.of(i) {
			t := la.outer.edges[j].target
			n := &la.nodes[t]
			if la.marks[j].marked() || !n.atMostOnce || n.activations > 0 || n.executions > 0 {
				continue
			}
			if s.gets[t] == 0 {
				s.touched = append(s.touched, t)
			}
			if s.gets[t]++; s.gets[t] < n.missing {
				continue
			}
			s.queue = append(s.queue, t)
			if !yield(Upcoming{int(t), int(n.executions) + 1, la.sources(t)}) {
				return
			}
		}
	}
}

// sources are the executions that the tokens a node misses come from.
func (la *lookahead) sources(t int32) []Source {
	after := la.after[:0]
	for _, j := range la.outer.in.of(t) {
		if la.marks[j].marked() {
			continue
		}
		i := la.outer.edges[j].source
		n := &la.nodes[i]
		number := int(n.executions)
		if !n.dispatched {
			number++
		}
		after = append(after, Source{int(i), number})
	}
	la.after = after
	return after
}

// findOnce marks the nodes of which Lookahead may speak: those that this run activates once at most, so
// that their next execution is their only one, and about which only success decides. It looks at where
// Start has led.
func (la *lookahead) findAtMostOnce() {
	if len(la.opt.Mocks) > 0 {
		return
	}
	l := la.outer
	triggered, any := make([]bool, len(l.ids)), false
	for _, e := range l.edges {
		if !e.blocking {
			triggered[e.target], any = true, true
		}
	}
	if !any && la.mode == Fresh && la.opt.Flow == nil {
		for i := range la.nodes {
			la.nodes[i].atMostOnce = true
		}
		return
	}
	certain := l.certain()
	most := make([]int32, len(l.ids)) // activations: 0, 1, or 2 for more
	order, alone := l.topological()
	for _, i := range order {
		most[i] = 2
		if !triggered[i] && alone[i] {
			most[i] = min(2, la.nodes[i].activations+la.mostJoins(i, most))
		}
		la.nodes[i].atMostOnce = most[i] <= 1 && (certain == nil || certain[i])
	}
}

// certain finds the nodes that have no rules, that only the success of others leads to, of which the
// same is true, and that lead to others only so; nil = all are.
func (l *layout) certain() []bool {
	if l.rules == nil && l.conditions == nil {
		return nil
	}
	certain := make([]bool, len(l.ids))
	order, _ := l.topological()
	for _, v := range order {
		certain[v] = l.rules == nil || l.rules[v] == nil
		for _, j := range l.out.of(v) {
			certain[v] = certain[v] && (l.conditions == nil || l.conditions[j] == nil)
		}
	}
	return l.spread(order, certain)
}

// spread makes uncertain what uncertain nodes lead to.
func (l *layout) spread(order []int32, certain []bool) []bool {
	for _, v := range order {
		if certain[v] {
			continue
		}
		for _, j := range l.out.of(v) {
			certain[l.edges[j].target] = false
		}
	}
	return certain
}

// mostJoins bounds how often the blocking in-edges of a node can all have a token, given how often
// their sources execute at most.
func (la *lookahead) mostJoins(i int32, most []int32) int32 {
	in := la.outer.in.of(i)
	if len(in) == 0 {
		return 0
	}
	joins := int32(2)
	for _, j := range in {
		tokens := most[la.outer.edges[j].source]
		if la.marks[j].marked() {
			tokens++
		}
		joins = min(joins, tokens)
	}
	return joins
}

// takeOff notes that a node has an execution in flight, land that it has not any more.
func (la *lookahead) addInFlight(i int32) {
	la.nodes[i].flightPos = int32(len(la.inFlight))
	la.inFlight = append(la.inFlight, i)
}

func (la *lookahead) removeInFlight(i int32) {
	last := len(la.inFlight) - 1
	moved := la.inFlight[last]
	la.inFlight[la.nodes[i].flightPos] = moved
	la.nodes[moved].flightPos = la.nodes[i].flightPos
	la.inFlight = la.inFlight[:last]
}
