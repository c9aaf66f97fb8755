package executor_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"wf/executor"
	"wf/executor/executortest"
)

// newLocal returns a Local whose runner is this test binary. The path of its sockets is short.
func newLocal(t testing.TB) executor.Executor {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sockets, err := os.MkdirTemp("", "wf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(sockets) })
	return &executor.Local{Program: []string{program, "runner"}, Sockets: sockets}
}

// localPromises are all promises.
var localPromises = executortest.Options{
	LocalProcesses: true, Width: true, Order: true, Unattended: true, Gates: true, LargeArguments: true, SharedFiles: true, PeakMemory: true,
}

func TestLocal(t *testing.T) {
	executortest.Test(t, func(t *testing.T) executor.Executor { return checkedExecutor{newLocal(t)} }, localPromises)
}

// checkedExecutor returns an error from Close if the runner has written to standard error, for example about a data race.
type checkedExecutor struct{ executor.Executor }

func (a checkedExecutor) Open(ctx context.Context, spec executor.Spec) (executor.Session, error) {
	session, err := a.Executor.Open(ctx, spec)
	return checkedSession{session, filepath.Join(spec.Dir, "runner.log")}, err
}

type checkedSession struct {
	executor.Session
	log string
}

func (s checkedSession) Close(ctx context.Context) ([]int, error) {
	survivors, err := s.Session.Close(ctx)
	return survivors, errors.Join(err, errorOutput(s.log))
}

// errorOutput returns what a runner has written to standard error, as an error.
func errorOutput(log string) error {
	text, err := os.ReadFile(log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(text) > 0 {
		err = fmt.Errorf("runner: %s", text)
	}
	return err
}
