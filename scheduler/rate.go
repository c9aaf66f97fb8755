package scheduler

import (
	"wf/graph"
	"wf/scheduler/flow"
)

// The rate of a sub-flow is a window that slides: of any time as long as RatePer, at most Rate instances start
// in it. The moments of the latest starts are part of the state, so a replay comes to the same, and a new
// daemon goes on where the one before was.

// rateWait returns when another instance may start, 0 if one may now. A forecast knows no time.
func (r *Run) rateWait(i int32, sub *flow.Sub) int64 {
	if sub.Rate == 0 || r.dry != nil {
		return 0
	}
	starts := r.rareAt(i).sub.starts
	if len(starts) < sub.Rate {
		return 0
	}
	if at := starts[len(starts)-sub.Rate] + int64(sub.RatePer); at > r.now {
		return at
	}
	return 0
}

// noteStart counts an instance in which something begins.
func (r *Run) noteStart(i int32, sub *flow.Sub, k int32) {
	if sub.Rate == 0 || r.frames[k].active == 0 {
		return // all of it was done before
	}
	s := r.rareAt(i).sub
	if s.starts = append(s.starts, r.now); len(s.starts) > sub.Rate {
		s.starts = s.starts[len(s.starts)-sub.Rate:]
	}
}

// pace lets a sub-flow wait for the moment at which its rate allows another instance; 0 = it waits for none.
func (r *Run) pace(i int32, s *instances, at int64) {
	if s.next == at {
		return
	}
	if s.next = at; at > 0 {
		r.addTimer(i, timeRate, at)
	} else {
		r.dropTimer(i, timeRate)
	}
}

// paceOver goes on with a sub-flow whose rate allows another instance.
func (r *Run) paceOver(i int32) {
	if x := r.rareAt(i); x.sub != nil && x.sub.next > 0 && r.nodes[i].status == graph.Running {
		x.sub.next = 0
		r.nextInstances(i)
	}
}

// stopPacing lets a sub-flow that begins nothing any more end, if it waits for its rate and for nothing else.
func (r *Run) stopPacing(i int32) {
	if s := r.rareAt(i).sub; s.next > 0 && s.going == 0 {
		r.works.paced = append(r.works.paced, i)
	}
}

// endPaced ends a sub-flow that has waited for its rate.
func (r *Run) endPaced(i int32) {
	s := r.rareAt(i).sub
	if s == nil || s.next == 0 || s.going > 0 || r.nodes[i].status != graph.Running {
		return
	}
	r.pace(i, s, 0)
	if s.stopping == "" {
		r.finish(i, outcome{reason: ReasonCancelled})
		return
	}
	r.nextInstances(i)
}

// NextInstanceAt says when the rate of a sub-flow allows another instance; 0 if it waits for none.
func (r *Run) NextInstanceAt(node int) int64 {
	if x := r.rareAt(int32(node)); x != nil && x.sub != nil {
		return x.sub.next
	}
	return 0
}
