package scheduler

// worklist is the work that an event has caused and that is not done yet. It is empty between two steps.
// Consequences that could cause themselves again go through it, so that no recursion is deep.
type worklist struct {
	dead        []edgeID
	ended       []endedNode    // activations that ended without an execution
	failing     []instanceID   // instances whose failure ends all others of their sub-flow
	losers      []nodeID       // joins that cancel the nodes they do not need any more
	ready       []nodeID       // sub-flows that start their instances
	unsettled   []componentRef // components without active nodes, or without open edges
	rateWaiters []nodeID       // sub-flows that wait for their rate and are to end
	idle        []instanceID   // instances without active nodes
}

type endedNode struct {
	node nodeID
	out  outcome
}

type componentRef struct {
	instance  instanceID
	component component
}

// drain does the work that an event has caused: first what is certain, then what depends on nothing more happening.
func (r *Run) drain() {
	w := &r.todo
	for {
		switch {
		case len(w.dead) > 0:
			r.die(pop(&w.dead))
		case len(w.ended) > 0:
			e := pop(&w.ended)
			r.activity(e.node).finish(e.out)
		case len(w.failing) > 0:
			r.failOthers(pop(&w.failing))
		case len(w.losers) > 0:
			r.join(pop(&w.losers)).cancelLosers()
		case len(w.ready) > 0:
			r.subflow(pop(&w.ready)).begin()
		case len(w.unsettled) > 0:
			r.settle(pop(&w.unsettled))
		case len(w.rateWaiters) > 0:
			r.subflow(pop(&w.rateWaiters)).endRateWait()
		case len(w.idle) > 0:
			r.instanceOver(pop(&w.idle))
		default:
			return
		}
	}
}

// pop takes the first element, and releases the array with the last one.
func pop[T any](list *[]T) T {
	first := (*list)[0]
	if *list = (*list)[1:]; len(*list) == 0 {
		*list = nil
	}
	return first
}

// endLater ends the present activation of a node when the event at hand is done.
func (a activity) endLater(out outcome) {
	a.todo.ended = append(a.todo.ended, endedNode{a.node, out})
}
