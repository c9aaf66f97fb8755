//go:build linux && (amd64 || arm64)

package runner

import (
	"os"
	"path/filepath"
	"testing"

	"wf/executor/wire"
)

// TestForkNote checks that the kernel writes the pid of a child into the fork note before the child runs.
func TestForkNote(t *testing.T) {
	vforkFromStart(t)
	dir := t.TempDir()
	null := openNull(t)
	f := new(forker)
	if !f.notes(dir) {
		t.Fatal("no note")
	}
	if n, ok := readForkNote(dir); !ok || n != (forkNote{}) {
		t.Fatalf("at first %+v, %v", n, ok)
	}
	for execution := 1; execution <= 3; execution++ {
		id := wire.ID{Node: 1 << 20, Execution: execution}
		c, err := f.fork(id, "/bin/true", []string{"true"}, nil, [3]int{null, null, null})
		if err != nil {
			t.Fatal(err)
		}
		if f.plain {
			t.Skip("this kernel has no clone3 that resets signals, or forbids it")
		}
		if n, ok := readForkNote(dir); !ok || n != (forkNote{forkNoteKey(id), int32(c.pid), forkNoted}) {
			t.Errorf("execution %d, process %d: %+v", execution, c.pid, n)
		}
		exitCode(t, c)
	}
	id := wire.ID{Execution: 9}
	f.note.begin(id, forkNoted)
	if n, _ := readForkNote(dir); n != (forkNote{forkNoteKey(id), 0, forkNoted}) {
		t.Errorf("before the fork: %+v", n)
	}
	f.plain = true
	c, err := f.fork(id, "/bin/true", []string{"true"}, nil, [3]int{null, null, null})
	if err != nil {
		t.Fatal(err)
	}
	exitCode(t, c)
	if n, _ := readForkNote(dir); n != (forkNote{forkNoteKey(id), 0, forkPlain}) {
		t.Errorf("after syscall.ForkExec: %+v", n)
	}
	if err := os.Truncate(filepath.Join(dir, forkNoteFile), 7); err != nil {
		t.Fatal(err)
	}
	if n, ok := readForkNote(dir); ok {
		t.Errorf("cut: %+v", n)
	}
	if next := new(forker); !next.notes(dir) {
		t.Error("the next runner has no note")
	}
}
