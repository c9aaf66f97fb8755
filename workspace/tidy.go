package workspace

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strconv"

	"wf/executor"
	"wf/workspace/history"
)

// Tidy removes the environments of runs that are over. A run removes its own environment when it ends, unless the daemon or
// the runner is killed at that moment. A run that is not over keeps its environment, even if none of its processes live and
// its workfile is gone: it continues when a daemon recovers it.
func Tidy(state string, log *slog.Logger) {
	left, err := filepath.Glob(filepath.Join(state, "workspaces", "*", "runs", "*", "env"))
	if err != nil {
		log.Error("internal error: a bad pattern", "err", err)
		return
	}
	for _, path := range left {
		run := filepath.Dir(path)
		n, err := strconv.Atoi(filepath.Base(run))
		if err != nil || !history.At(filepath.Dir(filepath.Dir(run))).Over(n) {
			continue
		}
		switch err := executor.Forget(run); {
		case err == nil:
			log.Info("the environment of a run that is over was removed", "folder", run)
		case !errors.Is(err, executor.ErrAlive):
			log.Warn("the environment of a run cannot be removed", "folder", run, "err", err)
		}
	}
}
