package fence

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestServerOfNFS checks that a daemon on the server respects a client, whose lock is one of bytes there.
func TestServerOfNFS(t *testing.T) {
	path := at(t)
	must(t, thisVolume, path, login2).Leave()
	client, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := unix.FcntlFlock(client.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK}); err != nil {
		t.Skipf("no locks of open files: %v", err)
	}
	refused(t, thisVolume, path, login1, login2, true)
}
