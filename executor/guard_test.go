package executor_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/executortest"
	"wf/executor/proc"
)

// TestLogRemovedDuringARun removes the runner log while a command runs: the command goes on and ends, and the run is held
// with the reason until the file is back in its place.
func TestLogRemovedDuringARun(t *testing.T) {
	r := openRun(t, newLocal(t), t.TempDir())
	pipe, release := r.pipe()
	r.start(0, "read x <"+pipe+"; exit 5")
	r.await(executor.Started, 0)
	record := filepath.Join(r.dir, "record")
	if err := os.Rename(record, record+".old"); err != nil {
		t.Fatal(err)
	}
	waiting := 1
	var held executor.Report
	for ; held.Kind != executor.Held; waiting++ { // checks are guardPause apart
		r.start(waiting, "exit 6")
		for held = <-r.reports; held.Kind != executor.Held && held.Kind != executor.Ended; held = <-r.reports {
		}
	}
	if !strings.Contains(held.Message, "removed") {
		t.Errorf("report %+v", held)
	}
	release()
	if end := r.await(executor.Ended, 0); end.Exit.Code != 5 || end.Exit.Lost {
		t.Errorf("the running command: %+v", end)
	}
	if err := os.Rename(record+".old", record); err != nil {
		t.Fatal(err)
	}
	if held := r.await(executor.Held, 0); held.Message != "" {
		t.Errorf("report %+v", held)
	}
	if end := r.await(executor.Ended, waiting-1); end.Exit.Code != 6 {
		t.Errorf("the waiting command: %+v", end)
	}
	r.close()
}

// TestLogLostWithItsRunner kills the runner and damages its files, with one command running and one ended: nothing is
// executed again, the session breaks with the reason, and the running command is killed, because no runner could report how
// it ends.
func TestLogLostWithItsRunner(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(dir string) error{
		"log removed":    func(dir string) error { return os.Remove(filepath.Join(dir, "record")) },
		"log emptied":    func(dir string) error { return os.Truncate(filepath.Join(dir, "record"), 0) },
		"record cut":     cutAtFork,
		"folder removed": os.RemoveAll,
		"folder emptied": func(dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			return os.Mkdir(dir, 0o700)
		},
	} {
		for _, again := range []bool{false, true} {
			word := map[bool]string{false: "same daemon", true: "next daemon"}[again]
			t.Run(name+"/"+word, func(t *testing.T) { logLost(t, damage, again) })
		}
	}
}

// cutAtFork removes all lines from the first fork entry on.
func cutAtFork(dir string) error {
	path := filepath.Join(dir, "record")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	keep := strings.Index(string(text), `{"k":"fork"`)
	return os.Truncate(path, int64(keep))
}

func logLost(t *testing.T, damage func(dir string) error, again bool) {
	x := newLocal(t).(*executor.Local)
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := openRun(t, x, dir)
	log := filepath.Join(t.TempDir(), "log")
	pipe, _ := r.pipe()
	r.start(0, "echo 0 >>"+log)
	r.await(executor.Ended, 0)
	r.start(1, "echo 1 >>"+log+"; read x <"+pipe)
	pid := r.await(executor.Started, 1).PID
	awaitFile(t, log, "0\n1\n")
	awaitFile(t, filepath.Join(dir, "lock"), fmt.Sprintf("entries %12d written", entries(t, dir)))
	if again { // a daemon that has only its journal
		r.session.Detach()
	}
	runner := r.runnerPID()
	if err := syscall.Kill(runner, syscall.SIGSTOP); err != nil { // so that the damage is done before the next runner starts
		t.Fatal(err)
	}
	if err := damage(dir); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(runner, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if again {
		next := *r
		next.reports = make(chan executor.Report, 100)
		session, err := x.Open(context.Background(), executor.Spec{Dir: dir, Cwd: t.TempDir(), Width: 8, Report: func(list []executor.Report) {
			for _, report := range list {
				next.reports <- report
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		next.session, r = session, &next
		// The session finds the damage at once, perhaps before it gets the job.
		if err := r.tryStart(1, "echo 1 >>"+log); err != nil && !strings.Contains(err.Error(), "runner log") {
			t.Fatal(err)
		}
	}
	broken := r.await(executor.Broken, 0)
	if !strings.Contains(broken.Message, "runner log") {
		t.Errorf("report %+v", broken)
	}
	if _, err := r.session.Close(context.Background()); err == nil {
		t.Error("close of a lost run returns no error")
	}
	if text, err := os.ReadFile(log); err != nil || string(text) != "0\n1\n" {
		t.Errorf("log %q, error %v: want one execution of each", text, err)
	}
	if again && strings.Contains(t.Name(), "folder") { // nothing is left by which the processes could be found
		syscall.Kill(pid, syscall.SIGKILL)
	}
	for begin := time.Now(); stateOf(pid) != "" && stateOf(pid) != "Z"; {
		if time.Since(begin) > executortest.Timeout {
			t.Fatalf("process %d is left in state %s", pid, stateOf(pid))
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "env")); err == nil {
		t.Error("the environment is left")
	}
	x.Reap()
}

// entries returns the number of entries in the runner log.
func entries(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "record"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// awaitFile waits until the file contains the text.
func awaitFile(t *testing.T, path, want string) {
	t.Helper()
	for begin := time.Now(); ; {
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), want) {
			return
		}
		if time.Since(begin) > executortest.Timeout {
			t.Fatalf("%s holds %q, want %q (%v)", path, text, want, err)
		}
	}
}
