package runner

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestLeaveDeaths checks that SIGCHLD has no handler afterwards, and that dead children still wait to be reaped.
func TestLeaveDeaths(t *testing.T) {
	before := leaveDeaths()
	t.Cleanup(func() {
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), uintptr(unsafe.Pointer(&before)), 0, maskSize, 0, 0)
		if errno != 0 || signalSet(t, "SigCgt")&bit(unix.SIGCHLD) == 0 {
			t.Errorf("the handler of Go is not back: %v", errno)
		}
	})
	for _, set := range []string{"SigCgt", "SigIgn", "SigBlk"} {
		if signalSet(t, set)&bit(unix.SIGCHLD) != 0 {
			t.Errorf("SIGCHLD is in %s", set)
		}
	}
	err := exec.Command("sh", "-c", "exit 7").Run()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 7 {
		t.Errorf("a child ended with %v, want exit status 7", err)
	}
}

// bit returns the bit of a signal in the sets of /proc/PID/status.
func bit(sig unix.Signal) uint64 { return 1 << (sig - 1) }

// signalSet returns one of the sets of signals of this thread in /proc/thread-self/status.
func signalSet(t *testing.T, name string) uint64 {
	t.Helper()
	text, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if field, value, _ := strings.Cut(lines.Text(), ":"); field == name {
			set, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			return set
		}
	}
	t.Fatalf("no %s in %s", name, text)
	return 0
}
