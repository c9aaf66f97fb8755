package scheduler

import "container/heap"

// clockSet adapts the run to a wall clock that was set forward or back by ev.By: the time of the run
// is ev.At now. Of what was to last a time (timeout, wait, delays, approve_timeout, join_timeout) as much is left
// as before; what waits for a moment (wait_until) waits for that.
func (r *Run) clockSet(ev *Event) {
	r.now = ev.At
	if r.extra == nil {
		return
	}
	for k := range r.timers.list {
		if t := &r.timers.list[k]; t.kind != timeWait || !r.extrasOf(t.node).fixed {
			t.at += ev.By
		}
	}
	heap.Init(&r.timers)
	for i, x := range r.extra {
		if x != nil && x.wait != WaitNone && x.until > 0 && !x.fixed {
			x.until += ev.By
			r.emit(Effect{Kind: Waiting, Node: i, Wait: x.wait, At: x.until, Message: x.text})
		}
	}
	r.tick()
}
