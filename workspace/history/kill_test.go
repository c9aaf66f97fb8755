package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// appendTo is the variable with the log to which a copy of this test binary appends until it is killed.
const appendTo = "WF_TEST_APPEND_TO"

func TestMain(m *testing.M) {
	if path := os.Getenv(appendTo); path != "" {
		fmt.Fprintln(os.Stderr, appendForever(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// appendForever continues the numbers in the log, in groups of three, and prints each number that is
// written.
func appendForever(path string) error {
	next := 0
	l, err := OpenLog(LocalDisk{}, path, func(payload []byte) error {
		next++
		return nil
	})
	if err != nil {
		return err
	}
	for {
		for range 3 {
			if err := l.Append(fmt.Appendf(nil, "%d", next)); err != nil {
				return err
			}
			next++
		}
		if err := l.Flush(); err != nil {
			return err
		}
		if _, err := fmt.Println(next); err != nil {
			return err
		}
	}
}

// TestLogSurvivesKill repeatedly kills a process that appends: no written record is missing, and none is
// there twice.
func TestLogSurvivesKill(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "log")
	for round := range 12 {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), appendTo+"="+path)
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		acks, promised := bufio.NewScanner(stdout), 0
		for range 40 + 17*round {
			if !acks.Scan() {
				break
			}
			promised = number(t, acks.Bytes())
		}
		killErr := cmd.Process.Kill()
		for acks.Scan() { // numbers that it printed before it died count
			promised = number(t, acks.Bytes())
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); killErr != nil || !errors.As(err, &exit) {
			t.Fatalf("round %d: kill: %v, wait: %v", round, killErr, err)
		}
		checkNumbers(t, path, promised)
	}
}

func number(t *testing.T, text []byte) (n int) {
	t.Helper()
	if err := json.Unmarshal(text, &n); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return n
}

func checkNumbers(t *testing.T, path string, promised int) {
	t.Helper()
	next := 0
	_, err := ReadLog(path, func(payload []byte) error {
		if got := number(t, payload); got != next {
			return fmt.Errorf("record %d says %d", next, got)
		}
		next++
		return nil
	})
	if err != nil || next < promised || promised == 0 {
		t.Fatalf("%d records of at least %d: %v", next, promised, err)
	}
}
