package client

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"wf/api"
)

// Held reports whether a daemon has the lock. Such a daemon exists but may not answer yet, or no longer. The check
// takes the lock shared for an instant; a starting daemon waits for that.
func Held(runtime string) bool {
	l := flock.New(filepath.Join(runtime, api.FileLock), flock.SetFlag(os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK))
	defer l.Close()
	got, err := l.TryRLock()
	return err == nil && !got
}
