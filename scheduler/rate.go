package scheduler

import (
	"wf/graph"
	"wf/scheduler/flow"
)

// The rate of a sub-flow is a window that slides: of any time as long as RatePer, at most Rate instances start
// in it. The moments of the latest starts are part of the state, so a replay comes to the same, and a new
// daemon goes on where the one before was.

// rateWait returns when another instance may start, 0 if one may now. A forecast knows no time.
func (sf subflow) rateWait(sub *flow.Sub) int64 {
	if sub.Rate == 0 || sf.dry != nil {
		return 0
	}
	starts := sf.extrasOf(sf.node).sub.starts
	if len(starts) < sub.Rate {
		return 0
	}
	if at := starts[len(starts)-sub.Rate] + int64(sub.RatePer); at > sf.now {
		return at
	}
	return 0
}

// noteStart counts an instance in which something begins.
func (sf subflow) noteStart(sub *flow.Sub, k int32) {
	if sub.Rate == 0 || sf.instances[k].active == 0 {
		return // all of it was done before
	}
	s := sf.extrasOf(sf.node).sub
	if s.starts = append(s.starts, sf.now); len(s.starts) > sub.Rate {
		s.starts = s.starts[len(s.starts)-sub.Rate:]
	}
}

// pace lets a sub-flow wait for the moment at which its rate allows another instance; 0 = it waits for none.
func (sf subflow) waitForRate(s *subflowState, at int64) {
	if s.nextStart == at {
		return
	}
	if s.nextStart = at; at > 0 {
		sf.addTimer(sf.node, timeRate, at)
	} else {
		sf.dropTimer(sf.node, timeRate)
	}
}

// paceOver goes on with a sub-flow whose rate allows another instance.
func (sf subflow) rateAllows() {
	if x := sf.extrasOf(sf.node); x.sub != nil && x.sub.nextStart > 0 && sf.nodes[sf.node].status == graph.Running {
		x.sub.nextStart = 0
		sf.startNext()
	}
}

// stopPacing lets a sub-flow that begins nothing any more end, if it waits for its rate and for nothing else.
func (sf subflow) stopRateWait() {
	if s := sf.extrasOf(sf.node).sub; s.nextStart > 0 && s.going == 0 {
		sf.todo.rateWaiters = append(sf.todo.rateWaiters, sf.node)
	}
}

// endPaced ends a sub-flow that has waited for its rate.
func (sf subflow) endRateWait() {
	s := sf.extrasOf(sf.node).sub
	if s == nil || s.nextStart == 0 || s.going > 0 || sf.nodes[sf.node].status != graph.Running {
		return
	}
	sf.waitForRate(s, 0)
	if s.stopping == "" {
		sf.activity(sf.node).finish(outcome{reason: ReasonCancelled})
		return
	}
	sf.startNext()
}

// NextInstanceAt says when the rate of a sub-flow allows another instance; 0 if it waits for none.
func (q queries) NextInstanceAt(node int) int64 {
	if x := q.extrasOf(int32(node)); x != nil && x.sub != nil {
		return x.sub.nextStart
	}
	return 0
}
