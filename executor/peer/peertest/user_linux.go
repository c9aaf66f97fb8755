// Package peertest lets tests of the check of users act as another user.
package peertest

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// otherUser is a user id that the tests do not run as.
const otherUser = 65534

// AsOtherUser runs f as another user. The test is skipped unless it runs as root.
func AsOtherUser(t *testing.T, f func() error) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be two users")
	}
	done := make(chan error)
	go func() {
		// Users belong to threads. This thread is never unlocked, so it ends with the goroutine.
		runtime.LockOSThread()
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, otherUser, otherUser, otherUser); errno != 0 {
			done <- errno
			return
		}
		done <- f()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// SharedFolder returns a folder that other users can enter and write into.
func SharedFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}
