// Package fault says which failures of the machine pass by themselves, and lets tests make operations fail. It
// handles no failure itself.
package fault

import (
	"errors"

	"golang.org/x/sys/unix"
)

// The operations that Check is asked about, beside those of the runner log.
const (
	OpFork         = "fork"
	OpOutput       = "create output"
	OpOutputFolder = "open output folder"
	OpMeasure      = "measure output"
	OpEnvironment  = "read environment"
	OpKeep         = "write environment"
	OpListen       = "listen"
	OpAccept       = "accept"
	OpTally        = "write tally"
	OpTimes        = "write times"
	OpLock         = "lock"
	OpRunner       = "start runner"
)

// inject returns the error with which an operation is to fail, for tests.
var inject func(op, path string) error

// Inject makes Check call f before each operation; nil injects nothing. Only tests call it.
func Inject(f func(op, path string) error) { inject = f }

// Check returns the error that a test has injected for an operation of the machine, or nil.
func Check(op, path string) error {
	if inject == nil {
		return nil
	}
	return inject(op, path)
}

// Shortage reports whether err says that the machine has too little of something right now, or was
// interrupted, as an exec from a network disk can be.
func Shortage(err error) bool {
	for _, lack := range []error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.EINTR} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// Temporary reports whether err is of the machine, so that what has failed may work later.
func Temporary(err error) bool {
	for _, e := range []error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EROFS, unix.EINTR} {
		if errors.Is(err, e) {
			return true
		}
	}
	return Shortage(err)
}
