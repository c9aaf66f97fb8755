package console

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// stopTime limits the wait for SIGCONT after a stop.
const stopTime = 200 * time.Millisecond

// CanBeContinued reports whether this process has a process group of its own, so that a shell can continue it.
func CanBeContinued() bool {
	group, err := unix.Getsid(0)
	return err == nil && group != unix.Getpgrp()
}

// StopSelf stops this process until SIGCONT. It uses SIGSTOP because the Go runtime does not restore the default action of
// SIGTSTP.
func StopSelf() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(unix.Getpid(), unix.SIGSTOP) != nil {
		return
	}
	select { // the signal takes effect a moment later, on any thread
	case <-continued:
	case <-time.After(stopTime):
	}
}
