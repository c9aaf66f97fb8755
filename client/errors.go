package client

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// ErrNoDaemon means that no daemon is running. It is wrapped in an UnreachableError.
var ErrNoDaemon = errors.New("no daemon is running")

// errNoDaemon means that no daemon answers yet. Another attempt may succeed.
var errNoDaemon = errors.New("no daemon answers")

// An ExposedError means that other users can read, or even write, a private file. Mode 0600 fixes it. It is wrapped in
// an UnreachableError.
type ExposedError struct {
	Path string
	Mode fs.FileMode
}

func (e *ExposedError) Error() string {
	return fmt.Sprintf("%s can be read by others (mode %04o)", e.Path, e.Mode)
}

// An UnreachableError means that the daemon cannot be reached or started, or was lost.
type UnreachableError struct {
	Doing string   // the action that failed: "start the daemon"
	Err   error    // the reason
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
