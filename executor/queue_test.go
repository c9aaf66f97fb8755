package executor

import (
	"slices"
	"testing"
)

func TestQueue(t *testing.T) {
	var q queue
	var all []*execution
	var intended []int
	intend := func(e *execution) { intended = append(intended, e.job.ID.Node) }
	for node := range 6 {
		e := &execution{job: Job{ID: ID{Node: node}}}
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
	q.push(all[0])
	if q.first() != all[0] || q.isDurable() {
		t.Error("a queue that was empty goes on as before")
	}
}
