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

// How long and how often a taken lock is tried: a child between fork and exec holds a copy of the
// descriptor for an instant, and a client looks at the lock with a shared one of its own.
const (
	lockPatience = time.Second
	lockRetry    = 10 * time.Millisecond
)

// A lock is the proof that this is the only daemon on its runtime folder. The file is never
// removed: whoever locked a removed file would hold a lock that nobody else sees.
type lock struct {
	path string
	held *flock.Flock // reachable for life: a collected file would be closed, and the lock lost
}

func newLock(path string) *lock {
	return &lock{path, flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK), flock.SetPermissions(0o600))}
}

// acquire takes the lock of the runtime folder or tells who has it. It waits for who has no registry, which a
// daemon that is ending has taken away, but not for one that serves: whoever came too late to be the only
// daemon must not take over when that one is stopped a moment later.
func acquire(ctx context.Context, runtime string) (*lock, error) {
	return take(ctx, runtime, func() bool { return serves(runtime, 0) })
}

// take is acquire that gives up at once while serves says so.
func take(ctx context.Context, runtime string, serves func() bool) (*lock, error) {
	path := filepath.Join(runtime, api.FileLock)
	bounded, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for {
		l := newLock(path)
		got, err := l.held.TryLock()
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

// pause waits for d, and says whether there is still time.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// serves reports whether the daemon that the registry names is there, and another one than own.
func serves(runtime string, own int) bool {
	reg, err := readRegistry(runtime)
	return err == nil && alive(reg) && reg.PID != own
}

// alreadyRunning names the owner of the lock, if the registry is its own.
func alreadyRunning(runtime string) error {
	reg, err := readRegistry(runtime)
	if err != nil || !alive(reg) {
		return fmt.Errorf("%w in %s", ErrAlreadyRunning, runtime)
	}
	return fmt.Errorf("%w (pid %d)", ErrAlreadyRunning, reg.PID)
}

// lost reports whether the path leads to another file than the one that is locked.
func (l *lock) lost() bool {
	mine, err := l.held.Stat()
	if err != nil {
		return true
	}
	there, err := os.Lstat(l.path)
	return err != nil || !os.SameFile(mine, there)
}

// renew locks the file that lies where the lost one was, or a new one. ErrAlreadyRunning says that another
// daemon has it.
func (l *lock) renew(ctx context.Context) error {
	runtime := filepath.Dir(l.path)
	next, err := take(ctx, runtime, func() bool { return serves(runtime, os.Getpid()) })
	if err != nil {
		return err
	}
	l.Close()
	l.held = next.held
	return nil
}

// Close gives the lock back.
func (l *lock) Close() { _ = l.held.Close() } // unlocking a closing file cannot fail usefully
