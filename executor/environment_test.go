package executor

import (
	"os"
	"path/filepath"
	"slices"
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
	e, err := openEnvironment(path)
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
	if e, err := openEnvironment(filepath.Join(t.TempDir(), "none")); err != nil || !e.missing {
		t.Errorf("no file: %+v, error %v", e, err)
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
