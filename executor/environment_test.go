package executor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env")
	base := []string{"A=1", "B=2", "LINES=x\ny", "EMPTY="}
	if err := writeEnvironment(path, base); err != nil {
		t.Fatal(err)
	}
	if writeEnvironment(path, base) == nil {
		t.Error("the file was written again")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	e, err := loadEnvironment(path)
	if err != nil || !slices.Equal(e.base, base) {
		t.Fatalf("loaded %q, error %v", e.base, err)
	}
	for _, c := range []struct{ vars, want []string }{
		{nil, base},
		{[]string{"B=3", "C=4"}, []string{"A=1", "LINES=x\ny", "EMPTY=", "B=3", "C=4"}},
		{[]string{"B=5", "C=6"}, []string{"A=1", "LINES=x\ny", "EMPTY=", "B=5", "C=6"}},
		{[]string{"A=7"}, []string{"B=2", "LINES=x\ny", "EMPTY=", "A=7"}},
		{nil, base},
	} {
		if got := e.with(c.vars); !slices.Equal(got, c.want) {
			t.Errorf("with %q: %q, want %q", c.vars, got, c.want)
		}
	}
	if e, err := loadEnvironment(filepath.Join(t.TempDir(), "none")); err != nil || !e.missing {
		t.Errorf("no file: %+v, error %v", e, err)
	}
}

// TestTornEnvironment cuts the file at every byte, and has sectors of it lost, as a crash of the machine
// does: half an environment is never used.
func TestTornEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env")
	if err := writeEnvironment(path, []string{"A=1", "B=" + strings.Repeat("x", 600), "C=3"}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	load := func(text []byte) *environment {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := loadEnvironment(path)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for n := range whole {
		zeros := append(slices.Clone(whole[:n]), make([]byte, len(whole)-n)...)
		if !load(whole[:n]).missing || n < len(whole)-1 && !load(zeros).missing {
			t.Errorf("cut at %d of %d bytes it is used", n, len(whole))
		}
	}
	if e := load(whole); e.missing || len(e.base) != 3 {
		t.Errorf("whole: %+v", e)
	}
	if e := load([]byte("A=1\x00B=2\x00")); e.missing || !slices.Equal(e.base, []string{"A=1", "B=2"}) {
		t.Errorf("of the version before: %+v", e)
	}
}

func TestMarker(t *testing.T) {
	run := []string{"WF_WORKFILE=/w", "WF_RUN_ID=r1"}
	job := []string{"WF_NODE_ID=n", "WF_EXECUTION=2"}
	whole := markerOf(job, run)
	if whole.run == "" || whole.node == "" || whole != markerOf(append(slices.Clone(run), job...)) {
		t.Errorf("marker %+v", whole)
	}
	for _, other := range [][]string{
		{"WF_WORKFILE=/other", "WF_RUN_ID=r1"}, {"WF_WORKFILE=/w", "WF_RUN_ID=r2"}, {"WF_WORKFILE=/w"}, nil,
	} {
		if markerOf(job, other) == whole {
			t.Errorf("%q has the marker of %q", other, run)
		}
	}
	if m := markerOf(nil, run); m.run != whole.run || m.node != "" {
		t.Errorf("marker without a node %+v", m)
	}
}
