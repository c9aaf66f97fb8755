package scheduler

import "iter"

// An Upcoming is an execution that Step will ask for as soon as others have succeeded.
type Upcoming struct {
	Node, Execution int
	After           []Source // valid until the next one is yielded
}

// A Source is an execution whose success gives the last tokens of an Upcoming: one that was dispatched, or
// is upcoming itself.
type Source struct{ Node, Execution int }

// Lookahead yields the executions that are certain to come next, nearest first: Step asks for each of them,
// with just this number, when the last of its After has succeeded, and not before. If one of After does not
// succeed, Step never asks for the execution; but an idempotent execution that is lost executes once more,
// and then its later execution counts. A Stop makes all of them void, too.
//
// So it leaves out nodes that anything else can influence: targets of non-blocking edges, all loops, what
// follows them, and whatever a resume may activate twice. A run with FailFast has no lookahead. Lookahead
// changes nothing; the caller must not call Step before the iteration ends.
func (la *lookahead) Lookahead() iter.Seq[Upcoming] {
	return func(yield func(Upcoming) bool) {
		if la.halted || la.opt.FailFast || len(la.inFlight) == 0 {
			return
		}
		if la.gets == nil {
			la.gets, la.foreseen = make([]int32, len(la.outer.ids)), make([]bool, len(la.outer.ids))
		}
		la.search(yield)
		for _, t := range la.touched {
			la.gets[t] = 0
		}
		la.touched = la.touched[:0]
	}
}

// lookahead finds the executions that are certain to come next.
type lookahead struct {
	*state
	inFlight []nodeID // nodes that were dispatched, in no particular order
	foreseen []bool   // see Foreseen; nil before the first search

	// Scratch of Lookahead:
	gets    []int32  // how many missing tokens of a node come from executions in flight or upcoming
	touched []nodeID // nodes that get any
	queue   []nodeID // executions in flight, then upcoming ones
	after   []Source
}

// search visits the nodes behind the executions in flight, nearest first.
func (la *lookahead) search(yield func(Upcoming) bool) {
	s := la
	s.queue = append(s.queue[:0], la.inFlight...)
	for at := 0; at < len(s.queue); at++ {
		i := s.queue[at]
		if !la.nodes[i].atMostOnce {
			continue
		}
		foreseen := true
		for _, j := range la.instances[0].out(i) {
			t := la.instances[0].target(j)
			n := &la.nodes[t]
			if la.marks[j].marked() || !n.atMostOnce || n.activations > 0 || n.executions > 0 {
				foreseen = false
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
		la.foreseen[i] = foreseen
	}
}

// Foreseen reports whether Lookahead has yielded all executions that the success of a node's only execution leads to. It
// returns false also if the iteration ended too early to tell.
func (la *lookahead) Foreseen(node int) bool { return node < len(la.foreseen) && la.foreseen[node] }

// sources returns the executions that the missing tokens of a node come from.
func (la *lookahead) sources(t nodeID) []Source {
	after := la.after[:0]
	for _, j := range la.instances[0].in(t) {
		if la.marks[j].marked() {
			continue
		}
		i := la.instances[0].source(j)
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

// findAtMostOnce marks the nodes that Lookahead may yield: this run activates them at most once, so that
// their next execution is their only one, and only success decides about them. It looks at the state after
// Start.
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

// certain returns the nodes that have no rules but plain resources, whose out-edges have no conditions, and to which only such
// nodes lead; nil = all are.
func (l *layout) certain() []bool {
	if l.rules == nil && l.conditions == nil {
		return nil
	}
	certain := make([]bool, len(l.ids))
	order, _ := l.topological()
	for _, v := range order {
		certain[v] = l.rules == nil || l.rules[v].Certain()
		for _, j := range l.out.of(v) {
			certain[v] = certain[v] && (l.conditions == nil || l.conditions[j] == nil)
		}
	}
	return l.spread(order, certain)
}

// spread marks all nodes behind uncertain nodes as uncertain.
func (l *layout) spread(order []localNode, certain []bool) []bool {
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

// mostJoins bounds how often the blocking in-edges of a node can all have a token, given how often their
// sources execute at most.
func (la *lookahead) mostJoins(v localNode, most []int32) int32 {
	in := la.outer.in.of(v)
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

// addInFlight notes that a node was dispatched.
func (la *lookahead) addInFlight(i nodeID) {
	la.nodes[i].flightPos = int32(len(la.inFlight))
	la.inFlight = append(la.inFlight, i)
}

// removeInFlight notes that the dispatched execution of a node is over.
func (la *lookahead) removeInFlight(i nodeID) {
	last := len(la.inFlight) - 1
	moved := la.inFlight[last]
	la.inFlight[la.nodes[i].flightPos] = moved
	la.nodes[moved].flightPos = la.nodes[i].flightPos
	la.inFlight = la.inFlight[:last]
}
