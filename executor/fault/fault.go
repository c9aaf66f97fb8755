// Package fault classifies failures of the machine, and lets tests make operations fail. It handles no failure itself.
package fault

import (
	"errors"

	"golang.org/x/sys/unix"
)

// The operations of Check. Package history adds those of the runner log.
const (
	OpFork         = "fork"
	OpOutput       = "create output"
	OpOutputFolder = "open output folder"
	OpMeasure      = "measure output"
	OpEnvironment  = "read environment"
	OpKeep         = "write environment"
	OpListen       = "listen"
	OpAccept       = "accept"
	OpEntryCount   = "write entry count"
	OpTimes        = "write times"
	OpLock         = "lock"
	OpRunner       = "start runner"
)

// inject is set by tests, see Inject.
var inject func(op, path string) error

// Inject makes Check call f; nil ends that. Only tests call it, those of several packages, so it cannot be in a test file.
func Inject(f func(op, path string) error) { inject = f }

// Check returns the error that a test injects for an operation on path, or nil.
func Check(op, path string) error {
	if inject == nil {
		return nil
	}
	return inject(op, path)
}

// Shortage reports whether err says that the machine is short of a resource, or that a system call was interrupted, as an
// exec from a network disk can be.
func Shortage(err error) bool {
	for _, lack := range []error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.EINTR} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// Temporary reports whether the operation that failed with err may succeed later: the machine has failed, not the caller.
func Temporary(err error) bool {
	for _, e := range []error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EROFS, unix.EINTR} {
		if errors.Is(err, e) {
			return true
		}
	}
	return Shortage(err)
}
