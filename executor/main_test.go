package executor_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"wf/executor"
	"wf/executor/runner"
)

// TestMain lets the test binary become the runner, as cmd/wf does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "runner" {
		if len(os.Args) > 2 && os.Args[2] == runner.AroundOption {
			os.Exit(runner.Main(os.Args[2:], runner.Options{}))
		}
		args, err := runner.AwaitRun(os.Args[2:])
		if err != nil || args == nil {
			os.Exit(0) // it was a spare runner
		}
		os.Exit(runnerOf(args[0], args[1]))
	}
	os.Exit(m.Run())
}

// deathFile is a file beside the runner log that names the point and the node at which the runner kills itself with KILL,
// once.
const deathFile = "die"

// bootFile is a file beside the runner log that contains the boot id that the runner uses.
const bootFile = "boot"

func dieAt(dir string) func(string, executor.ID) {
	path := filepath.Join(dir, deathFile)
	return func(point string, id executor.ID) {
		if text, err := os.ReadFile(path); err == nil && string(text) == fmt.Sprint(point, " at ", id.Node) {
			os.Remove(path)
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// A fileLog is the simplest runner log: a file of lines.
type fileLog struct {
	file *os.File
	text bytes.Buffer
}

func openFile(path string, replay func([]byte) error) (runner.Log, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if err := replay(lines.Bytes()); err != nil {
			return nil, err
		}
	}
	return &fileLog{file: file}, lines.Err()
}

func (r *fileLog) Append(line []byte) error {
	r.text.Write(line)
	return r.text.WriteByte('\n')
}

// fullDisk is a file beside the runner log that makes its writes fail.
const fullDisk = "full"

func (r *fileLog) Flush() error {
	if _, err := os.Stat(filepath.Join(filepath.Dir(r.file.Name()), fullDisk)); err == nil {
		return syscall.ENOSPC
	}
	_, err := r.file.Write(r.text.Bytes())
	r.text.Reset()
	return err
}

func (r *fileLog) Sync() error {
	if err := r.Flush(); err != nil {
		return err
	}
	return r.file.Sync()
}

func (r *fileLog) Reserve(int) error { return nil }

func (r *fileLog) Check() error {
	ours, err := r.file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(r.file.Name()); err != nil || !os.SameFile(ours, there) {
		return fmt.Errorf("%s: it has been removed", r.file.Name())
	}
	return nil
}

func (r *fileLog) Close() error { return r.file.Close() }
