package executor_test

import (
	"os"
	"testing"

	"wf/executor"
	"wf/executor/executortest"
)

// newLocal returns a Local whose runner is this test binary. Its sockets lie in a short path.
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

func TestLocal(t *testing.T) {
	executortest.Run(t, func(t *testing.T) executor.Executor { return newLocal(t) })
}
