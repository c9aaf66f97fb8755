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

// WorkfileID is the name of the folder in which a workfile's history lies: see workspace.ID.
func WorkfileID(path string) (string, error) {
	id, _, err := workspace.ID(path)
	return id, err
}

// Check finds what is wrong with a workfile that no daemon has open: see workspace.CheckAt. However large the
// file is, the daemon of all runs has nothing to do with it.
func Check(path string) (api.Check, error) { return workspace.CheckAt(path) }
