package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wf/api"
	"wf/client"
	"wf/daemon"
	"wf/executor"
)

// serverFlagsVariable hands the flags of a daemon to its runners, as a JSON list: a daemon that a runner
// starts is like the one that it had.
const serverFlagsVariable = "WF_SERVER_FLAGS"

// revive starts a daemon on the runtime folder unless one is there, or the last one has ended in good
// order: only one that was killed leaves its registry behind. Several runners may call it at once: the
// lock lets one daemon live.
func revive(runtime string) error {
	_, err := os.Lstat(filepath.Join(runtime, api.FileRegistry))
	if errors.Is(err, fs.ErrNotExist) || client.Held(runtime) {
		return nil
	}
	if err != nil {
		return err
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
