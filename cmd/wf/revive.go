package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"wf/client"
	"wf/daemon"
	"wf/executor"
)

// serverFlagsVariable hands the flags of a daemon to its runners, as a JSON list: a daemon that a runner
// starts is like the one that it had.
const serverFlagsVariable = "WF_SERVER_FLAGS"

// revive starts a daemon on the runtime folder unless one is there. However the last one ended, a run is
// going that needs one: who wants its end stops the run. Several runners may call it at once: the lock
// lets one daemon live.
func revive(runtime string) error {
	if client.Held(runtime) {
		return nil
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	e := newEnv()
	var flags []string
	if text := e.get(serverFlagsVariable); text != "" {
		if err := json.Unmarshal([]byte(text), &flags); err != nil {
			return err
		}
	}
	dirs, err := e.folders()
	if err != nil {
		return err
	}
	argv := append([]string{program, "server", "start", "--foreground"}, flags...)
	return executor.StartBeside(argv, e.daemonVars(dirs), filepath.Join(dirs.state, daemon.FileLog))
}
