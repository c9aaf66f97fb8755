package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"wf/api"
	"wf/executor"
)

// TestQueueFileUntilStarted checks that the file of a queued run stays until its executor is open: after a crash before that, the
// next daemon takes the run from the file. It is removed before the first command starts.
func TestQueueFileUntilStarted(t *testing.T) {
	b := newTestbed(t, "a")
	b.write(controlText(`<data key="on_busy">queue</data>`, nodeText("a")))
	files := func() int {
		list, err := filepath.Glob(filepath.Join(b.cfg.State, "workspaces", b.w.id, queueDir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	w := b.open()
	defer b.close(w)
	_, first := b.run(api.RunRequest{})
	job := b.next(first)
	acc, err := w.StartRun(context.Background(), "c1", api.RunRequest{Detached: true, Env: []string{"PATH=/bin"}})
	if err != nil || acc.Queued == "" || files() != 1 {
		t.Fatalf("%+v, %v, %d files", acc, err, files())
	}
	b.fake.mu.Lock()
	b.fake.opening = func(spec executor.Spec) {
		if files() != 1 {
			t.Error("the file is gone before the executor is open")
		}
		if _, err := os.Stat(spec.Dir); err != nil {
			t.Error(err)
		}
	}
	b.fake.mu.Unlock()
	first.end(job.ID, executor.Exit{})
	second := <-b.fake.opened
	job = b.next(second)
	if files() != 0 {
		t.Error("the run has started, and its file is there")
	}
	second.end(job.ID, executor.Exit{})
}
