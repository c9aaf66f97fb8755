package workspace

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/workfile"
)

// keptStatuses reads the statuses in the state folder.
func (b *testbed) keptStatuses() (k workfile.Kept, found bool) {
	data, err := os.ReadFile(filepath.Join(b.cfg.State, "workspaces", b.w.id, workfile.StatusesName))
	return k, err == nil && json.Unmarshal(data, &k) == nil
}

func TestGarbageDuringARun(t *testing.T) {
	b := newTestbed(t, "a>b")
	good := b.read()
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	j := b.next(s)
	b.write("this is no workfile")
	v.wait(t, "file problem", func(e api.Event) bool { return e.Type == api.FileProblem && e.Message != "" })
	if _, err := b.w.StartRun(context.Background(), "c", api.RunRequest{}); apiCode(err) != api.CodeWorkfile {
		t.Errorf("a run on garbage: %v", err)
	}
	s.end(j.ID, executor.Exit{})
	b.play(v, s, nil)
	if got := b.read(); got != "this is no workfile" {
		t.Fatalf("the garbage was overwritten:\n%s", got)
	}
	if k, found := b.keptStatuses(); !found || !k.Unwritten || len(k.Nodes) != 2 {
		t.Errorf("the statuses are nowhere on disk: %+v", k)
	}
	b.write(good)
	v.wait(t, "recovery", func(e api.Event) bool { return e.Type == api.FileProblem && e.Message == "" })
	waitFor(t, "the statuses to get into the workfile", func() bool {
		k, found := b.keptStatuses()
		return found && !k.Unwritten
	})
	b.close(b.w)
	if got := b.read(); strings.Count(got, ">ran<") != 2 {
		t.Errorf("the statuses did not come back:\n%s", got)
	}
}

func TestDeletedFileStaysDeleted(t *testing.T) {
	b := newTestbed(t, "a")
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	j := b.next(s)
	if err := os.Remove(b.path); err != nil {
		t.Fatal(err)
	}
	v.wait(t, "file problem", func(e api.Event) bool { return e.Type == api.FileProblem })
	s.end(j.ID, executor.Exit{})
	b.play(v, s, nil)
	if _, err := os.Stat(b.path); !os.IsNotExist(err) {
		t.Errorf("the file was made again: %v", err)
	}
}

func TestSaveKeepsModeAndSymlink(t *testing.T) {
	b := newTestbed(t, "a")
	real := b.path
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	b.path = link
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.play(v, s, nil)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	info, err = os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestReadOnlyFileIsLeftAlone(t *testing.T) {
	b := newTestbed(t, "a")
	before := b.read()
	if err := os.Chmod(b.path, 0o444); err != nil {
		t.Fatal(err)
	}
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.play(v, s, nil)
	if got := b.read(); got != before {
		t.Errorf("a read-only file was replaced:\n%s", got)
	}
	v.wait(t, "file problem", func(e api.Event) bool { return e.Type == api.FileProblem })
}

func TestStatusesSurviveAFileThatCannotBeWritten(t *testing.T) {
	b := newTestbed(t, "a>b", "c>b")
	before := b.read()
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.write("garbage") // and the daemon ends before the file is mended
	v.wait(t, "file problem", func(e api.Event) bool { return e.Type == api.FileProblem })
	b.play(v, s, map[string]int{"c": 4})
	b.close(b.w)
	b.write(before)
	b.open()
	st, err := b.w.Status(context.Background(), true)
	if err != nil || st.Counts.OK != 1 || st.Counts.Failed != 1 || st.Edges[0].Status != "to_run" {
		t.Errorf("after the restart: %+v, %+v, %v", st.Counts, st.Edges, err)
	}
	b.close(b.w)
	if got := b.read(); strings.Count(got, ">ran<") != 1 || strings.Count(got, ">fail<") != 1 || strings.Count(got, ">to_run<") != 1 {
		t.Errorf("the file after the restart:\n%s", got)
	}
	if k, found := b.keptStatuses(); !found || k.Unwritten {
		t.Errorf("the state folder does not know that they are in the file: %+v", k)
	}
}
