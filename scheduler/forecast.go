package scheduler

import "wf/graph"

// An Expected is a node that a run would reach.
type Expected struct {
	Node int
	// Certain says that it executes whatever the outputs are, as long as commands succeed and approvals are granted.
	// For a node in an instance it assumes that the instance exists.
	Certain bool
	Mocked  bool // it is mocked
	Loser   bool // a join may have cancelled it before
	Guess   bool // its instance represents all instances of a sub-flow, whose number is unknown
	// MayRestart says of a sub-flow that it may start with all its nodes, which the forecast does not list one by one:
	// only if something fails, or in another round of a loop.
	MayRestart bool
	// Edges, if it is not Certain, are the edges to it that fire only with some outcomes.
	Edges []int
}

// Forecast plays a dry run, and returns the nodes that it reaches in an order in which they could start,
// each once. Nodes that it reaches only if something fails come last. The run is over then.
func (r *Run) Forecast(at int64) []Expected {
	fc := &forecast{r: r, at: at, seen: map[nodeID]int{}}
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
	seen    map[nodeID]int // place of a node in list, plus one
	certain []bool         // by node, within its instance
}

func (fc *forecast) add(node int, mocked bool) {
	if fc.seen[nodeID(node)] == 0 {
		fc.list = append(fc.list, Expected{Node: node, Mocked: mocked, Certain: fc.r.dry == nil || !fc.r.dry.failed})
		fc.seen[nodeID(node)] = len(fc.list)
	}
}

func (fc *forecast) take(effects []Effect) {
	for _, e := range effects {
		switch {
		case e.Kind == Execute, e.Kind == ListItems, e.Kind == Waiting && e.Wait == WaitApproval:
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
	if e.Kind == ListItems {
		fc.listItems(e.Node)
		return
	}
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

// listItems answers the request for a table.
func (fc *forecast) listItems(node int) {
	r := fc.r
	if !r.Lists(node) {
		return
	}
	var items []any
	if r.opt.ReadTable != nil {
		items = r.opt.ReadTable(node, r.Table(node))
	}
	fc.take(r.Step(Event{Kind: Listed, Node: node, OK: true, Items: items, At: fc.at}))
}

// findCertain finds the nodes that execute in any case: no unsure edge decides about them.
func (fc *forecast) findCertain() {
	r := fc.r
	fc.certain = make([]bool, len(r.nodes))
	for changed := true; changed; {
		changed = false
		for _, x := range fc.list {
			if i := nodeID(x.Node); !fc.certain[i] && fc.isCertain(i) {
				fc.certain[i], changed = true, true
			}
		}
	}
	for k := range fc.list {
		x := &fc.list[k]
		i := nodeID(x.Node)
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

// findLosers finds the nodes that a join may cancel, or keep from starting, because it decides before them.
func (fc *forecast) findLosers() {
	r := fc.r
	for k := range r.instances {
		inst := &r.instances[k]
		for v := range localNode(len(inst.lay.rules)) {
			rules := inst.lay.rules[v]
			join := inst.nodeID(v)
			if rules == nil || !rules.CancelLosers || !r.limitsJoin(join) && int(r.needs(join)) >= len(inst.lay.in.of(v)) {
				continue
			}
			for _, loser := range inst.lay.leadingOnlyTo(v) {
				r.dry.losers[inst.nodeID(loser)] = true
			}
		}
	}
}

// inAnyCase reports whether a node, and all sub-flows around it, are certain.
func (fc *forecast) inAnyCase(i nodeID) bool {
	for ; fc.certain[i]; i = fc.r.instanceOf(i).owner {
		if fc.r.instanceNo(i) == 0 {
			return true
		}
	}
	return false
}

func (fc *forecast) isCertain(i nodeID) bool {
	r := fc.r
	switch r.nodes[i].cause {
	case causeStart, causeResume:
		return true
	}
	inst, need := r.instanceOf(i), r.needs(i)
	in := inst.in(i)
	fired := int32(0)
	for _, l := range in {
		if fc.firesSurely(inst, l) {
			fired++
		}
	}
	// An edge that does not fire brings a dead mark, but not to a node that had its token before.
	least := int32(1)
	if r.limitsJoin(i) || r.dry.kept[i] {
		least = int32(len(in))
	}
	if need > 0 && fired >= need && !r.dry.kept[i] || need == 0 && len(in) > 0 && fired >= least {
		return true
	}
	for l := range inst.lay.edgeCount() {
		e := inst.lay.edges[l]
		if !e.blocking && inst.nodeID(e.target) == i && fc.firesSurely(inst, l) {
			return true
		}
	}
	return false
}

// limitsJoin reports whether the join of a node has a join_timeout.
func (st *state) limitsJoin(i nodeID) bool {
	rules := st.rulesOf(i)
	return rules != nil && rules.JoinTimeout > 0
}

func (fc *forecast) firesSurely(inst *instance, l localEdge) bool {
	r, j := fc.r, inst.edgeID(l)
	e := inst.lay.edges[l]
	source, target := inst.nodeID(e.source), inst.nodeID(e.target)
	if r.marks[j]&everFired == 0 || r.dry.unsure[j] {
		return false
	}
	if r.nodes[source].activations == 0 { // it fired in an earlier run, and a decided target has used the token up
		return e.blocking && !r.dry.kept[target]
	}
	return fc.certain[source]
}

// unsureEdges returns the edges that may lead to a node.
func (fc *forecast) unsureEdges(i nodeID) (edges []int) {
	inst := fc.r.instanceOf(i)
	for l := range inst.lay.edgeCount() {
		e := inst.lay.edges[l]
		if inst.nodeID(e.target) == i && !fc.firesSurely(inst, l) && !fc.r.dry.never[inst.edgeID(l)] {
			edges = append(edges, int(inst.edgeID(l)))
		}
	}
	return edges
}

// findPossible adds the nodes that the run reaches only if something does not go as expected.
func (fc *forecast) findPossible() {
	r := fc.r
	var queue []nodeID
	for _, x := range fc.list {
		if !x.Mocked {
			queue = append(queue, nodeID(x.Node))
		}
	}
	may := map[edgeID]bool{}
	for ; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		inst := r.instanceOf(i)
		for _, l := range inst.out(i) {
			j, t := inst.edgeID(l), inst.target(l)
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
		i := nodeID(x.Node)
		inst := r.instanceOf(i)
		if r.subOf(i) == nil {
			continue
		}
		_, goesOn := r.goesOn(i)
		x.MayRestart = r.nodes[i].activations == 0 && !x.Mocked || goesOn && !inst.lay.single[inst.local(i)]
	}
}

// mayActivate reports whether an edge that may fire could activate a node. A node that was decided before
// needs new marks on all its edges.
func (fc *forecast) mayActivate(inst *instance, l localEdge, t nodeID, may map[edgeID]bool) bool {
	r := fc.r
	if !inst.lay.edges[l].blocking || !r.dry.kept[t] || !inst.lay.single[inst.local(t)] {
		return true
	}
	in, marks := inst.in(t), int32(0)
	for _, k := range in {
		if m := r.marks[inst.edgeID(k)]; may[inst.edgeID(k)] || m.marked() {
			marks++
		}
	}
	if need := r.needs(t); need > 0 {
		return marks >= need
	}
	return marks == int32(len(in))
}
