package scheduler

import "wf/graph"

// begin brings nodes and tokens into their first state and activates what can start.
func (r *Run) begin() {
	if r.begun {
		panic("internal error: scheduler: a second Begin")
	}
	r.begun = true
	if r.mode == Resume {
		r.resume()
	} else {
		r.fresh()
	}
	r.findOnce()
}

// fresh starts from a clean slate: the nodes at the beginning of the graph.
func (r *Run) fresh() {
	for i := range r.nodes {
		r.setStatus(int32(i), graph.Idle, "")
	}
	for j := range r.edges {
		r.setMark(int32(j), false)
	}
	for i, start := range r.startNodes() {
		if start {
			r.activate(int32(i), causeStart)
		}
	}
}

// startNodes finds, in each strongly connected component that nothing outside leads to, the
// nodes without a blocking in-edge. In a graph without loops these are the nodes without an
// in-edge; in a loop somebody has to be first.
func (r *Run) startNodes() []bool {
	// A component has as many numbers as there are nodes at most.
	led := make([]bool, len(r.nodes))
	for _, e := range r.edges {
		if from, to := r.component[e.source], r.component[e.target]; from != to {
			led[to] = true
		}
	}
	start := make([]bool, len(r.nodes))
	for i := range r.nodes {
		start[i] = !led[r.component[i]] && len(r.in.of(int32(i))) == 0
	}
	return start
}

// resume goes on where an earlier run failed: what ran is not repeated, what did not is
// activated if everything that it waits for ran.
func (r *Run) resume() {
	left := r.failLeftovers()
	r.deriveTokens()
	start := r.startNodes()
	for i := range r.nodes {
		i := int32(i)
		switch blocking := len(r.in.of(i)) > 0; {
		case r.nodes[i].status == graph.Ran || r.nodes[i].missing > 0:
		case blocking || r.nodes[i].status == graph.Failed || start[i]:
			r.consume(i)
			r.activate(i, causeResume)
		}
	}
	for _, i := range left {
		if r.nodes[i].status == graph.Failed {
			r.reasons[i] = ReasonLost
			r.emit(Effect{Kind: NodeChanged, Node: int(i), Status: graph.Failed, Reason: ReasonLost})
		}
	}
}

// failLeftovers counts nodes that a dead daemon left queued or running as failed. Nobody is told
// yet: most of them are activated at once.
func (r *Run) failLeftovers() []int32 {
	var left []int32
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.status == graph.Queued || n.status == graph.Running {
			r.counts[n.status]--
			r.counts[graph.Failed]++
			n.status = graph.Failed
			left = append(left, int32(i))
		}
	}
	return left
}

// deriveTokens makes the tokens before nodes that are to run say what is true now. Tokens before
// nodes that ran stay: they wait for a re-triggering.
func (r *Run) deriveTokens() {
	for j, e := range r.edges {
		if e.blocking && r.nodes[e.target].status != graph.Ran {
			r.setMark(int32(j), r.nodes[e.source].status == graph.Ran)
		}
	}
}
