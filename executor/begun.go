package executor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Begun reports whether a runner has ever served the run in dir, or may have. Its lock is there before it is.
func Begun(dir string) bool {
	for _, name := range []string{lockFile, recordFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// vanished returns an error when runners have served the run and nothing of it is left.
func (h *runnerHandle) vanished() error {
	if !h.begun || Begun(h.dir) {
		return nil
	}
	return &goneError{why: fmt.Sprintf("the record of the run is gone from %s", h.dir)}
}

// ReadMarks returns the samples of an output of the run in dir between two moments: how large it was when.
func ReadMarks(dir string, output Range, from, to time.Time) ([]Mark, error) {
	return readMarks(dir, output.File, from, to)
}
