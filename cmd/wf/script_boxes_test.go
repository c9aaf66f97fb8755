package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"wf/executor/executortest/boxtest"
)

// TestMain lets the test binary become docker or podman of a script, see cmdEngine.
func TestMain(m *testing.M) {
	if boxtest.IsClient() {
		os.Exit(boxtest.Client())
	}
	os.Exit(m.Run())
}

// cmdEngine starts a stand-in for docker and podman until the script ends: "engine". The script fails if boxes are left then.
func cmdEngine(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 0, 0, "engine")
	dir := filepath.Join(w.home, "engine")
	ts.Check(os.Mkdir(dir, 0o700))
	e, err := boxtest.Start(dir)
	ts.Check(err)
	w.engine = e
	ts.Setenv("PATH", dir+string(os.PathListSeparator)+ts.Getenv("PATH"))
	ts.Setenv("ENGINE", dir)
	ts.Setenv(boxtest.SocketVariable, filepath.Join(dir, "socket"))
}

// cmdBoxes waits until exactly so many boxes run: "boxes 2".
func cmdBoxes(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 1, 1, "boxes COUNT")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if !w.engine.Await(n, 30*time.Second) {
		ts.Fatalf("%d boxes run: %q", len(w.engine.Running()), w.engine.Running())
	}
}
