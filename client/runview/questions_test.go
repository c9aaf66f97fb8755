package runview

import (
	"testing"

	"wf/api"
)

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
	listed := api.Approval{Node: "a", Workfile: "/w", Choices: []api.ApprovalChoice{{Case: "go"}}}
	if !q.Complete(listed) || q.Complete(listed) || len(q[0].Choices) != 1 {
		t.Errorf("a listed question completes that of an event once: %v", q)
	}
	if q.Next(); q[0].Node != "b" {
		t.Errorf("next: %v", q)
	}
	if _, closed := q.Apply(api.Event{Type: api.NodeDecided, Node: "a"}); closed != 1 || len(q) != 1 {
		t.Errorf("closed %d, %v", closed, q)
	}
}
