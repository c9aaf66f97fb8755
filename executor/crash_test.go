package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/executortest"
	"wf/executor/proc"
)

// A run is an open run and the channel of its reports.
type run struct {
	*testing.T
	dir     string
	session executor.Session
	reports chan executor.Report
	seen    []executor.Report
}

func openRun(t *testing.T, x executor.Executor, dir string) *run {
	t.Helper()
	return openRunAs(t, x, dir, t.Name())
}

// openRunAs opens a run with a marker.
func openRunAs(t *testing.T, x executor.Executor, dir, marker string) *run {
	t.Helper()
	r := &run{T: t, dir: dir, reports: make(chan executor.Report, 100)}
	session, err := x.Open(context.Background(), executor.Spec{
		Dir: dir, Cwd: t.TempDir(), Width: 8, Env: []string{"PATH=" + os.Getenv("PATH"), "WF_RUN_ID=" + marker},
		Report: func(reports []executor.Report) {
			for _, report := range reports {
				r.reports <- report
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.session = session
	return r
}

func (r *run) start(node int, command string) {
	r.Helper()
	if err := r.tryStart(node, command); err != nil {
		r.Fatal(err)
	}
}

// tryStart is start for a session that may be lost already; it returns the error.
func (r *run) tryStart(node int, command string) error {
	env := []string{fmt.Sprint("WF_NODE_ID=", node), "WF_EXECUTION=1"}
	return r.session.Start([]executor.Job{{ID: executor.ID{Node: node, Execution: 1}, Command: command, Env: env}})
}

// await returns the report of that kind about the node. It keeps earlier reports for later calls.
func (r *run) await(kind executor.Kind, node int) executor.Report {
	r.Helper()
	want := func(report executor.Report) bool { return report.Kind == kind && report.ID.Node == node }
	for {
		if i := slices.IndexFunc(r.seen, want); i >= 0 {
			report := r.seen[i]
			r.seen = slices.Delete(r.seen, i, i+1)
			return report
		}
		select {
		case report := <-r.reports:
			r.seen = append(r.seen, report)
		case <-time.After(executortest.Timeout):
			r.Fatalf("node %d: no report of kind %d, have %+v", node, kind, r.seen)
		}
	}
}

func (r *run) close() {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), executortest.Timeout)
	defer cancel()
	if survivors, err := r.session.Close(ctx); err != nil || len(survivors) > 0 {
		r.Errorf("close: survivors %v, error %v", survivors, err)
	}
	if err := errorOutput(filepath.Join(r.dir, "runner.log")); err != nil {
		r.Error(err)
	}
}

// killRunner kills the runner with SIGKILL.
func (r *run) killRunner() {
	r.Helper()
	r.killRunnerOf(filepath.Join(r.dir, "record"))
}

// killRunnerOf kills the latest runner in a runner log.
func (r *run) killRunnerOf(record string) {
	r.Helper()
	pid := r.runnerPIDOf(record)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		r.Fatalf("runner %d: %v", pid, err)
	}
}

// runnerPID returns the pid of the latest runner.
func (r *run) runnerPID() int {
	r.Helper()
	return r.runnerPIDOf(filepath.Join(r.dir, "record"))
}

// runnerPIDOf returns the pid of the latest runner in a runner log.
func (r *run) runnerPIDOf(record string) int {
	r.Helper()
	text, err := os.ReadFile(record)
	if err != nil {
		r.Fatal(err)
	}
	pid := 0
	for line := range strings.Lines(string(text)) {
		var e struct {
			Kind string `json:"k"`
			PID  int    `json:"p"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			r.Fatal(err)
		}
		if e.Kind == "runner" {
			pid = e.PID
		}
	}
	if pid <= 1 {
		r.Fatalf("%s names no runner", record)
	}
	return pid
}

// pipe creates a named pipe and returns a function that lets its reader go on.
func (r *run) pipe() (path string, release func()) {
	r.Helper()
	path = filepath.Join(r.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		r.Fatal(err)
	}
	return path, func() {
		if err := os.WriteFile(path, []byte("go\n"), 0); err != nil {
			r.Fatal(err)
		}
	}
}

// TestRunnerDiesMerged kills the runner while a command runs whose streams are merged.
func TestRunnerDiesMerged(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	r := openRun(t, newLocal(t), t.TempDir())
	pipe, release := r.pipe()
	job := executor.Job{ID: executor.ID{Execution: 1}, Command: "echo one >&2; read x <" + pipe + "; echo two; echo three >&2", Merge: true}
	if err := r.session.Start([]executor.Job{job}); err != nil {
		t.Fatal(err)
	}
	r.await(executor.Started, 0)
	r.killRunner()
	release()
	end := r.await(executor.Ended, 0)
	if end.Err != (executor.Range{}) || end.Out.End-end.Out.Start != int64(len("one\ntwo\nthree\n")) {
		t.Errorf("stdout %+v, stderr %+v", end.Out, end.Err)
	}
	r.close()
}

// TestRunnerDies kills the runner while a command runs: the command goes on, and the next runner learns how it ends and
// takes further jobs.
func TestRunnerDies(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	r := openRun(t, newLocal(t), t.TempDir())
	pipe, release := r.pipe()
	r.start(0, "read x <"+pipe+"; echo late; exit 7")
	pid := r.await(executor.Started, 0).PID
	r.killRunner()
	r.start(1, "exit 8") // handed to the dead runner, and sent again to the next one
	if end := r.await(executor.Ended, 1); end.Exit.Code != 8 {
		t.Errorf("started after the death: %+v", end.Exit)
	}
	release()
	end := r.await(executor.Ended, 0)
	if end.Exit.Lost || end.Exit.Code != 7 {
		t.Errorf("started before the death: %+v", end)
	}
	if end.Out.End-end.Out.Start != int64(len("late\n")) {
		t.Errorf("output %+v", end.Out)
	}
	if end.Err.File == "" {
		t.Error("standard error has no file of its own")
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("process %d: %v, want it reaped", pid, err)
	}
	r.close()
}

// TestWaitingJobsOutliveTheRunner kills the runner while jobs wait: none of them is lost, and none runs twice.
func TestWaitingJobsOutliveTheRunner(t *testing.T) {
	r := openRun(t, newLocal(t), t.TempDir())
	r.session.SetWidth(1)
	pipe, release := r.pipe()
	log := filepath.Join(r.TempDir(), "log")
	const waiting = 5
	jobs := []executor.Job{{ID: executor.ID{Execution: 1}, Command: "read x <" + pipe}}
	for node := 1; node <= waiting; node++ {
		id := executor.ID{Node: node, Execution: 1}
		jobs = append(jobs, executor.Job{ID: id, Command: fmt.Sprintf("echo %d >>%s", node, log)})
	}
	if err := r.session.Start(jobs); err != nil {
		t.Fatal(err)
	}
	r.await(executor.Started, 0)
	r.killRunner()
	release()
	for node := range jobs {
		if end := r.await(executor.Ended, node); end.Exit.Code != 0 || end.Exit.Lost || end.Exit.Failed {
			t.Errorf("node %d: %+v %s", node, end.Exit, end.Message)
		}
	}
	if text, err := os.ReadFile(log); err != nil || string(text) != "1\n2\n3\n4\n5\n" {
		t.Errorf("log %q, error %v", text, err)
	}
	r.close()
}

// TestStopAfterRunnerDied checks that the next runner stops an execution that is not its child, and kills the processes
// that commands have left.
func TestStopAfterRunnerDied(t *testing.T) {
	r := openRun(t, newLocal(t), t.TempDir())
	pipe, _ := r.pipe()
	r.start(0, "setsid sleep 1000 & trap '' TERM; while :; do read x <"+pipe+"; done")
	r.start(1, "setsid sleep 1000 &")
	pid := r.await(executor.Started, 0).PID
	r.await(executor.Ended, 1)
	r.killRunner()
	r.session.Stop([]executor.ID{{Node: 0, Execution: 1}}, 50*time.Millisecond)
	if end := r.await(executor.Ended, 0); !end.Exit.Stopped {
		t.Errorf("stopped: %+v", end)
	}
	if state := stateOf(pid); state != "" && state != "Z" {
		t.Errorf("process %d is left in state %s", pid, state)
	}
	r.close()
	if left := withEnvironment(t, "WF_RUN_ID="+t.Name()); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

// TestForkStorm stops a command that starts processes, each in a new session, faster than they could be killed one by
// one.
func TestForkStorm(t *testing.T) {
	r := openRun(t, newLocal(t), t.TempDir())
	pipe, release := r.pipe()
	r.start(0, "trap '' TERM; read x <"+pipe+"; i=0; while [ $i -lt 500 ]; do setsid sleep 1000 & i=$((i+1)); done; wait")
	r.await(executor.Started, 0)
	release()
	r.session.Stop([]executor.ID{{Node: 0, Execution: 1}}, 200*time.Millisecond)
	if end := r.await(executor.Ended, 0); !end.Exit.Stopped || end.Message != "" {
		t.Errorf("stopped: %+v", end)
	}
	left := withEnvironment(t, "WF_RUN_ID="+t.Name())
	if len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	r.close()
}

func stateOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, state, _ := strings.Cut(string(text), ") ")
	return state[:1]
}

// withEnvironment returns the processes that have the variable.
func withEnvironment(t *testing.T, variable string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), variable) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// TestLogOfADeadRunner opens runs whose log an earlier runner has left in various states.
func TestLogOfADeadRunner(t *testing.T) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Skip("no /proc here")
	}
	const intent, fork = `{"k":"intent","n":0,"e":1}`, `{"k":"fork","n":0,"e":1}`
	start := fmt.Sprintf(`{"k":"start","n":0,"e":1,"t":1,"p":%d,"b":[1,1],"s":1,"o":[0,-1],"x":[0,-1]}`, os.Getpid())
	for _, c := range []struct {
		name  string
		boot  string
		lines []string
		want  executor.Exit
	}{
		{"forked or not", "", []string{intent, fork}, executor.Exit{Lost: true}},
		{"forked before the boot or not", "other", []string{intent}, executor.Exit{Lost: true}},
		{"gone, its pid reused", "", []string{intent, start}, executor.Exit{Lost: true}},
		{"before the boot", "other", []string{intent, start}, executor.Exit{Lost: true}},
		{"exit known, no process left", "", []string{
			intent, start, `{"k":"stop","n":0,"e":1,"t":1}`, `{"k":"exit","n":0,"e":1,"c":5}`,
		}, executor.Exit{Code: 5, Stopped: true}},
		{"ended", "", []string{intent, start, `{"k":"end","n":0,"e":1,"t":2,"p":1,"c":6}`}, executor.Exit{Code: 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.boot == "" {
				c.boot = strings.TrimSpace(string(boot))
			}
			lines := append([]string{fmt.Sprintf(`{"k":"runner","n":0,"e":0,"p":1,"boot":%q}`, c.boot)}, c.lines...)
			text := strings.Join(lines, "\n") + "\n"
			if err := os.WriteFile(filepath.Join(dir, "record"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			r := openRun(t, newLocal(t), dir)
			if end := r.await(executor.Ended, 0); end.Exit != c.want {
				t.Errorf("exit %+v, want %+v (%s)", end.Exit, c.want, end.Message)
			}
			r.close()
		})
	}
}

// TestPowerCutInAChain checks a chain after a crash of the machine: a node with an intent may have started, even if the end
// of the node before it did not reach the disk, so it is lost. It is reported first. A node whose intent was taken back is
// not reported.
func TestPowerCutInAChain(t *testing.T) {
	dir := t.TempDir()
	entry := func(kind string, node int) string { return fmt.Sprintf(`{"k":%q,"n":%d,"e":1}`, kind, node) }
	lines := []string{`{"k":"runner","n":0,"e":0,"p":1,"boot":"other"}`, entry("intent", 0), entry("intent", 1), entry("intent", 2), entry("intent", 3),
		entry("fork", 0), `{"k":"start","n":0,"e":1,"t":1,"p":1,"b":[1,1],"s":1,"o":[0,-1],"x":[0,-1]}`, entry("forget", 3)}
	if err := os.WriteFile(filepath.Join(dir, "record"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := openRun(t, newLocal(t), dir)
	r.start(3, "exit 9") // it has not started, so it can be executed
	r.await(executor.Ended, 3)
	var ended []int
	for _, report := range r.seen {
		if report.Kind == executor.Ended {
			ended = append(ended, report.ID.Node)
			if !report.Exit.Lost {
				t.Errorf("node %d: %+v", report.ID.Node, report.Exit)
			}
		}
	}
	if !slices.Equal(ended, []int{2, 1, 0}) {
		t.Errorf("ended %v", ended)
	}
	r.close()
}

// TestRunnerCannotStart checks that the run is held instead of starting runner after runner, and is given up when it is to
// end.
func TestRunnerCannotStart(t *testing.T) {
	for name, program := range map[string][]string{
		"dies at once":             {"/bin/false"},
		"has a log it cannot read": nil,
	} {
		t.Run(name, func(t *testing.T) {
			x, dir := newLocal(t).(*executor.Local), t.TempDir()
			if program != nil {
				x.Program = program
			} else if err := os.Mkdir(filepath.Join(dir, "record"), 0o700); err != nil {
				t.Fatal(err)
			}
			r := openRun(t, x, dir)
			if report := <-r.reports; report.Kind != executor.Held || report.Message == "" {
				t.Errorf("report %+v", report)
			}
			if _, err := r.session.Close(context.Background()); err == nil {
				t.Error("close of a broken run returns no error")
			}
		})
	}
}

// TestDiskFull lets writes to the runner log fail for a while: the running command goes on and ends, and no other starts.
// Once writes succeed again the end is reported, the waiting command starts, and nothing is lost.
func TestDiskFull(t *testing.T) {
	r := openRun(t, newLocal(t), t.TempDir())
	pipe, release := r.pipe()
	r.start(0, "read x <"+pipe+"; exit 5")
	pid := r.await(executor.Started, 0).PID
	full := filepath.Join(r.dir, fullDisk)
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.start(1, "exit 6")
	if held := r.await(executor.Held, 0); !strings.Contains(held.Message, "no space") {
		t.Errorf("report %+v", held)
	}
	if stateOf(pid) == "" {
		t.Error("the running command was killed")
	}
	release()
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	if end := r.await(executor.Ended, 0); end.Exit.Code != 5 {
		t.Errorf("the running command: %+v", end)
	}
	if end := r.await(executor.Ended, 1); end.Exit.Code != 6 {
		t.Errorf("the waiting command: %+v", end)
	}
	if held := r.await(executor.Held, 0); held.Message != "" {
		t.Errorf("report %+v", held)
	}
	r.close()
}

func TestOpenRefuses(t *testing.T) {
	nowhere := executor.Spec{Dir: t.TempDir(), Cwd: "/no/such/folder", Env: []string{}}
	if _, err := newLocal(t).Open(context.Background(), nowhere); err == nil {
		t.Error("a working directory that does not exist was taken")
	}
}

// TestDeepFolder opens a run in a folder whose path is longer than the address of a socket.
func TestDeepFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has short paths to a deep folder")
	}
	x := newLocal(t).(*executor.Local)
	x.Sockets = filepath.Join(t.TempDir(), strings.Repeat("s", 120))
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 120))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	first := openRun(t, x, dir)
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	first.start(0, "read x < "+fifo+"; exit 7")
	first.await(executor.Started, 0)
	first.session.Detach()
	next := openRun(t, x, dir)
	next.await(executor.Started, 0)
	if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if end := next.await(executor.Ended, 0); end.Exit.Code != 7 {
		t.Errorf("end %+v", end)
	}
	next.close()
}

func TestFilesArePrivate(t *testing.T) {
	dir := t.TempDir()
	r := openRun(t, newLocal(t), dir)
	r.start(0, "echo secret; cat "+filepath.Join(dir, "env")+" >/dev/null")
	if end := r.await(executor.Ended, 0); end.Exit.Code != 0 {
		t.Errorf("no environment file while the run goes on: %+v", end.Exit)
	}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && path != dir && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.close()
}
