package executor_test

import (
	"fmt"
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

// points are the points of runner.Options.Reached, in order.
var points = []string{"intent", "fork entry", "forked", "started", "died", "end noted", "end written"}

// TestRunnerDiesAtEachPoint kills the runner once at every point of an execution, with commands that the next runner has to
// tell apart. Each command runs once, and its own exit code is reported.
func TestRunnerDiesAtEachPoint(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	commands := map[string]struct {
		line string
		code int
	}{
		"short":                                {"sh -c 'echo run >>log; exit 3'", 3},
		"waits for the next":                   {"echo run >>log; read x <pipe; exit 4", 4},
		"leaves a session":                     {"echo run >>log; setsid sleep 1000 & exit 5", 5},
		"executes another program":             {"echo run >>log; exec sh -c 'exit 6'", 6},
		"leaves a process without environment": {"echo run >>log; env -i setsid sh -c 'echo $$ >orphan; exec sleep 1000' & exit 7", 7},
	}
	for name, c := range commands {
		for _, point := range points {
			t.Run(name+"/"+point, func(t *testing.T) {
				dieOnce(t, point, c.line, c.code)
			})
		}
	}
}

func dieOnce(t *testing.T, point, line string, code int) {
	x := newLocal(t).(*executor.Local)
	r := openRun(t, x, t.TempDir())
	pipe, release := r.pipe()
	line = strings.ReplaceAll(line, "<pipe", "<"+pipe)
	log := filepath.Join(r.TempDir(), "log")
	orphan := filepath.Join(r.TempDir(), "orphan")
	line = strings.NewReplacer(">>log", ">>"+log, ">orphan", ">"+orphan).Replace(line)
	if err := os.WriteFile(filepath.Join(r.dir, deathFile), fmt.Append(nil, point, " at ", 1), 0o600); err != nil {
		t.Fatal(err)
	}
	r.start(0, "true")
	r.start(1, line)
	r.start(2, "true")
	if strings.Contains(line, "read x") {
		if slices.Contains(points[4:], point) {
			release() // the end makes the runner die
		} else {
			r.await(executor.Started, 1)
			release()
		}
	}
	for node, want := range []int{0, code, 0} {
		if end := r.await(executor.Ended, node); end.Exit.Lost || end.Exit.Failed || end.Exit.Code != want {
			t.Errorf("node %d: %+v %s, want code %d", node, end.Exit, end.Message, want)
		}
	}
	if text, err := os.ReadFile(log); err != nil || string(text) != "run\n" {
		t.Errorf("log %q, error %v: want one run", text, err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, deathFile)); err == nil {
		t.Errorf("no runner has died at %q", point)
	}
	if strings.Contains(line, orphan) {
		endOrphan(t, orphan)
	}
	r.close()
	x.AwaitRunners()
	x.Reap()
	if left := zombies(t); len(left) > 0 {
		t.Errorf("zombies %v are left", left)
	}
	if left := withEnvironment(t, "WF_RUN_ID="+t.Name()); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

// endOrphan kills a process that cannot be recognized as a member of its run, and waits until it has been reaped. The
// process may not have written its pid yet.
func endOrphan(t *testing.T, file string) {
	t.Helper()
	var pid int
	for begin := time.Now(); pid == 0; {
		if text, err := os.ReadFile(file); err == nil {
			fmt.Sscan(string(text), &pid)
		}
		if time.Since(begin) > executortest.Timeout {
			t.Fatal("no orphan")
		}
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	for begin := time.Now(); stateOf(pid) != "" && stateOf(pid) != "Z"; {
		if time.Since(begin) > executortest.Timeout {
			t.Fatalf("process %d does not die", pid)
		}
	}
}

// zombies returns the children of this process that have not been reaped.
func zombies(t *testing.T) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), fmt.Sprintf(") Z %d ", os.Getpid())) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}
