package inquiry

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"wf/executor"
)

// TestOutputOfTheNextExecutionIsNotShown: when a process has ended, its runner reuses the output file for the next execution before the report
// arrives. A reader that follows the first execution must not get output of the next one.
func TestOutputOfTheNextExecutionIsNotShown(t *testing.T) {
	for _, follow := range []bool{true, false} {
		dir := t.TempDir()
		path := filepath.Join(dir, "s1.out")
		if err := os.WriteFile(path, []byte("mine, theirs"), 0o600); err != nil {
			t.Fatal(err)
		}
		gone := exec.Command("true")
		if err := gone.Run(); err != nil {
			t.Fatal(err)
		}
		over := make(chan struct{})
		r, err := openOutput(dir, executor.Range{File: "s1.out", End: -1}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.pid, r.over, r.final = gone.Process.Pid, over, func() executor.Range { return executor.Range{End: 4} }
		begun, text := make(chan struct{}), make(chan string)
		go func() {
			close(begun)
			if follow {
				err = r.follow()
			} else {
				err = r.stopHere()
			}
			b, readErr := io.ReadAll(r)
			if err != nil || readErr != nil {
				t.Errorf("follow %t: %v, %v", follow, err, readErr)
			}
			text <- string(b)
		}()
		<-begun
		close(over)
		if got := <-text; got != "mine" {
			t.Errorf("follow %t: read %q", follow, got)
		}
		r.Close()
	}
}

// TestOutputOfARunningProcess: output of a running process is returned at once, also if the process is on another machine.
func TestOutputOfARunningProcess(t *testing.T) {
	t.Run("here", func(t *testing.T) { testRunningOutput(t, os.Getpid(), false) })
	t.Run("at an engine", func(t *testing.T) { testRunningOutput(t, 0, true) })
}

func testRunningOutput(t *testing.T, pid int, alone bool) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s1.out")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := openOutput(dir, executor.Range{File: "s1.out", End: -1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.pid, r.alone, r.over = pid, alone, make(chan struct{})
	if err := r.follow(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 10)
	if n, err := r.Read(b); err != nil || string(b[:n]) != "mine" {
		t.Errorf("read %q, %v", b[:n], err)
	}
}
