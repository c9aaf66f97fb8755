package cluster_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/executor"
)

// largeValue is a variable that no program can get.
var largeValue = "BIG=" + strings.Repeat("v", 200_000)

// The file of $WF_INPUT is on the file system of the cluster, also if the machine of the daemon does not see it.
func TestInputFile(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		c, _ := fakeSlurm(t)
		c.Dir = dir
		r := open(t, c)
		job := executor.Job{ID: executor.ID{Execution: 1}, Command: `echo "$SMALL ${BIG-none}"; cat "$WF_INPUT"; echo "$WF_INPUT" >&2`, Env: []string{largeValue, "SMALL=it's"}}
		if err := r.session.Start([]executor.Job{job}); err != nil {
			t.Fatal(err)
		}
		e := r.await(executor.Ended, 0)
		if out := r.output(e.Out); !strings.HasPrefix(out, "it's none\n{") || !strings.Contains(out, `"BIG":"vvv`) || !strings.Contains(out, `"SMALL":"it's"`) {
			t.Errorf("with dir %q: %+v, output %.100q", dir, e, out)
		}
		path := strings.TrimSpace(r.output(e.Err))
		if !strings.HasPrefix(path, dir) || dir == "" && !strings.HasPrefix(path, r.spec.Dir) {
			t.Errorf("with dir %q: the file was %s", dir, path)
		}
	}
}

// A value that no variable can have is not left out, even if the daemon is killed before the end of the execution is in the
// journal.
func TestLargeValueAfterACrash(t *testing.T) {
	c, dir := fakeSlurm(t)
	r := open(t, c)
	job := executor.Job{ID: executor.ID{Execution: 1}, Command: "echo ran > ran", Env: []string{largeValue}}
	start := func() {
		t.Helper()
		if err := r.session.Start([]executor.Job{job}); err != nil {
			t.Fatal(err)
		}
		if e := r.await(executor.Ended, 0); !e.Exit.Failed || !strings.HasPrefix(e.Message, "the value of BIG has 200000 bytes") {
			t.Errorf("%+v", e)
		}
	}
	start()
	if n := calls(t, dir, "sbatch"); n != 0 {
		t.Errorf("sbatch was called %d times", n)
	}
	r.session.Detach()
	path := filepath.Join(r.spec.Dir, "cluster.hpc")
	journal, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.LastIndexByte(journal[:len(journal)-1], '\n') + 1
	if err := os.WriteFile(path, journal[:end], 0o600); err != nil {
		t.Fatal(err)
	}
	r.open()
	start()
	if _, err := os.Stat(filepath.Join(r.spec.Cwd, "ran")); err == nil {
		t.Error("the command was executed without its value")
	}
}
