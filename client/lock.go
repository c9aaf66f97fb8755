package client

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"wf/api"
)

// Held reports whether a daemon has the lock: it lives, though it may not answer yet, or any
// more. The question takes the lock for an instant, shared, which a starting daemon sits out.
func Held(runtime string) bool {
	l := flock.New(filepath.Join(runtime, api.FileLock), flock.SetFlag(os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK))
	defer l.Close()
	got, err := l.TryRLock()
	return err == nil && !got
}
