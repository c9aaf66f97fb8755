package workspace

import (
	"context"
	"testing"

	"wf/api"
)

// TestRunUsesThePresentFile changes the file and runs it in the next breath.
func TestRunUsesThePresentFile(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.open()
	v := b.watch()
	old := b.read()
	b.write(newTestbed(t, "a>b", "b>c").read())
	acc, s := b.run(api.RunRequest{})
	if acc.Total != 3 {
		t.Errorf("the run has %d nodes", acc.Total)
	}
	b.play(v, s, nil)
	b.write(old)
	if st, err := b.w.Status(context.Background(), true); err != nil || len(st.Nodes) != 2 {
		t.Errorf("status %+v, %v", st.Nodes, err)
	}
	b.write("no workfile")
	if _, err := b.w.planner.Plan(context.Background(), api.RunRequest{}); apiCode(err) != api.CodeWorkfile {
		t.Errorf("plan of a file that cannot be read: %v", err)
	}
}
