package executor

import (
	"errors"

	"golang.org/x/sys/unix"
)

// The operations that Check is asked about, beside those of the runner log.
const (
	opFork         = "fork"
	opOutput       = "create output"
	opOutputFolder = "open output folder"
	opMeasure      = "measure output"
	opEnvironment  = "read environment"
	opKeep         = "write environment"
	opListen       = "listen"
	opAccept       = "accept"
	opTally        = "write tally"
	opTimes        = "write times"
	opLock         = "lock"
	opRunner       = "start runner"
)

// inject returns the error with which an operation is to fail, for tests.
var inject func(op, path string) error

// setInject makes checkFault call f before each operation; nil injects nothing. Only tests call it.
func setInject(f func(op, path string) error) { inject = f }

// checkFault returns the error that a test has injected for an operation of the machine, or nil.
func checkFault(op, path string) error {
	if inject == nil {
		return nil
	}
	return inject(op, path)
}

// shortage reports whether err says that the machine has too little of something right now, or was
// interrupted, as an exec from a network disk can be.
func shortage(err error) bool {
	for _, lack := range []error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.EINTR} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// temporary reports whether err is of the machine, so that what has failed may work later.
func temporary(err error) bool {
	for _, e := range []error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EROFS, unix.EINTR} {
		if errors.Is(err, e) {
			return true
		}
	}
	return shortage(err)
}
