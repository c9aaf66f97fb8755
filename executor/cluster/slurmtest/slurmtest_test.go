//go:build linux

package slurmtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// within fails the test if a condition does not hold in time.
func within(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("after %v still not: %s", patience, what)
		}
	}
}

func (c *Cluster) must(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := c.Output(name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestJobsOfACluster(t *testing.T) {
	t.Parallel()
	c := Start(t, Config{Nodes: 2, Options: map[string]string{"MinJobAge": "2"}})
	if out := c.must(t, "srun", "sh", "-c", "echo $SLURM_JOB_NODELIST $SLURM_CONF"); out != "n1 "+c.Conf {
		t.Errorf("the job printed %q", out)
	}
	if _, err := c.Output("sacct"); err == nil || !strings.Contains(err.Error(), "accounting storage is disabled") {
		t.Errorf("sacct: %v", err)
	}
}

func TestAccounting(t *testing.T) {
	if testing.Short() {
		t.Skip("installs a database")
	}
	t.Parallel()
	c := Start(t, Config{Nodes: 1, Accounting: true})
	c.must(t, "sbatch", "--output=/dev/null", "--wrap=exit 7")
	within(t, "the job is in the accounting", func() bool {
		return c.must(t, "sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State,ExitCode") == "1|FAILED|7:0"
	})
}

// A separate node that is cut off has failed after SlurmdTimeout.
func TestCut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	t.Parallel()
	c := Start(t, Config{Nodes: 2, Separate: true, Options: map[string]string{"SlurmdTimeout": "3"}})
	c.must(t, "sbatch", "--no-requeue", "--nodelist=n2", "--output=/dev/null", "--wrap=sleep 1000")
	within(t, "the job runs", func() bool { return c.must(t, "squeue", "--noheader", "--format=%T %N") == "RUNNING n2" })
	if err := c.Cut(2); err != nil {
		t.Fatal(err)
	}
	within(t, "the job has failed", func() bool { return c.must(t, "squeue", "--noheader", "--states=all", "--format=%T") == "NODE_FAIL" })
	if err := c.Connect(2); err != nil {
		t.Fatal(err)
	}
	within(t, "the node is back", func() bool { return c.must(t, "sinfo", "--noheader", "--nodes=n2", "--format=%T") == "idle" })
}

func TestController(t *testing.T) {
	t.Parallel()
	c := Start(t, Config{Nodes: 1})
	if err := c.StopController(); err != nil {
		t.Fatal(err)
	}
	if err := dial("tcp", "127.0.0.1:"+strconv.Itoa(c.ports[0])); err == nil {
		t.Error("the controller is still there")
	}
	if err := errors.Join(c.StartController(), c.KillController(), c.StartController(), c.awaitIdle()); err != nil {
		t.Error(err)
	}
}

// TestNothingIsLeft kills a process that has started a cluster: this test again.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	const variable = "WF_SLURMTEST_KILLED"
	if file := os.Getenv(variable); file != "" {
		c := Start(t, Config{Nodes: 1})
		// A job that does not want to end, and a process that it leaves behind.
		c.must(t, "sbatch", "--output=/dev/null", "--wrap=trap '' TERM; setsid sleep 1000 & echo x > "+file+"; wait")
		within(t, "the job runs", func() bool { _, err := os.Stat(file); return err == nil })
		// A daemon that uses the cluster.
		user := exec.Command("sleep", "1000")
		user.Env, user.SysProcAttr = append(os.Environ(), "WF_STATE_DIR="+c.Home()+"/state"), &syscall.SysProcAttr{Setsid: true}
		if err := user.Start(); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(file+".pids", fmt.Appendln(nil, c.daemons.cmd.Process.Pid, c.dir, user.Process.Pid, descendants(c.daemons.cmd.Process.Pid)), 0o600)
		os.Rename(file+".pids", file+".ready")
		select {}
	}
	Start(t, Config{Nodes: 1}).Down() // skips the test where there is no Slurm
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	cmd := exec.Command(self, "-test.run=^TestNothingIsLeft$")
	cmd.Env = append(os.Environ(), variable+"="+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	within(t, "the cluster is there", func() bool { _, err := os.Stat(file + ".ready"); return err == nil })
	cmd.Process.Kill()
	cmd.Wait()
	text, err := os.ReadFile(file + ".ready")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(strings.Trim(string(text), "\n[]"))
	if len(words) < 9 {
		t.Errorf("too few processes: %q", text)
	}
	for _, folder := range []string{words[1], home(words[1])} {
		within(t, folder+" is removed", func() bool { _, err := os.Stat(folder); return errors.Is(err, fs.ErrNotExist) })
	}
	for i, word := range words {
		pid, err := strconv.Atoi(strings.Trim(word, "[]"))
		if i != 1 && err == nil {
			within(t, "process "+word+" has ended", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
		}
	}
}
