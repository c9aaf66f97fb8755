package executor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wf/executor/rundir"
	"wf/executor/wire"
)

// Begun reports whether a runner has served the run in dir, or may have. The lock file is created before the first runner
// starts.
func Begun(dir string) bool {
	for _, name := range []string{rundir.LockFile, rundir.RunnerLogFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// checkLogPresent returns a *GoneError if a runner has served the run, but its lock file and runner log are gone.
func (h *runnerHandle) checkLogPresent() error {
	if !h.everStarted || Begun(h.dir) {
		return nil
	}
	return &wire.GoneError{Why: fmt.Sprintf("the runner log has been removed from %s", h.dir)}
}

// ReadSamples returns the sizes of an output of the run in dir that were measured between two moments.
func ReadSamples(dir string, output Range, from, to time.Time) ([]rundir.Sample, error) {
	return rundir.ReadSamples(dir, output.File, from, to)
}

// Environment returns the environment of the commands of the run in dir while the run lasts.
func Environment(dir string) ([]string, error) {
	env, _, err := rundir.ReadEnvironment(filepath.Join(dir, rundir.EnvironmentFile))
	return env, err
}
