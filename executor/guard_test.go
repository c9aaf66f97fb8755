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
	"wf/executor/proc"
)

// TestRecordGoneUnderARunner removes the record while a command runs: that goes on and ends, nothing
// starts and the reason is told, until the record is back in its place.
func TestRecordGoneUnderARunner(t *testing.T) {
	r := openRun(t, newLocal(t), t.TempDir())
	pipe, tell := r.pipe()
	r.start(0, "read x <"+pipe+"; exit 5")
	r.await(executor.Started, 0)
	record := filepath.Join(r.dir, "record")
	if err := os.Rename(record, record+".old"); err != nil {
		t.Fatal(err)
	}
	waiting := 1
	var held executor.Report
	for ; held.Kind != executor.Held; waiting++ { // a look counts for a moment
		r.start(waiting, "exit 6")
		for held = <-r.reports; held.Kind != executor.Held && held.Kind != executor.Ended; held = <-r.reports {
		}
	}
	if !strings.Contains(held.Message, "removed") {
		t.Errorf("report %+v", held)
	}
	tell()
	if end := r.await(executor.Ended, 0); end.Exit.Code != 5 || end.Exit.Lost {
		t.Errorf("what ran: %+v", end)
	}
	if err := os.Rename(record+".old", record); err != nil {
		t.Fatal(err)
	}
	if held := r.await(executor.Held, 0); held.Message != "" {
		t.Errorf("report %+v", held)
	}
	if end := r.await(executor.Ended, waiting-1); end.Exit.Code != 6 {
		t.Errorf("what waited: %+v", end)
	}
	r.close()
}

// TestRecordGoneWithItsRunner kills the runner and does something to what it has written, with one
// command that runs and one that has ended: nothing is executed again, the session is given up with
// the reason, and what ran is killed, since nobody could say how it ends.
func TestRecordGoneWithItsRunner(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	for name, deed := range map[string]func(dir string) error{
		"record removed": func(dir string) error { return os.Remove(filepath.Join(dir, "record")) },
		"record emptied": func(dir string) error { return os.Truncate(filepath.Join(dir, "record"), 0) },
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
			t.Run(name+"/"+word, func(t *testing.T) { recordGone(t, deed, again) })
		}
	}
}

// cutAtFork takes away what tells that anything was forked, with whole lines.
func cutAtFork(dir string) error {
	path := filepath.Join(dir, "record")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	keep := strings.Index(string(text), `{"k":"fork"`)
	return os.Truncate(path, int64(keep))
}

func recordGone(t *testing.T, deed func(dir string) error, again bool) {
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
	if again { // a daemon that knows only from its journal what was handed over
		r.session.Detach()
	}
	runner := r.runnerPID()
	if err := syscall.Kill(runner, syscall.SIGSTOP); err != nil { // so that the deed comes before the next one
		t.Fatal(err)
	}
	if err := deed(dir); err != nil {
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
		r.start(1, "echo 1 >>"+log)
	}
	broken := r.await(executor.Broken, 0)
	if !strings.Contains(broken.Message, "runner log") {
		t.Errorf("report %+v", broken)
	}
	if _, err := r.session.Close(context.Background()); err == nil {
		t.Error("close of a run that is lost says that all is well")
	}
	if text, err := os.ReadFile(log); err != nil || string(text) != "0\n1\n" {
		t.Errorf("log %q, error %v: want one execution of each", text, err)
	}
	if again && strings.Contains(t.Name(), "folder") { // nothing is left that tells what to kill
		syscall.Kill(pid, syscall.SIGKILL)
	}
	for begin := time.Now(); stateOf(pid) != "" && stateOf(pid) != "Z"; {
		if time.Since(begin) > patience {
			t.Fatalf("process %d is left in state %s", pid, stateOf(pid))
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "env")); err == nil {
		t.Error("the environment is left")
	}
	x.Reap()
}

// entries counts those of the record.
func entries(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "record"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// awaitFile waits until the file holds the text.
func awaitFile(t *testing.T, path, want string) {
	t.Helper()
	for begin := time.Now(); ; {
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), want) {
			return
		}
		if time.Since(begin) > patience {
			t.Fatalf("%s holds %q, want %q (%v)", path, text, want, err)
		}
	}
}
