package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Check reports whether a reader of the path still finds the log. If its files or their folder were
// removed, replaced or truncated, new records exist only in the open file and are lost with this process.
// The error names the file and the change. It is nil again when the files are restored.
func (l *Log) Check() error {
	if l.err != nil {
		return l.err
	}
	for n := 1; n < l.segment; n++ {
		if _, err := os.Lstat(segmentPath(l.path, n)); err != nil {
			return vanished(segmentPath(l.path, n), err)
		}
	}
	path := segmentPath(l.path, l.segment)
	there, err := os.Lstat(path)
	if err != nil {
		return vanished(path, err)
	}
	ours, err := l.f.Stat()
	if err != nil {
		return err
	}
	switch {
	case !os.SameFile(there, ours):
		return fmt.Errorf("%s: another file has been put in its place", path)
	case ours.Size() < l.filled:
		return fmt.Errorf("%s: it has been cut from %d bytes to %d", path, l.filled, ours.Size())
	}
	return nil
}

func vanished(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: it has been removed", path)
	}
	return err
}
