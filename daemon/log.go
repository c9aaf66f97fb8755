package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
)

// FileLog is the name of the daemon's log in the state folder.
const FileLog = "daemon.log"

// logBytes is the size from which a log is put aside at the start of a daemon.
const logBytes = 10 << 20

// OpenLog opens the log in the state folder. One that has grown beyond 10 MiB becomes
// daemon.log.1, in place of the one before it. The caller closes it after the daemon has ended.
func OpenLog(state string) (*slog.Logger, io.Closer, error) {
	path := filepath.Join(state, FileLog)
	if err := rotate(path, logBytes); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	return slog.New(slog.NewTextHandler(f, nil)), f, nil
}

func rotate(path string, limit int64) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() <= limit {
		return nil
	}
	if err == nil {
		err = os.Rename(path, path+".1")
	}
	if err != nil {
		return fmt.Errorf("rotate the log: %w", err)
	}
	return nil
}
