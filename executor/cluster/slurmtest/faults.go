//go:build linux

package slurmtest

import (
	"syscall"
)

// HangController freezes the controller: it accepts connections and does not answer.
func (c *Cluster) HangController() error { return c.daemons.signal("slurmctld", syscall.SIGSTOP) }

// ContinueController ends HangController.
func (c *Cluster) ContinueController() error { return c.daemons.signal("slurmctld", syscall.SIGCONT) }

// StopController ends the controller. Jobs go on.
func (c *Cluster) StopController() error { return c.daemons.stop("slurmctld", syscall.SIGTERM) }

// KillController ends the controller as a crash would.
func (c *Cluster) KillController() error { return c.daemons.stop("slurmctld", syscall.SIGKILL) }

// StartController starts the controller again, and returns when it answers.
func (c *Cluster) StartController() error { return c.startController() }

// KillNode kills slurmd on a node; the first is 1. Jobs go on.
func (c *Cluster) KillNode(n int) error {
	return c.daemons.stop(slurmdPrefix+nodeName(n), syscall.SIGKILL)
}

// StopDatabase ends the daemon of the accounting.
func (c *Cluster) StopDatabase() error { return c.daemons.stop("slurmdbd", syscall.SIGTERM) }
