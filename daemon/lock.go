package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"wf/api"
)

// How long and how often a taken lock is tried: a child between fork and exec has a copy of the descriptor for an
// instant, and a client that checks the lock takes it shared for an instant.
const (
	lockTimeout = time.Second
	lockRetry   = 10 * time.Millisecond
)

// A lock proves that this is the only daemon of its runtime folder. The file is never removed, because a lock on a removed
// file would be invisible to others.
type lock struct {
	path string
	file *flock.Flock // stays reachable: a collected file would be closed, and the lock lost
}

func newLock(path string) *lock {
	return &lock{path, flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK), flock.SetPermissions(0o600))}
}

// acquire takes the lock of the runtime folder, or returns an error that names its owner. It waits for an owner without a
// registry, which an ending daemon has removed, but not for one that serves: a daemon that came second must not take
// over when the first is stopped a moment later.
func acquire(ctx context.Context, runtime string) (*lock, error) {
	return take(ctx, runtime, func() bool { return serves(runtime, 0) })
}

// take is acquire that gives up at once if serves returns true.
func take(ctx context.Context, runtime string, serves func() bool) (*lock, error) {
	path := filepath.Join(runtime, api.FileLock)
	bounded, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	for {
		l := newLock(path)
		got, err := l.file.TryLock()
		if !got && err == nil && !serves() && pause(bounded, lockRetry) {
			l.Close()
			continue
		}
		switch {
		case ctx.Err() != nil:
			l.Close()
			return nil, ctx.Err()
		case err != nil:
			l.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		case !got:
			l.Close()
			return nil, alreadyRunning(runtime)
		case !l.lost():
			return l, nil
		}
		l.Close() // the file was replaced between opening and locking
	}
}

// pause waits for d and reports whether ctx is still active.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// serves reports whether the daemon in the registry is alive and not the process own.
func serves(runtime string, own int) bool {
	reg, err := readRegistry(runtime)
	return err == nil && alive(reg) && reg.PID != own
}

// alreadyRunning returns the error that names the owner of the lock, if the registry is its own.
func alreadyRunning(runtime string) error {
	reg, err := readRegistry(runtime)
	if err != nil || !alive(reg) {
		return fmt.Errorf("%w in %s", ErrAlreadyRunning, runtime)
	}
	return fmt.Errorf("%w (pid %d)", ErrAlreadyRunning, reg.PID)
}

// lost reports whether the path no longer leads to the locked file.
func (l *lock) lost() bool {
	mine, err := l.file.Stat()
	if err != nil {
		return true
	}
	there, err := os.Lstat(l.path)
	return err != nil || !os.SameFile(mine, there)
}

// renew locks the file at the path of the lost one, or a new one. ErrAlreadyRunning means that another daemon has locked
// it.
func (l *lock) renew(ctx context.Context) error {
	runtime := filepath.Dir(l.path)
	next, err := take(ctx, runtime, func() bool { return serves(runtime, os.Getpid()) })
	if err != nil {
		return err
	}
	l.Close()
	l.file = next.file
	return nil
}

// Close releases the lock.
func (l *lock) Close() { _ = l.file.Close() } // unlocking a closing file cannot fail usefully
