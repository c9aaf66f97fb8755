package console

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// stopTime bounds the wait for the end of a stop whose SIGCONT was not seen.
const stopTime = 200 * time.Millisecond

// CanBeContinued reports whether this process has a process group of its own: a shell made it, and can
// continue it.
func CanBeContinued() bool {
	group, err := unix.Getsid(0)
	return err == nil && group != unix.Getpgrp()
}

// StopSelf stops this process until SIGCONT. It uses SIGSTOP because the Go runtime does not restore
// the default action of SIGTSTP once the signal was caught.
func StopSelf() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(unix.Getpid(), unix.SIGSTOP) != nil {
		return
	}
	select { // the signal takes effect a moment later, on whichever thread sees it first
	case <-continued:
	case <-time.After(stopTime):
	}
}
