package runner

import (
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestShortSliceIsNotInherited checks that the loop has a short slice, and a program that it starts the usual one.
func TestShortSliceIsNotInherited(t *testing.T) {
	runtime.LockOSThread() // never unlocked, so that the thread ends with the goroutine
	usual, err := unix.SchedGetAttr(0, 0)
	if err != nil || usual.Policy != unix.SCHED_NORMAL || usual.Nice < 0 {
		t.Skipf("this process has another policy or nice value: %+v, %v", usual, err)
	}
	askForShortSlice()
	own, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if own.Flags&unix.SCHED_FLAG_RESET_ON_FORK == 0 || own.Nice != usual.Nice {
		t.Errorf("the loop has %+v, before %+v", own, usual)
	}
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	child, err := unix.SchedGetAttr(cmd.Process.Pid, 0)
	if err != nil || *child != *usual {
		t.Errorf("a command has %+v, %v, want %+v", child, err, usual)
	}
	if own.Runtime != shortSlice {
		t.Skipf("this kernel knows no slices of threads (Linux 6.12 does): %+v", own)
	}
}

// TestShortSliceLeavesOthersAlone checks that a runner with a raised priority, which RESET_ON_FORK would take away from its commands,
// stays as it is.
func TestShortSliceLeavesOthersAlone(t *testing.T) {
	runtime.LockOSThread() // never unlocked
	a, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	a.Nice = -1
	if err := unix.SchedSetAttr(0, a, 0); err != nil {
		t.Skipf("not allowed to raise the priority: %v", err)
	}
	before, _ := unix.SchedGetAttr(0, 0)
	askForShortSlice()
	if after, err := unix.SchedGetAttr(0, 0); err != nil || *after != *before {
		t.Errorf("%+v, %v, want %+v", after, err, before)
	}
}
