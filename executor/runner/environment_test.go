package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"wf/executor/rundir"
)

func TestEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env")
	base := []string{"A=1", "B=2", "LINES=x\ny", "EMPTY="}
	if err := rundir.WriteEnvironment(path, base); err != nil {
		t.Fatal(err)
	}
	if rundir.WriteEnvironment(path, base) == nil {
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
