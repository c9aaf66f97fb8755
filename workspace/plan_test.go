package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"wf/api"
)

// planOf plans a workfile that nobody has run yet.
func planOf(t *testing.T, text string, req api.RunRequest) api.Plan {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Workfile")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	look, err := LookAt(path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := look.Plan(req)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// A join that cancels other nodes may cancel a node that waits for a person. Then no decision is needed.
func TestPlanOfAJoinThatCancelsAnApproval(t *testing.T) {
	planOf(t, controlText("", nodeText("q"), nodeText("ap", "approve=x"), nodeText("j", "join=any", "join_losers=cancel"),
		edgeText("q", "j", ""), edgeText("ap", "j", "")), api.RunRequest{})
}
