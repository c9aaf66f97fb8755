package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// driveArgument makes this program the second process of the machine, which does the work.
const driveArgument = "drive"

// beInit is the first process of the machine: it mounts, starts the second, waits for whoever has lost its parent, and switches
// the machine off when the second has ended.
func beInit() {
	for dir, kind := range map[string]string{"/proc": "proc", "/sys": "sysfs", "/dev": "devtmpfs", "/tmp": "tmpfs"} {
		if err := unix.Mount("none", dir, kind, 0, ""); err != nil {
			fmt.Println("mount", dir, err)
		}
	}
	if err := os.Symlink("/proc/self/fd", "/dev/fd"); err != nil {
		fmt.Println(err)
	}
	cmd := exec.Command("/init", driveArgument)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = []string{"PATH=/bin", "HOME=/tmp", "USER=root", "TZ=UTC", "GOTRACEBACK=all"}
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
	} else {
		for {
			pid, err := syscall.Wait4(-1, nil, 0, nil)
			if pid == cmd.Process.Pid || err == syscall.ECHILD {
				break
			}
		}
	}
	unix.Sync()
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	select {} // the first process must not end
}

// setClock sets the clock of the machine.
func setClock(by time.Duration) error {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME, &t); err != nil {
		return err
	}
	t = unix.NsecToTimespec(t.Nano() + by.Nanoseconds())
	return unix.ClockSettime(unix.CLOCK_REALTIME, &t)
}

// sleepMachine suspends the machine to memory. Its battery clock wakes it up.
func sleepMachine(d time.Duration) error {
	const alarm = "/sys/class/rtc/rtc0/wakealarm"
	for _, w := range []struct{ file, text string }{{alarm, "0"}, {alarm, fmt.Sprintf("+%d", int(d.Seconds()))}, {"/sys/power/state", "mem"}} {
		if err := os.WriteFile(w.file, []byte(w.text), 0); err != nil {
			return err
		}
	}
	return nil
}

// bootTime returns the time since the machine was started, with and without that in which it slept.
func bootTime() (all, awake time.Duration) {
	var a, b unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &a) // it fails for unknown clocks only
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &b)
	return time.Duration(a.Nano()), time.Duration(b.Nano())
}
