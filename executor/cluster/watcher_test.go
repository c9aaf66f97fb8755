package cluster

import (
	"slices"
	"testing"
	"time"

	"wf/executor"
)

// TestRestOfOutput checks that the end of a task waits for its output until looks that asked for it have found nothing: looks that
// were on their way when the end became known did not ask for it.
func TestRestOfOutput(t *testing.T) {
	c := &Cluster{}
	c.poller = newPoller(c)
	m := newTestModel(t)
	w, s := &watcher{c: c, m: m}, &submitter{m: m}
	m.take(executor.Job{ID: executor.ID{Node: 1, Execution: 1}, Command: "true", Merge: true}, time.Unix(0, 0))
	b, _ := m.begin(slices.Clone(m.queue))
	m.queue = nil
	m.taken(b, "77")
	task, ends := b.tasks[0], []news{{'s', "1.1", "1700000000 5 n1"}, {'e', "1.1", "1700000001.00 0 3 0 0 0"}}
	for range 2 * mostLooks {
		w.looked(&look{news: ends}, s)
	}
	if task.result == nil || task.complete() {
		t.Fatalf("without its output, the task is complete: %+v", task)
	}
	for n := range mostLooks {
		if task.complete() {
			t.Errorf("after %d looks without an output, the task is complete", n)
		}
		w.looked(&look{news: ends, wish: wish{outputs: task.wantedOutputs()}}, s)
	}
	if !task.complete() {
		t.Error("the output was made shorter: the task is not complete")
	}
}
