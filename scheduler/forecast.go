package scheduler

import "wf/graph"

// An Expected is a node that a run would come to.
type Expected struct {
	Node int
	// Certain says that it executes whatever commands put out, as long as they succeed and people agree. Of a
	// node in an instance that is about an instance which there is.
	Certain bool
	Mocked  bool // it takes part without being executed
	Loser   bool // a join may have cancelled it before
	Guess   bool // its instance stands for all of a sub-flow, of which nobody knows how many there will be
	// MayRestart is of a sub-flow that may begin with all its nodes, of which the forecast does not tell one by one:
	// only if something fails, or in another round of a loop.
	MayRestart bool
	// Edges are those that lead to it and of which an outcome decides whether they fire, if it is not Certain.
	Edges []int
}

// Forecast plays a dry run through, and returns the nodes that it would come to in an order in which they
// could begin, each once. Those that it comes to only if something fails are the last. The run is over then.
func (r *Run) Forecast(at int64) []Expected {
	fc := &forecast{r: r, at: at, seen: map[int32]int{}}
	fc.take(r.Step(Event{Kind: Start, At: at}))
	for !r.ended {
		if len(fc.queue) > 0 {
			e := fc.queue[0]
			fc.queue = fc.queue[1:]
			fc.next(e)
			continue
		}
		next := r.NextTick()
		if next == 0 {
			break
		}
		fc.at = max(fc.at, next)
		fc.take(r.Step(Event{Kind: Tick, At: fc.at}))
	}
	if r.opt.Flow == nil {
		for k := range fc.list {
			fc.list[k].Certain = true
		}
		return fc.list
	}
	fc.findLosers()
	fc.findCertain()
	fc.findPossible()
	return fc.list
}

type forecast struct {
	r       *Run
	at      int64
	queue   []Effect
	list    []Expected
	seen    map[int32]int // nodes by their place in list, plus one
	certain []bool        // by node, within its instance
}

func (fc *forecast) add(node int, mocked bool) {
	if fc.seen[int32(node)] == 0 {
		fc.list = append(fc.list, Expected{Node: node, Mocked: mocked, Certain: fc.r.dry == nil || !fc.r.dry.failed})
		fc.seen[int32(node)] = len(fc.list)
	}
}

func (fc *forecast) take(effects []Effect) {
	for _, e := range effects {
		switch {
		case e.Kind == Execute, e.Kind == Waiting && e.Wait == WaitApproval:
			fc.queue = append(fc.queue, e)
		case e.Kind == NodeChanged && e.Mocked && !e.Prior:
			fc.add(e.Node, true)
		case e.Kind == NodeChanged && e.Status == graph.Running && !e.Prior:
			fc.add(e.Node, false) // a sub-flow
		}
	}
}

func (fc *forecast) next(e Effect) {
	r := fc.r
	if e.Kind == Waiting {
		if kind, _, _ := r.Waits(e.Node); kind == WaitApproval {
			fc.take(r.Step(Event{Kind: Decided, Node: e.Node, OK: true, At: fc.at}))
		}
		return
	}
	if !r.Wants(e.Node, e.Execution) {
		return
	}
	fc.add(e.Node, false)
	first := r.nodes[e.Node].executions == 0
	fc.take(r.Step(Event{Kind: Dispatched, Node: e.Node, At: fc.at}))
	ev := Event{Kind: Finished, Node: e.Node, Execution: e.Execution, OK: true, HasExit: true, At: fc.at}
	if !first { // a plain loop is not followed further
		ev.OK, ev.HasExit, ev.Reason = false, false, ReasonCancelled
	}
	fc.take(r.Step(ev))
}

// findCertain finds what happens in any case: what nothing unsure leads to.
func (fc *forecast) findCertain() {
	r := fc.r
	fc.certain = make([]bool, len(r.nodes))
	for changed := true; changed; {
		changed = false
		for _, x := range fc.list {
			if i := int32(x.Node); !fc.certain[i] && fc.isCertain(i) {
				fc.certain[i], changed = true, true
			}
		}
	}
	for k := range fc.list {
		x := &fc.list[k]
		i := int32(x.Node)
		x.Certain = x.Certain && fc.inAnyCase(i)
		for at := i; ; at = r.instanceOf(at).owner {
			x.Loser = x.Loser || r.dry.losers[at]
			if r.instanceNo(at) == 0 {
				break
			}
		}
		x.Guess = r.inRepresentative(r.instanceNo(i))
		if !fc.certain[i] {
			x.Edges = fc.unsureEdges(i)
		}
		x.Certain = x.Certain && !x.Loser
	}
}

// findLosers finds what a join may cancel, or never begin, because it is decided before.
func (fc *forecast) findLosers() {
	r := fc.r
	for k := range r.instances {
		inst := &r.instances[k]
		for v, rules := range inst.lay.rules {
			join := inst.node + int32(v)
			if rules == nil || !rules.CancelLosers || !r.limitsJoin(join) && int(r.needs(join)) >= len(inst.lay.in.of(int32(v))) {
				continue
			}
			for _, loser := range inst.lay.leadingOnlyTo(int32(v)) {
				r.dry.losers[inst.node+loser] = true
			}
		}
	}
}

// inAnyCase says whether a node, and all sub-flows around it, are certain.
func (fc *forecast) inAnyCase(i int32) bool {
	for ; fc.certain[i]; i = fc.r.instanceOf(i).owner {
		if fc.r.instanceNo(i) == 0 {
			return true
		}
	}
	return false
}

func (fc *forecast) isCertain(i int32) bool {
	r := fc.r
	switch r.nodes[i].cause {
	case causeStart, causeResume:
		return true
	}
	inst, need := r.instanceOf(i), r.needs(i)
	in := inst.lay.in.of(i - inst.node)
	fired := int32(0)
	for _, l := range in {
		if fc.firesSurely(inst, l) {
			fired++
		}
	}
	// An edge that does not fire brings a dead mark, but not to a node that has had its token before.
	least := int32(1)
	if r.limitsJoin(i) || r.dry.kept[i] {
		least = int32(len(in))
	}
	if need > 0 && fired >= need && !r.dry.kept[i] || need == 0 && len(in) > 0 && fired >= least {
		return true
	}
	for l, e := range inst.lay.edges {
		if !e.blocking && inst.node+e.target == i && fc.firesSurely(inst, int32(l)) {
			return true
		}
	}
	return false
}

// limitsJoin says whether a join goes on with what has arrived when its time is up.
func (st *state) limitsJoin(i int32) bool {
	rules := st.rulesOf(i)
	return rules != nil && rules.JoinTimeout > 0
}

func (fc *forecast) firesSurely(inst *instance, l int32) bool {
	r, j := fc.r, inst.edge+l
	e := inst.lay.edges[l]
	source, target := inst.node+e.source, inst.node+e.target
	if r.marks[j]&everFired == 0 || r.dry.unsure[j] {
		return false
	}
	if r.nodes[source].activations == 0 { // in an earlier run: what is decided has used it up
		return e.blocking && !r.dry.kept[target]
	}
	return fc.certain[source]
}

// unsureEdges are the edges that may lead to a node.
func (fc *forecast) unsureEdges(i int32) (edges []int) {
	inst := fc.r.instanceOf(i)
	for l, e := range inst.lay.edges {
		if inst.node+e.target == i && !fc.firesSurely(inst, int32(l)) && !fc.r.dry.never[inst.edge+int32(l)] {
			edges = append(edges, int(inst.edge)+l)
		}
	}
	return edges
}

// findPossible adds what the run comes to only if something goes otherwise.
func (fc *forecast) findPossible() {
	r := fc.r
	var queue []int32
	for _, x := range fc.list {
		if !x.Mocked {
			queue = append(queue, int32(x.Node))
		}
	}
	may := map[int32]bool{} // edges
	for ; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		inst := r.instanceOf(i)
		for _, l := range inst.lay.out.of(i - inst.node) {
			j, t := inst.edge+l, inst.node+inst.lay.edges[l].target
			if may[j] = true; r.dry.never[j] || fc.seen[t] > 0 || r.leftAlone(t) || !fc.mayActivate(inst, l, t, may) {
				continue
			}
			fc.list = append(fc.list, Expected{Node: int(t), Guess: r.inRepresentative(r.instanceNo(t)), Edges: fc.unsureEdges(t), Mocked: r.isMocked(t)})
			fc.seen[t] = len(fc.list)
			queue = append(queue, t)
		}
	}
	for k := range fc.list {
		x := &fc.list[k]
		i := int32(x.Node)
		inst := r.instanceOf(i)
		if r.subOf(i) == nil {
			continue
		}
		_, goesOn := r.goesOn(i)
		x.MayRestart = r.nodes[i].activations == 0 && !x.Mocked || goesOn && !inst.lay.single[i-inst.node]
	}
}

// mayActivate says whether an edge that may fire could lead to a node. One that was decided before needs
// the marks of all its edges anew.
func (fc *forecast) mayActivate(inst *instance, l, t int32, may map[int32]bool) bool {
	r := fc.r
	if !inst.lay.edges[l].blocking || !r.dry.kept[t] || !inst.lay.single[t-inst.node] {
		return true
	}
	in, marks := inst.lay.in.of(t-inst.node), int32(0)
	for _, k := range in {
		if m := r.marks[inst.edge+k]; may[inst.edge+k] || m.marked() {
			marks++
		}
	}
	if need := r.needs(t); need > 0 {
		return marks >= need
	}
	return marks == int32(len(in))
}
