// Package peertest lets tests of the check of users act as another user.
package peertest

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// otherUser is a user other than that of the test.
const otherUser = 65534

// AsOtherUser runs f as another user. The test is skipped unless it runs as root.
func AsOtherUser(t *testing.T, f func() error) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be two users")
	}
	done := make(chan error)
	go func() {
		// The kernel asks who a thread is, and this one ends with the goroutine: it is never unlocked.
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
