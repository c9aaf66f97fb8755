package workspace

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"

	"wf/executor"
	"wf/history"
)

// Tidy removes the environments of runs that nobody will go on with: those that are over, and those
// whose workfile is gone. A run takes its environment away when it ends; what is left is of daemons
// and runners that were killed at that moment, or were killed and never followed again. A run of
// which anything is alive keeps its own, and so does one that goes on when its workfile is opened.
func Tidy(state string, log *slog.Logger) {
	left, err := filepath.Glob(filepath.Join(state, "workspaces", "*", "runs", "*", "env"))
	if err != nil {
		log.Error("internal error: a bad pattern", "err", err)
		return
	}
	for _, path := range left {
		run := filepath.Dir(path)
		n, err := strconv.Atoi(filepath.Base(run))
		if err != nil || !abandoned(history.At(filepath.Dir(filepath.Dir(run))), n) {
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

// abandoned reports whether nobody will go on with run n.
func abandoned(s *history.Store, n int) bool {
	if s.Over(n) {
		return true
	}
	req, err := s.Request(n)
	if err != nil || !filepath.IsAbs(req.Workfile) {
		return false // opening its workfile will tell
	}
	// While the folder is missing as well the disk may be one that is not mounted yet.
	_, err = os.Stat(req.Workfile)
	_, folderErr := os.Stat(filepath.Dir(req.Workfile))
	return errors.Is(err, fs.ErrNotExist) && folderErr == nil
}
