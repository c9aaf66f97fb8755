package runview

import (
	"testing"

	"wf/api"
)

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		counts api.Counts
		want   api.State
	}{
		{api.Counts{}, api.StateOK},
		{api.Counts{OK: 3, Failed: 1, Running: 2}, api.StateFailed},
		{api.Counts{OK: 3, Waiting: 1, Running: 2}, api.StateRunning},
		{api.Counts{OK: 3, Idle: 1}, api.StateIdle},
		{api.Counts{OK: 3, Handled: 1, Skipped: 2}, api.StateOK},
		{api.Counts{Handled: 1, Skipped: 2}, api.StateHandled},
		{api.Counts{Skipped: 2}, api.StateSkipped},
	} {
		if got := Worst(c.counts); got != c.want {
			t.Errorf("%+v: %s, want %s", c.counts, got, c.want)
		}
	}
}

// TestQuestions follows questions that are asked, listed and answered.
func TestQuestions(t *testing.T) {
	var q Questions
	ask := func(node string) (*api.Approval, int) {
		return q.Apply(api.Event{Type: api.NodeWaiting, Node: node, Name: node, Wait: &api.Wait{Kind: api.WaitApproval}})
	}
	if asked, closed := ask("a"); asked == nil || asked.Node != "a" || closed != -1 {
		t.Errorf("first question: %v, %d", asked, closed)
	}
	if asked, closed := ask("a"); asked != nil || closed != -1 {
		t.Errorf("the same question again: %v, %d", asked, closed)
	}
	if q.Add(api.Approval{Node: "a"}) || !q.Add(api.Approval{Node: "b"}) {
		t.Error("a listed question is added only if it is new")
	}
	if q.Next(); q[0].Node != "b" {
		t.Errorf("next: %v", q)
	}
	if _, closed := q.Apply(api.Event{Type: api.NodeDecided, Node: "a"}); closed != 1 || len(q) != 1 {
		t.Errorf("closed %d, %v", closed, q)
	}
}
