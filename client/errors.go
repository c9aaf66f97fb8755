package client

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// ErrNoDaemon says that no daemon is running. It is wrapped in an UnreachableError.
var ErrNoDaemon = errors.New("no daemon is running")

// errNobody is why an attempt to reach the daemon is worth repeating: nobody answers yet.
var errNobody = errors.New("nobody answers")

// An ExposedError says that others can read, or even write, a file that only this user may see. Mode
// 0600 mends it. It is wrapped in an UnreachableError.
type ExposedError struct {
	Path string
	Mode fs.FileMode
}

func (e *ExposedError) Error() string {
	return fmt.Sprintf("%s can be read by others (mode %04o)", e.Path, e.Mode)
}

// An UnreachableError says that the daemon cannot be reached or started, or was lost.
type UnreachableError struct {
	Doing string   // what was tried: "start the daemon"
	Err   error    // the obstacle
	Log   []string // the last lines of the daemon's log, if they may explain it
}

func (e *UnreachableError) Error() string {
	text := fmt.Sprintf("cannot %s: %v", e.Doing, e.Err)
	if len(e.Log) > 0 {
		text += "\nlast lines of its log:\n" + strings.Join(e.Log, "\n")
	}
	return text
}

func (e *UnreachableError) Unwrap() error { return e.Err }
