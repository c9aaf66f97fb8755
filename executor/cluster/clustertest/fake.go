// Package clustertest runs fake batch systems for tests: shell scripts in place of the programs of a batch system, which keep
// their state in a folder. A job is a folder job.N/INDEX there, with files such as pid, log and exit.
package clustertest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/executor/cluster"
	"wf/executor/login"
)

// Timing is one for fake batch systems, which answer at once.
var Timing = cluster.Timing{Poll: 20 * time.Millisecond, Soon: 2 * time.Millisecond, Slowest: 100 * time.Millisecond, Collect: time.Millisecond,
	Missing: time.Second, Doubt: time.Second, Retry: 20 * time.Millisecond, SlowRetry: 200 * time.Millisecond, StopAgain: 100 * time.Millisecond}

// endTime is how long the jobs may take to end after the test.
const endTime = 20 * time.Second

// Main runs the tests of a package. Descriptors that this process has inherited are kept from the batch system and its jobs.
func Main(m *testing.M) {
	for fd := 3; fd < 1024; fd++ {
		syscall.CloseOnExec(fd)
	}
	os.Exit(m.Run())
}

// Fake returns a shell that finds the scripts of a folder, and the folder of their state, which a variable names. At the end of
// the test its jobs are killed.
func Fake(t *testing.T, scripts, variable string) (shell *login.Shell, dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "fake")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err = filepath.Abs(scripts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			logFiles(t, dir)
		}
		limit := time.Now().Add(endTime)
		killJobs(t, dir, limit)
		for err := os.RemoveAll(dir); err != nil; err = os.RemoveAll(dir) {
			if time.Now().After(limit) {
				t.Error(err)
				break
			}
			time.Sleep(time.Millisecond) // a question whose answer is not needed any more writes there
		}
	})
	return &login.Shell{Via: []string{"env", variable + "=" + dir, "PATH=" + scripts + ":" + os.Getenv("PATH"), "sh", "-c"}}, dir
}

// killJobs kills the processes of the jobs that have not ended.
func killJobs(t *testing.T, dir string, limit time.Time) {
	jobs, _ := filepath.Glob(filepath.Join(dir, "job.*", "*"))
	for _, job := range jobs {
		for !killed(t, job) && time.Now().Before(limit) {
			time.Sleep(time.Millisecond)
		}
	}
}

// killed kills the processes of a job, and reports whether it has none.
func killed(t *testing.T, job string) bool {
	has := func(file string) bool { _, err := os.Stat(filepath.Join(job, file)); return err == nil }
	if has("exit") {
		return true
	}
	text, err := os.ReadFile(filepath.Join(job, "pid"))
	if err != nil {
		return has("state") || !has("name") // it waits, or is no job; otherwise it is about to start
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if pid <= 1 {
		return true
	}
	err = syscall.Kill(-pid, syscall.SIGKILL)
	if err != nil && err != syscall.ESRCH {
		t.Errorf("job %s: %v", job, err)
	}
	return err != nil
}

// logFiles logs what the batch system and its jobs have written.
func logFiles(t *testing.T, dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "job.*", "*", "log"))
	for _, f := range append(files, filepath.Join(dir, "calls")) {
		if text, err := os.ReadFile(f); err == nil && len(text) > 0 {
			t.Logf("%s:\n%s", f, text)
		}
	}
}

// SetFault writes a file into the folder of the state, which the scripts look for.
func SetFault(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Calls returns how often a program of the batch system was called.
func Calls(t *testing.T, dir, program string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count("\n"+string(text), "\n"+program+" ")
}
