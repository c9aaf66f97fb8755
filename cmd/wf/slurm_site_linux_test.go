package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/api"
	"wf/executor/cluster/slurmtest"
)

// A site is a Slurm with a user who has folders, a daemon and a workfile of their own.
type site struct {
	*testing.T
	*slurmtest.Cluster
	wf     string
	home   string
	vars   []string
	prefix []string // of commands of wf: a program and its arguments
}

// newSite starts a Slurm. The executor hpc of the user is it, with more lines of its configuration.
func newSite(t *testing.T, wf string, config slurmtest.Config, more string) *site {
	t.Helper()
	cluster := slurmtest.Start(t, config)
	home := cluster.Home()
	s := &site{T: t, Cluster: cluster, wf: wf, home: home}
	for _, name := range []string{"sbatch", "squeue", "scancel", "sacct"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		s.write("bin/"+name, fmt.Sprintf("#!/bin/sh\necho \"%[1]s $(date +%%s.%%N) $*\" >> %[2]s/calls\n%[3]s \"$@\"\ncode=$?\necho \"ended:%[1]s $(date +%%s.%%N) $code\" >> %[2]s/calls\nexit $code\n", name, home, path))
		if err := os.Chmod(filepath.Join(home, "bin", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// What job scripts print is in the file jobs.
	s.write(".config/wf/config.toml", "[executor.hpc]\ntype = \"slurm\"\ncluster_options = \"--output="+s.path("jobs")+" --open-mode=append\"\n"+more)
	if err := os.Mkdir(s.path("ran"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.vars = append([]string{"PATH=" + filepath.Join(home, "bin") + ":" + os.Getenv("PATH"), "HOME=" + home, "USER=tester", "LANG=C.UTF-8",
		"WF_RUNTIME_DIR=" + filepath.Join(home, "run"), "WF_STATE_DIR=" + filepath.Join(home, "state")}, s.Env()...)
	t.Cleanup(func() {
		if t.Failed() {
			s.logState()
		}
		if out, err := s.command("server", "stop", "--cancel").CombinedOutput(); err != nil {
			t.Errorf("wf server stop: %v\n%s", err, out)
		}
	})
	return s
}

// logState logs what the daemon and the journals of clusters contain.
func (s *site) logState() {
	s.Helper()
	journals, _ := filepath.Glob(s.path("state/workspaces/*/runs/*/cluster.*"))
	for _, path := range append(journals, s.path("state/daemon.log")) {
		if text, err := os.ReadFile(path); err == nil {
			s.Logf("%s:\n%s", path, text[max(0, len(text)-20_000):])
		}
	}
	for _, name := range []string{"calls", "jobs"} {
		if text, err := os.ReadFile(s.path(name)); err == nil {
			s.Logf("%s:\n%s", name, text[max(0, len(text)-20_000):])
		}
	}
	jobs, err := s.Output("scontrol", "--oneliner", "show", "jobs")
	s.Log("jobs:", jobs, err)
}

func (s *site) path(name string) string { return filepath.Join(s.home, name) }

func (s *site) write(name, text string) {
	s.Helper()
	err := os.MkdirAll(filepath.Dir(s.path(name)), 0o700)
	if err == nil {
		err = os.WriteFile(s.path(name), []byte(text), 0o600)
	}
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) command(args ...string) *exec.Cmd {
	argv := append(append(slices.Clone(s.prefix), s.wf), args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = s.vars, s.home
	return cmd
}

// wfOutput executes wf and returns its standard output. The exit status must be the wanted one.
func (s *site) wfOutput(status int, args ...string) string {
	s.Helper()
	var stdout, stderr bytes.Buffer
	cmd := s.command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) || cmd.ProcessState.ExitCode() != status {
		s.Fatalf("wf %s: %v, want exit status %d\n%s%s", strings.Join(args, " "), err, status, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// workfile writes the workfile from a text as in scripts.
func (s *site) workfile(text string) {
	s.Helper()
	data, err := graphMarkup(text)
	if err != nil {
		s.Fatal(err)
	}
	s.write("Workfile", data)
}

// ranOnce fails the test if a node that is a key of codes has not run exactly once, or has not the exit code that is the
// value. Commands append a line to ran/NODE.
func (s *site) ranOnce(codes map[string]int) {
	s.Helper()
	nodes := s.nodes()
	for name, code := range codes {
		if n := s.ran(name); n != 1 {
			s.Errorf("%s ran %d times", name, n)
		}
		if got := nodes[name].ExitCode; got == nil || *got != code {
			s.Errorf("%s has not exit code %d: %s", name, code, asJSON(nodes[name]))
		}
	}
}

// ran returns how often the command of a node has begun.
func (s *site) ran(name string) int {
	text, err := os.ReadFile(s.path("ran/" + name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// nodes returns the states of all nodes by their names.
func (s *site) nodes() map[string]api.NodeStatus {
	s.Helper()
	var status struct{ Nodes []api.NodeStatus }
	if err := json.Unmarshal([]byte(s.wfOutput(0, "status", "--json")), &status); err != nil {
		s.Fatal(err)
	}
	nodes := map[string]api.NodeStatus{}
	for _, n := range status.Nodes {
		nodes[n.Name] = n
	}
	return nodes
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// await fails the test if a condition does not become true.
func (s *site) await(what string, done func() bool) {
	s.Helper()
	if !await(done) {
		s.Fatalf("after %v still not: %s", patience, what)
	}
}

// calls returns when a command of Slurm was called, in seconds, or with "ended:" before its name when it ended.
func (s *site) calls(name string) (times []float64) {
	s.Helper()
	text, err := os.ReadFile(s.path("calls"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			at, err := strconv.ParseFloat(words[1], 64)
			if err != nil {
				s.Fatalf("a call of %s: %q", name, line)
			}
			times = append(times, at)
		}
	}
	return times
}

// killDaemon kills the daemon as a crash would.
func (s *site) killDaemon() {
	s.Helper()
	var registry api.Registry
	data, err := os.ReadFile(s.path("run/" + api.FileRegistry))
	if err == nil {
		err = json.Unmarshal(data, &registry)
	}
	if err == nil {
		err = syscall.Kill(registry.PID, syscall.SIGKILL)
	}
	if err != nil {
		s.Fatal(err)
	}
	s.await("the daemon has ended", func() bool { return errors.Is(syscall.Kill(registry.PID, 0), syscall.ESRCH) })
}

// nothingLeft fails the test if Slurm has jobs, or nodes have processes of them.
func (s *site) nothingLeft() {
	s.Helper()
	var jobs []string
	var pids []int
	if !await(func() bool {
		var err1, err2 error
		jobs, err1 = s.Jobs()
		pids, err2 = s.Processes()
		return errors.Join(err1, err2) == nil && len(jobs)+len(pids) == 0
	}) {
		for _, pid := range pids {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			s.Logf("process %d: %s", pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
		s.Errorf("left are jobs %q and processes %v", jobs, pids)
	}
}

// noProcess checks that no process of a job is left.
func (s *site) noProcess() {
	s.Helper()
	var pids []int
	if !await(func() bool {
		var err error
		pids, err = s.Processes()
		return err == nil && len(pids) == 0
	}) {
		s.Errorf("left are processes %v", pids)
	}
}

// start starts the workfile on the cluster and returns.
func (s *site) start(args ...string) {
	s.Helper()
	s.wfOutput(0, append([]string{"run", "--detach", "--executor", "hpc"}, args...)...)
}

// finish waits for the end of the run and returns the exit status of wf status --exit-code.
func (s *site) finish() int { return s.finishWithin(3 * patience) }

func (s *site) finishWithin(most time.Duration) int {
	s.Helper()
	const active = 7
	code := active
	for limit := time.Now().Add(most); code == active; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(limit) {
			s.Fatalf("the run has not ended: %s", s.wfOutput(0, "status"))
		}
		cmd := s.command("status", "--exit-code")
		out, err := cmd.CombinedOutput()
		if code = cmd.ProcessState.ExitCode(); code > active || code < 0 {
			s.Fatalf("wf status: %v: %s", err, out)
		}
	}
	return code
}

// since returns the time since then in a short form.
func since(then time.Time) time.Duration { return time.Since(then).Round(100 * time.Millisecond) }
