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

// TestTidyAgreesWithTheRun: a run whose workfile is gone and of which nothing is alive keeps its environment and
// its history, since it goes on when somebody asks for it, also when the note that it is going was lost. When
// it is over, its environment goes.
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
