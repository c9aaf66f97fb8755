package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"wf/client"
	"wf/daemon"
	"wf/executor/proc"
	"wf/workspace/history"
)

// serverFlagsVariable passes the flags of a daemon to its runners, as a JSON list, so that a daemon started by a runner
// has the same flags.
const serverFlagsVariable = "WF_SERVER_FLAGS"

// restoreMark marks the workspace of the run as active. A new daemon finds runs by these marks, and the mark may have
// been removed.
func restoreMark(state, run string) error {
	n, err := strconv.Atoi(filepath.Base(run))
	if err != nil {
		return fmt.Errorf("internal error: the folder of a run is called %s", run)
	}
	req, err := history.At(filepath.Dir(filepath.Dir(run))).Request(n)
	if err != nil {
		return nil // a run without a request cannot be recovered
	}
	return history.MarkActive(history.LocalDisk{}, state, req.Workspace, req.Workfile)
}

// restartDaemon starts a daemon on the runtime folder unless one is running, because the runner has an active run. If
// several runners call it at the same time, the lock of the runtime folder lets only one daemon continue.
func restartDaemon(run, runtime string) error {
	if client.Held(runtime) {
		return nil
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	e := newEnv()
	var flags []string
	if text := e.Get(serverFlagsVariable); text != "" {
		if err := json.Unmarshal([]byte(text), &flags); err != nil {
			return err
		}
	}
	dirs, err := e.folders()
	if err != nil {
		return err
	}
	if err := restoreMark(dirs.State, run); err != nil {
		return err
	}
	argv := append([]string{program, "server", "start", "--foreground"}, flags...)
	if hasService(e) {
		argv = []string{program, "server", "start"} // asks the service manager, which this runner must not wait for
	}
	return proc.StartBeside(argv, e.daemonVars(dirs), filepath.Join(dirs.State, daemon.FileLog))
}
