package runner

import (
	"slices"
	"testing"

	"wf/executor/wire"
)

func TestQueue(t *testing.T) {
	var q queue
	var all []*execution
	var intended []int
	intend := func(e *execution) {
		e.intended = true
		intended = append(intended, e.job.ID.Node)
	}
	for node := range 6 {
		e := &execution{job: wire.Job{ID: wire.ID{Node: node}}}
		all = append(all, e)
		q.push(e)
	}
	q.drop(all[1])
	q.intend(3, intend)
	if q.isDurable() {
		t.Error("durable before the sync")
	}
	q.synced()
	q.intend(3, intend)
	if !slices.Equal(intended, []int{0, 2}) || !q.isDurable() {
		t.Errorf("intents of %v", intended)
	}
	var order []int
	for e := q.first(); e != nil; e = q.first() {
		order = append(order, e.job.ID.Node)
		q.drop(e)
		if e == all[2] && q.first() != nil && q.isDurable() {
			t.Error("durable without an intent")
		}
	}
	if !slices.Equal(order, []int{0, 2, 3, 4, 5}) || q.waiting != 0 {
		t.Errorf("order %v, %d wait", order, q.waiting)
	}
	q.push(&execution{})
	if q.first() == nil || q.isDurable() {
		t.Error("a queue that was emptied keeps old entries")
	}
}

// TestQueueOfIntents checks that an intent can be taken back and recorded again, and that the intent of a job that was
// behind a gate counts.
func TestQueueOfIntents(t *testing.T) {
	var q queue
	var recorded []int // node+1 for an intent, -(node+1) when it is taken back
	intend := func(e *execution) {
		e.intended = true
		recorded = append(recorded, e.job.ID.Node+1)
	}
	forget := func(e *execution) {
		if e.intended {
			e.intended, e.durable = false, false
			recorded = append(recorded, -e.job.ID.Node-1)
		}
	}
	for node := range 4 {
		q.push(&execution{job: wire.Job{ID: wire.ID{Node: node}}, intended: node == 3, durable: node == 3})
	}
	if q.intend(2, intend) {
		t.Error("all jobs have intents")
	}
	q.synced()
	q.retract(1, forget)
	if e := q.first(); !e.durable || !q.isDurable() {
		t.Error("the first job has lost its intent")
	}
	if !q.intend(4, intend) {
		t.Error("a job has no intent")
	}
	if want := []int{1, 2, -2, -4, 2, 3, 4}; !slices.Equal(recorded, want) {
		t.Errorf("recorded %v, want %v", recorded, want)
	}
	for q.first() != nil {
		if q.isDurable() == (q.first().job.ID.Node > 0) {
			t.Errorf("node %d: durable %t", q.first().job.ID.Node, q.isDurable())
		}
		q.drop(q.first())
	}
}
