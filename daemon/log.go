package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
)

// FileLog is the name of the daemon's log in the state folder.
const FileLog = "daemon.log"

// logBytes is the size at which a log is rotated at the start of a daemon.
const logBytes = 10 << 20

// A Log is the daemon's log file. It is opened before the daemon has the lock, so only Rotate moves the file: the owner of
// the lock calls it, see Config.Locked.
type Log struct {
	path string

	mu   sync.Mutex // guards file
	file *os.File
}

// OpenLog opens the log in the state folder. The caller closes it after the daemon has ended.
func OpenLog(state string) (*Log, error) {
	l := &Log{path: filepath.Join(state, FileLog)}
	var err error
	if l.file, err = l.open(); err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return l, nil
}

func (l *Log) open() (*os.File, error) {
	return ownfile.Open(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
}

// Logger returns a logger that writes messages of this level or above to the log.
func (l *Log) Logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level}))
}

// Write appends a line.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Write(line)
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// Rotate renames a log of more than 10 MiB to daemon.log.1, replacing the previous one, and continues in a new file. If
// standard error went to the log, it goes to the new file, too: the message of a panic of a background daemon is there.
func (l *Log) Rotate() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.rotate(logBytes); err != nil {
		return fmt.Errorf("rotate the log: %w", err)
	}
	return nil
}

func (l *Log) rotate(limit int64) error {
	old, err := l.file.Stat()
	if err != nil || old.Size() <= limit {
		return err
	}
	if err := os.Rename(l.path, l.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	next, err := l.open()
	if err != nil {
		return err
	}
	if stderr, err := os.Stderr.Stat(); err == nil && os.SameFile(stderr, old) {
		if err := unix.Dup2(int(next.Fd()), int(os.Stderr.Fd())); err != nil {
			return errors.Join(err, next.Close())
		}
	}
	err = l.file.Close()
	l.file = next
	return err
}
