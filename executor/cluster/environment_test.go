package cluster_test

import (
	"os"
	"strings"
	"testing"

	"wf/executor"
	"wf/executor/cluster"
)

// A command gets the environment of the run, and what the batch system tells about the job.
func TestEnvironment(t *testing.T) {
	c, _ := fakeSlurm(t)
	r := openOnly(t, c)
	if _, err := r.session.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.spec.Env = []string{"PATH=" + os.Getenv("PATH"), "TEXT=a\n'b", "SLURM_ARRAY_TASK_ID=7", "SLURM_JOB_ID=8", "BASH_FUNC_hello%%=() { echo function; }"}
	r.spec.Attributes = []byte(`{"umask":18}`)
	r.open()
	defer r.session.Close(t.Context())
	jobs := []executor.Job{{ID: executor.ID{Node: 0, Execution: 1}, Env: []string{"MINE=1"}, Shell: "bash",
		Command: `echo "$TEXT|$MINE|${HOME-none}|${FAKE_SLURM-none}|${SLURM_JOB_ID-none}|$SLURM_ARRAY_TASK_ID"; umask; hello`},
		{ID: executor.ID{Node: 1, Execution: 1}, Command: "true"}}
	if err := r.session.Start(jobs); err != nil {
		t.Fatal(err)
	}
	e := r.await(executor.Ended, 0)
	if got, want := r.output(e.Out), "a\n'b|1|none|none|1|0\n0022\nfunction\n"; got != want {
		t.Errorf("%+v: output %q and %q, want %q", e, got, r.output(e.Err), want)
	}
}

// A command hears of the machine of the daemon, unless it runs there with the environment of the run and can ask the daemon.
func TestMachineOfTheDaemon(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"": "none", t.TempDir(): host} {
		c, _ := fakeSlurm(t)
		c.Dir = dir
		r := open(t, c)
		r.start(`echo "${WF_DAEMON_HOST-none}"`)
		if e := r.await(executor.Ended, 0); r.output(e.Out) != want+"\n" {
			t.Errorf("with dir %q: %q", dir, r.output(e.Out))
		}
	}
}

// A run stays in its folder when the configuration names another one.
func TestOtherFolderWhileARunGoesOn(t *testing.T) {
	c, _ := fakeSlurm(t)
	c.Dir = t.TempDir()
	r := open(t, c)
	fifo := r.fifo("go")
	r.start("read -r line < " + fifo + "; echo $line")
	r.await(executor.Started, 0)
	r.session.Detach()
	r.c = &cluster.Cluster{Name: c.Name, Engine: c.Engine, Shell: c.Shell, Timing: c.Timing, Dir: t.TempDir()}
	r.open()
	if err := os.WriteFile(fifo, []byte("after\n"), 0); err != nil {
		t.Fatal(err)
	}
	if e := r.await(executor.Ended, 0); r.output(e.Out) != "after\n" {
		t.Errorf("%+v: %q", e, r.output(e.Out))
	}
}

// A working directory that the cluster does not have is an error that says what to do.
func TestNoWorkingDirectory(t *testing.T) {
	c, _ := fakeSlurm(t)
	r := open(t, c)
	if err := os.RemoveAll(r.spec.Cwd); err != nil {
		t.Fatal(err)
	}
	r.start("true")
	if e := r.await(executor.Ended, 0); !e.Exit.Failed || !strings.Contains(e.Message, "has no folder "+r.spec.Cwd) {
		t.Errorf("%+v", e)
	}
}
