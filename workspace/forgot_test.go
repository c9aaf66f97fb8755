package workspace

import (
	"slices"
	"sync"
	"testing"

	"wf/api"
)

// TestForgotReportsRemovedRuns: Config.Forgot is called when runs leave the history: removed, or pruned by a user or by the
// daemon. It is not called for a dry run.
func TestForgotReportsRemovedRuns(t *testing.T) {
	b := newTestbed(t, "a")
	var mu sync.Mutex // guards forgotten
	var forgotten []int
	b.cfg.Forgot = func(id string, runs []int) {
		mu.Lock()
		defer mu.Unlock()
		for _, n := range runs {
			if HasRun(b.cfg.State, id, n) {
				t.Errorf("run %d is still there", n)
			}
		}
		forgotten = append(forgotten, runs...)
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
	if want := []int{2, 1, 3, 4}; !slices.Equal(forgotten, want) {
		t.Errorf("forgot the runs %v, want %v", forgotten, want)
	}
}
