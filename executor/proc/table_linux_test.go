package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// chainScript is a chain of processes, each in a new session. Each starts the next one and ends at once, so that none of them
// lives as long as a read of the process table takes.
const chainScript = `#!/bin/sh
test "$1" = 0 || setsid "$0" $(($1 - 1)) &
`

// TestTableContainsAChain checks that every read of the process table contains a process of the chain.
func TestTableContainsAChain(t *testing.T) {
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
		going := reapAll(t) // if a process of the chain is alive now, one was alive during the whole read
		if !going {
			break
		}
		if looks++; len(c.Descendants(os.Getpid())) == 0 {
			missed++
		}
	}
	if looks == 0 || missed > 0 {
		t.Errorf("%d of %d reads found no process of the chain", missed, looks)
	}
}

// reapAll reaps the children of this process that have ended, and reports whether there are others. No other test may run at
// the same time.
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
