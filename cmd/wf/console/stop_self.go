package console

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// stopTime limits the wait for SIGCONT after a stop.
const stopTime = 200 * time.Millisecond

// CanBeContinued reports whether this process is continued after a stop: by a shell, if it has a process group of its own, or
// by the machine from which it was called.
func (c *Console) CanBeContinued() bool {
	if c.Remote {
		return true
	}
	group, err := unix.Getsid(0)
	return err == nil && group != unix.Getpgrp()
}

// HandleStops says that the command handles SIGTSTP itself; false undoes that.
func (c *Console) HandleStops(itself bool) { c.handlesStops.Store(itself) }

// followStops makes Ctrl-Z stop a command that was called from another machine. The kernel does not: no process of the session
// could continue the process group.
func (c *Console) followStops() {
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, unix.SIGTSTP)
	go c.Guard(func() {
		for range stops {
			if !c.handlesStops.Load() {
				_ = unix.Kill(0, unix.SIGSTOP) // with an editor or a pager
			}
		}
	})
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
