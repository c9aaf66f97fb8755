package executor_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/executortest"
	"wf/executor/proc"
)

// hooked returns a job of node 1 whose command and hooks append to the file log. In the texts, FILE is its path.
func (r *run) hooked(log, before, command, after string) executor.Job {
	fill := func(text string) string { return strings.ReplaceAll(text, "FILE", log) }
	job := executor.Job{ID: executor.ID{Node: 1, Execution: 1}, Command: fill(command), Merge: true,
		Env:    []string{"WF_NODE_ID=1", "WF_EXECUTION=1", "WF_OUTPUT=" + r.fate()},
		Around: &executor.Around{Name: "one", Env: []string{"WF_ATTEMPT=7"}, Log: r.hookLog(), Fate: r.fate()}}
	if before != "" {
		job.Around.Before = []executor.Hook{{Event: "before_node", From: "the test", Command: fill(before), TimeoutMS: time.Minute.Milliseconds()}}
	}
	if after != "" {
		job.Around.After = []executor.Hook{{Event: "after_node", From: "the test", Command: fill(after), TimeoutMS: time.Minute.Milliseconds()}}
	}
	return job
}

func (r *run) fate() string    { return filepath.Join(r.dir, "fate") }
func (r *run) hookLog() string { return filepath.Join(r.dir, "hooks") }

// readFate returns the fate of the job, zero if there is none.
func (r *run) readFate() executor.Fate {
	r.Helper()
	f, err := executor.ReadFate(r.fate())
	if err != nil {
		r.Fatal(err)
	}
	if f == nil {
		f = &executor.Fate{}
	}
	return *f
}

func (r *run) execute(job executor.Job) executor.Report {
	r.Helper()
	if err := r.session.Start([]executor.Job{job}); err != nil {
		r.Fatal(err)
	}
	return r.await(executor.Ended, 1)
}

func (r *run) text(path string) string {
	r.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		r.Fatal(err)
	}
	return string(text)
}

// TestAround checks the order of hooks and command, their variables, and that the execution ends as the command did.
func TestAround(t *testing.T) {
	const after = `echo "after $WF_HOOK $WF_ATTEMPT $WF_NODE_RESULT $WF_EXIT_CODE $WF_SIGNAL, $(tail -c +$((WF_NODE_LOG_START + 1)) "$WF_NODE_LOG")" >>FILE`
	for name, c := range map[string]struct {
		before, command, after, log string
		exit                        executor.Exit
		refused                     bool
		failures                    int
	}{
		"success": {before: "echo before $WF_HOOK ${WF_OUTPUT-none} >>FILE", command: "echo run >>FILE; echo said", after: after,
			log: "before before_node none\nrun\nafter after_node 7 succeeded 0 , said\n"},
		"failure":             {command: "exit 3", after: after, log: "after after_node 7 failed 3 , \n", exit: executor.Exit{Code: 3}},
		"signal":              {command: "kill -KILL $$", after: after, log: "after after_node 7 failed  SIGKILL, \n", exit: executor.Exit{Signal: 9}},
		"a signal of Go":      {command: "kill -SEGV $$", exit: executor.Exit{Signal: 11}, before: "true"},
		"refusal":             {before: "echo no; exit 4", command: "echo run >>FILE", after: after, exit: executor.Exit{Code: 1}, refused: true, failures: 1},
		"a failed last one":   {command: "exit 5", after: "echo tidied >>FILE; exit 6", log: "tidied\n", exit: executor.Exit{Code: 5}, failures: 1},
		"signals its group":   {before: "true", command: "trap 'echo caught >>FILE; exit 7' USR1; kill -USR1 0; sleep 1000", log: "caught\n", exit: executor.Exit{Code: 7}},
		"a flood":             {before: "head -c 10000000 /dev/zero; echo before >>FILE", command: "echo run >>FILE", log: "before\nrun\n"},
		"a hook stays behind": {before: "sleep 1000 & echo before >>FILE", command: "echo run >>FILE", log: "before\nrun\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := openRun(t, newLocal(t), t.TempDir())
			log := filepath.Join(t.TempDir(), "log")
			end := r.execute(r.hooked(log, c.before, c.command, c.after))
			if got := (executor.Exit{Code: end.Exit.Code, Signal: end.Exit.Signal, Failed: end.Exit.Failed, Lost: end.Exit.Lost, Stopped: end.Exit.Stopped}); got != c.exit {
				t.Errorf("%+v, want %+v", got, c.exit)
			}
			if got := r.text(log); got != c.log {
				t.Errorf("log %q, want %q", got, c.log)
			}
			f := r.readFate()
			if f.Refused != c.refused || len(f.Failures) != c.failures || f.Ended != (c.after != "" && !c.refused) || f.Ended && (f.Code != c.exit.Code || f.Signal != c.exit.Signal) {
				t.Errorf("%+v", f)
			}
			if c.refused && (strings.TrimSpace(f.Failures[0].Said) != "no" || f.Failures[0].Error != "exit status 4" || f.Failures[0].Event != "before_node") {
				t.Errorf("%+v", f.Failures)
			}
			hooks := r.text(r.hookLog())
			if n := len(hooks); n == 0 || n > 20<<10 || !strings.Contains(hooks, "_node of the test, one, ") {
				t.Errorf("%d bytes of hooks", n)
			}
			r.close()
			if left := withEnvironment(t, "WF_RUN_ID="+t.Name()); len(left) > 0 {
				t.Errorf("processes %v are left", left)
			}
			if files, err := filepath.Glob(filepath.Join(r.dir, "around-*")); err != nil || len(files) > 0 {
				t.Errorf("files %v are left, %v", files, err)
			}
		})
	}
}

// TestHookHangs checks that a hook which takes too long is killed with its group, and refuses the command.
func TestHookHangs(t *testing.T) {
	r := openRun(t, newLocal(t), t.TempDir())
	log := filepath.Join(t.TempDir(), "log")
	job := r.hooked(log, "echo hangs; sleep 1000 & sleep 1000", "echo run >>FILE", "")
	job.Around.Before[0].TimeoutMS = 50
	r.execute(job)
	if f := r.readFate(); !f.Refused || f.Failures[0].Error != "it took longer than 50ms" || f.Failures[0].Said != "hangs\n" && f.Failures[0].Said != "" {
		t.Errorf("%+v", f)
	}
	if got := r.text(log); got != "" {
		t.Errorf("log %q", got)
	}
	r.close()
}

// TestStopAround stops an execution at each of its three parts.
func TestStopAround(t *testing.T) {
	const wait = "echo go >PIPE; sleep 1000"
	for name, c := range map[string]struct {
		before, command, after string
		log                    string
		ended, stopped         bool
	}{
		"in the hook before": {before: wait, command: "echo run >>FILE", after: "echo after >>FILE"},
		"in the command":     {before: "true", command: wait, after: "echo after $WF_NODE_RESULT >>FILE", log: "after cancelled\n", ended: true, stopped: true},
		"in a command that ends well": {command: "trap 'exit 0' TERM; echo go >PIPE; while :; do sleep 0.01; done",
			after: "echo after >>FILE", log: "after\n", ended: true, stopped: true},
		"in the hook after": {command: "echo run >>FILE", after: wait, log: "run\n", ended: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := openRun(t, newLocal(t), t.TempDir())
			log, pipe := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			fill := func(text string) string { return strings.ReplaceAll(text, "PIPE", pipe) }
			job := r.hooked(log, fill(c.before), fill(c.command), fill(c.after))
			if err := r.session.Start([]executor.Job{job}); err != nil {
				t.Fatal(err)
			}
			if _, err := os.ReadFile(pipe); err != nil { // the part has begun
				t.Fatal(err)
			}
			r.session.Stop([]executor.ID{job.ID}, executortest.Timeout)
			if end := r.await(executor.Ended, 1); !end.Exit.Stopped {
				t.Errorf("%+v", end.Exit)
			}
			// A hook before the command dies of TERM as if it refused; that the execution was stopped counts for more.
			if f := r.readFate(); f.Ended != c.ended || f.Stopped != c.stopped || f.Refused && c.before != wait {
				t.Errorf("%+v", f)
			}
			if got := r.text(log); got != c.log {
				t.Errorf("log %q, want %q", got, c.log)
			}
			r.close()
		})
	}
}

// TestKillAround stops an execution without grace while a hook hangs that ignores TERM.
func TestKillAround(t *testing.T) {
	r := openRun(t, newLocal(t), t.TempDir())
	pipe, _ := r.pipe()
	job := r.hooked("", "trap '' TERM; echo go >"+pipe+"; while :; do sleep 1000; done", "true", "")
	if err := r.session.Start([]executor.Job{job}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(pipe); err != nil {
		t.Fatal(err)
	}
	r.session.Stop([]executor.ID{job.ID}, 0)
	if end := r.await(executor.Ended, 1); !end.Exit.Stopped {
		t.Errorf("%+v", end.Exit)
	}
	r.close()
	if left := withEnvironment(t, "WF_RUN_ID="+t.Name()); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

// TestRunnerDiesAround kills the runner at every point of an execution with hooks, and while each of its parts runs: each part runs
// once, and the exit code of the command is reported.
func TestRunnerDiesAround(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	const step = "; echo go >PIPE; read x <PIPE"
	parts := []string{"", "", ""}
	check := func(t *testing.T, parts []string, point string) {
		r := openRun(t, newLocal(t), t.TempDir())
		log, pipe := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		fill := func(text string) string { return strings.ReplaceAll(text, "PIPE", pipe) }
		job := r.hooked(log, fill("echo before >>FILE"+parts[0]), fill("echo run >>FILE"+parts[1]+"; exit 3"), fill("echo after >>FILE"+parts[2]))
		if point != "" {
			if err := os.WriteFile(filepath.Join(r.dir, deathFile), []byte(point+" at 1"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.session.Start([]executor.Job{job}); err != nil {
			t.Fatal(err)
		}
		if point == "" {
			if _, err := os.ReadFile(pipe); err != nil {
				t.Fatal(err)
			}
			r.killRunner()
			if err := os.WriteFile(pipe, []byte("go\n"), 0); err != nil {
				t.Fatal(err)
			}
		}
		if end := r.await(executor.Ended, 1); end.Exit.Lost || end.Exit.Failed || end.Exit.Code != 3 {
			t.Errorf("%+v %s", end.Exit, end.Message)
		}
		if got := r.text(log); got != "before\nrun\nafter\n" {
			t.Errorf("log %q", got)
		}
		r.close()
	}
	for i, name := range []string{"before", "command", "after"} {
		t.Run(name, func(t *testing.T) {
			waits := slices.Clone(parts)
			waits[i] = step
			check(t, waits, "")
		})
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) { check(t, parts, point) })
	}
}
