package workspace

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/inquiry"
)

// TestTidyAgreesWithTheRun: an unfinished run whose workfile is gone and whose processes have ended keeps its environment
// and its history, even if the note about active runs was lost, because it continues when a daemon recovers it. When the run
// is over, its environment is removed.
func TestTidyAgreesWithTheRun(t *testing.T) {
	for _, marked := range []bool{true, false} {
		b := newTestbed(t, "a")
		b.open()
		acc, s := b.run(api.RunRequest{})
		job := b.next(s)
		env := filepath.Join(b.w.store.Dir(inquiry.NumberOf(acc.Run)), "env")
		if err := os.WriteFile(env, []byte("A=1\x00"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.close(b.w)
		id := b.w.id
		if err := os.Remove(b.path); err != nil {
			t.Fatal(err)
		}
		if !marked {
			if err := history.ClearActive(b.cfg.State, id); err != nil {
				t.Fatal(err)
			}
		}
		log := slog.New(slog.NewTextHandler(io.Discard, nil))
		there := func() bool { _, err := os.Stat(env); return err == nil }
		if Tidy(b.cfg.State, log); !there() {
			t.Fatalf("marked %v: the environment of a run that goes on is removed", marked)
		}
		if err := RemoveHistory(id, b.cfg); apiCode(err) != api.CodeConflict {
			t.Fatalf("marked %v: its history can be removed: %v", marked, err)
		}
		b.open()
		v := b.watch()
		<-b.fake.opened
		s.end(job.ID, executor.Exit{})
		v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete && e.Result == api.Succeeded })
		b.close(b.w)
		if Tidy(b.cfg.State, log); there() {
			t.Errorf("marked %v: the environment of a run that is over stays", marked)
		}
	}
}
