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

// serverFlagsVariable hands the flags of a daemon to its runners, as a JSON list: a daemon that a runner
// starts is like the one that it had.
const serverFlagsVariable = "WF_SERVER_FLAGS"

// markAgain notes that the workspace of the run in a folder is active. A daemon looks for runs by these
// notes, and somebody may have removed this one.
func markAgain(state, run string) error {
	n, err := strconv.Atoi(filepath.Base(run))
	if err != nil {
		return fmt.Errorf("internal error: the folder of a run is called %s", run)
	}
	req, err := history.At(filepath.Dir(filepath.Dir(run))).Request(n)
	if err != nil {
		return nil // without a request nobody can take the run up
	}
	return history.MarkActive(history.LocalDisk{}, state, req.Workspace, req.Workfile)
}

// revive starts a daemon on the runtime folder unless one is there. However the last one ended, a run is
// going that needs one: who wants its end stops the run. Several runners may call it at once: the lock
// lets one daemon live.
func revive(run, runtime string) error {
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
	if err := markAgain(dirs.state, run); err != nil {
		return err
	}
	argv := append([]string{program, "server", "start", "--foreground"}, flags...)
	return proc.StartBeside(argv, e.daemonVars(dirs), filepath.Join(dirs.state, daemon.FileLog))
}
