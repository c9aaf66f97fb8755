package runstate

import (
	"os"
	"path/filepath"
	"testing"

	"wf/workspace/history"
	"wf/workspace/workfile"
)

// TestKeptRuns replays runs that earlier versions wrote. The state that follows from their records must agree with the
// results that those versions recorded.
func TestKeptRuns(t *testing.T) {
	folders, err := filepath.Glob("../history/testdata/kept/v*/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no kept runs: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(filepath.Dir(folder))+" "+filepath.Base(folder), func(t *testing.T) { replayKept(t, folder) })
	}
}

func replayKept(t *testing.T, folder string) {
	store, err := history.Open(history.LocalDisk{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const number = 1 // the folder's name in this history
	if err := os.CopyFS(store.Dir(number), os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	g, err := workfile.Frozen(store, number)
	if err != nil {
		t.Fatal(err)
	}
	s := &State{Number: number, ID: "1", Dir: store.Dir(number), Phase: Active, Replayed: true}
	var records []history.Record
	if s.Request, err = store.Replay(number, func(rec history.Record) error { records = append(records, rec); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Reschedule(g); err != nil {
		t.Fatal(err)
	}
	s.FreezeNodes(g)
	for _, rec := range records {
		s.Apply(rec)
	}
	details, err := store.Load(number)
	if err != nil {
		t.Fatal(err)
	}
	latest := map[int]history.Execution{}
	for _, e := range details.Executions {
		latest[e.Node] = e
	}
	for node, e := range latest {
		got := s.Nodes[node].Execution
		if got == nil || got.Number != e.Number || got.ExitCode != e.ExitCode || got.Signal != e.Signal || string(got.Reason) != e.Reason || got.Live == e.Over {
			t.Errorf("node %d: %+v, the history has %+v", node, got, e)
		}
	}
	if details.Result != nil {
		c, want := s.CountAll(), details.Result.Counts
		if c.OK != want.OK || c.Failed != want.Failed || c.Cancelled != want.Cancelled || c.Kept != want.Kept {
			t.Errorf("counts: %+v, the result has %+v", c, want)
		}
	}
}
