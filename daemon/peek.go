package daemon

import (
	"wf/api"
	"wf/workspace"
)

// Peek is what a workfile says by itself.
type Peek = workspace.Peek

// PeekAt reads a workfile for a program that must not start a daemon to know what is in it, as the
// completion of a shell: see workspace.PeekAt. The daemon's own program has this code already, so
// that it costs nothing, and the command line stays without a reader of its own.
func PeekAt(path string) (*Peek, error) { return workspace.PeekAt(path) }

// GoesOn reports whether runs of the workfile at path (absolute) are noted to be going, so that it can be
// opened although the file is gone: see workspace.Find.
func GoesOn(state, path string) bool {
	_, _, err := workspace.Find(state, path)
	return err == nil
}

// Rehearse reads a workfile and its history as a daemon does that takes up its runs, and changes nothing. A
// daemon has another process do that for runs that others have died of.
func Rehearse(path, state string) error {
	_, err := workspace.LookAt(path, state)
	return err
}

// WorkfileID is the name of the folder in which a workfile's history lies: see workspace.ID.
func WorkfileID(path string) (string, error) {
	id, _, err := workspace.ID(path)
	return id, err
}

// LimitFiles bounds the memory that reading a workfile takes in this process: see workspace.LimitFiles.
func LimitFiles(bytes int64) { workspace.LimitFiles(bytes) }

// Check finds what is wrong with a workfile that no daemon has open: see workspace.CheckAt. However large the
// file is, the daemon of all runs has nothing to do with it.
func Check(path string) (api.Check, error) { return workspace.CheckAt(path) }

// Held lists the quarantined workfiles for a program that must not start a daemon: see workspace.Held.
func Held(state string) ([]api.HeldWorkspace, error) { return workspace.Held(state) }
