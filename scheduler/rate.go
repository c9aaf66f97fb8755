package scheduler

import (
	"wf/graph"
	"wf/scheduler/flow"
)

// The rate of a sub-flow is a window that slides: of any time as long as RatePer, at most Rate instances start
// in it. The moments of the latest starts are part of the state, so a replay comes to the same, and a new
// daemon goes on where the one before was.

// rateWait returns when another instance may start, 0 if one may now. A forecast ignores rates.
func (sf subflow) rateWait(sub *flow.Sub) int64 {
	if sub.Rate == 0 || sf.dry != nil {
		return 0
	}
	starts := sf.extras().sub.starts
	if len(starts) < sub.Rate {
		return 0
	}
	if at := starts[len(starts)-sub.Rate] + int64(sub.RatePer); at > sf.now {
		return at
	}
	return 0
}

// noteStart notes the start of an instance in which a node is active.
func (sf subflow) noteStart(sub *flow.Sub, k instanceID) {
	if sub.Rate == 0 || sf.instances[k].active == 0 {
		return // an earlier run has done all of it
	}
	s := sf.extras().sub
	if s.starts = append(s.starts, sf.now); len(s.starts) > sub.Rate {
		s.starts = s.starts[len(s.starts)-sub.Rate:]
	}
}

// waitForRate makes a sub-flow wait until its rate allows another instance; 0 = it does not wait.
func (sf subflow) waitForRate(s *subflowState, at int64) {
	if s.nextStart == at {
		return
	}
	if s.nextStart = at; at > 0 {
		sf.timers.add(sf.node, sf.ensureExtras(), timeRate, at)
	} else {
		sf.extras().dropTimer(timeRate)
	}
}

// rateAllows continues a sub-flow whose rate allows another instance.
func (sf subflow) rateAllows() {
	if x := sf.extras(); x.sub != nil && x.sub.nextStart > 0 && sf.entry().status == graph.Running {
		x.sub.nextStart = 0
		sf.startNext()
	}
}

// stopRateWait ends a sub-flow that starts no more instances, if it waits only for its rate.
func (sf subflow) stopRateWait() {
	if s := sf.extras().sub; s.nextStart > 0 && s.going == 0 {
		sf.todo.rateWaiters = append(sf.todo.rateWaiters, sf.node)
	}
}

// endRateWait ends a sub-flow that has waited for its rate.
func (sf subflow) endRateWait() {
	s := sf.extras().sub
	if s == nil || s.nextStart == 0 || s.going > 0 || sf.entry().status != graph.Running {
		return
	}
	sf.waitForRate(s, 0)
	if s.stopping == "" {
		sf.activity(sf.node).finish(outcome{reason: ReasonCancelled})
		return
	}
	sf.startNext()
}

// NextInstanceAt returns when the rate of a sub-flow allows another instance; 0 if it does not wait for its
// rate.
func (q queries) NextInstanceAt(node int) int64 { return q.subState(nodeID(node)).nextStart }
