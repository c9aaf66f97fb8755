package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Check reports whether the log is still what a reader finds at its path. Somebody may have removed,
// replaced or cut its files, or the folder around them: what is written is then kept by the open file
// only, and gone with this process. nil says that all is well; an error names the file and what has
// become of it. Files that were put back where they were are well again.
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
