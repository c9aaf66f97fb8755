package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// chainScript is a chain of processes in sessions of their own. Each starts the next one and ends at
// once, so that none of them is there for as long as a look at the machine takes.
const chainScript = `#!/bin/sh
test "$1" = 0 || setsid "$0" $(($1 - 1)) &
`

// TestCensusSeesAChain: as long as a chain is going, every census has a link of it.
func TestCensusSeesAChain(t *testing.T) {
	if err := BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "chain")
	if err := os.WriteFile(script, []byte(chainScript), 0o700); err != nil {
		t.Fatal(err)
	}
	const links = "300"
	leader := exec.Command(script, links)
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	if err := leader.Wait(); err != nil {
		t.Fatal(err)
	}
	looks, missed := 0, 0
	for {
		c, err := ReadTable()
		if err != nil {
			t.Fatal(err)
		}
		going := reapAll(t) // asked after the census: who is there now was there all the time
		if !going {
			break
		}
		if looks++; len(c.Descendants(os.Getpid())) == 0 {
			missed++
		}
	}
	if looks == 0 || missed > 0 {
		t.Errorf("%d of %d looks saw nobody", missed, looks)
	}
}

// reapAll takes away the children of this process that have ended and reports whether there are
// others. No other test runs at the same time.
func reapAll(t *testing.T) (going bool) {
	t.Helper()
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err == unix.ECHILD {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if pid == 0 {
			return true
		}
	}
}
