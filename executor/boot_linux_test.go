package executor_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"wf/executor"
)

// TestBootAndReusedPid opens a run after all its processes were killed. In the runner log, a running node has the pid of
// an unrelated process: after a boot of the machine even with its start time, otherwise with an earlier one. The node is
// lost, ended nodes stay as they were, and the unrelated process never gets a signal.
func TestBootAndReusedPid(t *testing.T) {
	for _, c := range []struct {
		name     string
		newBoot  bool
		stopping bool // the node was being stopped when everything was killed
		message  string
	}{
		{"a boot", true, false, "the machine was restarted"},
		{"a boot during a stop", true, true, "the machine was restarted"},
		{"a pid used again", false, false, "ended while no runner was alive"},
		{"a pid used again during a stop", false, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			innocent := exec.Command("sleep", "1000")
			if err := innocent.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if state := stateOf(innocent.Process.Pid); state != "S" {
					t.Errorf("the unrelated process was signalled: state %q", state)
				}
				innocent.Process.Kill()
				innocent.Wait()
			}()
			dir := t.TempDir()
			diedTogether(t, dir)
			born := startTicksOf(t, innocent.Process.Pid)
			if c.newBoot {
				if err := os.WriteFile(filepath.Join(dir, bootFile), []byte("another"), 0o600); err != nil {
					t.Fatal(err)
				}
			} else {
				born -= 500
			}
			reuse(t, dir, innocent.Process.Pid, born, c.stopping)
			r := openRun(t, newLocal(t), dir)
			if end := r.await(executor.Ended, 0); end.Exit != (executor.Exit{Code: 3, User: end.Exit.User, System: end.Exit.System}) {
				t.Errorf("the ended node: %+v", end.Exit)
			}
			r.session.Stop([]executor.ID{{Node: 1, Execution: 1}}, 0)
			if end := r.await(executor.Ended, 1); !end.Exit.Lost || !strings.Contains(end.Message, c.message) {
				t.Errorf("the running node: %+v %q", end.Exit, end.Message)
			}
			r.start(2, "exit 4")
			if end := r.await(executor.Ended, 2); end.Exit.Code != 4 {
				t.Errorf("the next node: %+v %s", end.Exit, end.Message)
			}
			r.close()
		})
	}
}

// diedTogether leaves a run in dir in which node 0 has ended, and node 1 was running when it and the runner were killed.
func diedTogether(t *testing.T, dir string) {
	t.Helper()
	r := openRun(t, newLocal(t), dir)
	r.start(0, "exit 3")
	r.await(executor.Ended, 0)
	r.start(1, "exec sleep 1000")
	pid := r.await(executor.Started, 1).PID
	r.session.Detach()
	r.killRunner()
	if pid <= 1 {
		t.Fatalf("node 1 has pid %d", pid)
	}
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.within("node 1 and the runner are gone", func() bool {
		state := stateOf(pid)
		return (state == "" || state == "Z") && !locked(t, filepath.Join(dir, "lock"))
	})
}

// locked reports whether the lock file of a run is locked.
func locked(t *testing.T, path string) bool {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

// startTicksOf returns the 22nd field of stat.
func startTicksOf(t *testing.T, pid int) (born int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	if _, err := fmt.Sscan(strings.Fields(rest)[19], &born); err != nil {
		t.Fatal(err)
	}
	return born
}

// reuse changes the pid and the start time of node 1 in the runner log.
func reuse(t *testing.T, dir string, pid int, born int64, stopping bool) {
	t.Helper()
	path := filepath.Join(dir, "record")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`("k":"start","n":1,.*?"p":)\d+,"b":\[\d+,\d+\]`)
	changed := start.ReplaceAll(text, fmt.Appendf(nil, `${1}%d,"b":[%d,%d]`, pid, born, born))
	if string(changed) == string(text) {
		t.Fatalf("no start in the runner log:\n%s", text)
	}
	if stopping {
		changed = append(changed, `{"k":"stop","n":1,"e":1,"t":1}`+"\n"...)
	}
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
}
