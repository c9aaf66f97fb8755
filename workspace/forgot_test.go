package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"wf/api"
	"wf/workspace/workfile"
)

// TestForgotReportsRemovedRuns: Config.Forgot is called when runs leave the history: removed, or pruned by a user or by the
// daemon. It is not called for a dry run.
func TestForgotReportsRemovedRuns(t *testing.T) {
	b := newTestbed(t, "a")
	var mu sync.Mutex // guards told
	var told []int
	b.cfg.Forgot = func(id string, runs []int) {
		mu.Lock()
		defer mu.Unlock()
		for _, n := range runs {
			if HasRun(b.cfg.State, id, n) {
				t.Errorf("run %d is still there", n)
			}
		}
		told = append(told, runs...)
	}
	b.open()
	for range 4 {
		v := b.watch()
		_, s := b.run(api.RunRequest{Mode: api.ModeFresh})
		b.play(v, s, nil)
	}
	id := b.w.presence.Info().ID
	if !HasRun(b.cfg.State, id, 1) || HasRun(b.cfg.State, id, 5) || HasRun(b.cfg.State, "other", 1) {
		t.Error("HasRun does not know the history")
	}
	if err := b.w.retention.RemoveRun(t.Context(), "2"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.w.retention.Prune(t.Context(), api.PruneRequest{Keep: 1, DryRun: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.w.retention.Prune(t.Context(), api.PruneRequest{Keep: 2}); err != nil {
		t.Fatal(err)
	}
	b.close(b.w)
	b.cfg.KeepRuns = 1
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{Mode: api.ModeFresh})
	b.play(v, s, nil)
	b.close(b.w) // waits for the helper that prunes
	if want := []int{2, 1, 3, 4}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
}

// TestLastingID: the id of a workfile does not change when the file is missing for a while.
func TestLastingID(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path, link := filepath.Join(dir, "Workfile"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	want, _, err := workfile.ID(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, p := range []string{path, filepath.Join(link, "Workfile")} {
			if id, err := workfile.LastingID(p); err != nil || id != want {
				t.Errorf("%s: %s, %v", p, id, err)
			}
		}
		os.Remove(path)
	}
	for _, p := range []string{"", "Workfile", filepath.Join(dir, "none", "Workfile")} {
		if id, err := workfile.LastingID(p); err == nil {
			t.Errorf("%q has the id %s", p, id)
		}
	}
}
