// Package inquiry answers questions about the runs of a workfile, active ones and earlier ones: why a node is in its state,
// where the time of a run went, and what an execution printed.
//
// A Reader is part of a workspace. It reads the state of active runs on the loop, and the history and the output files on
// the goroutine of the request. It changes nothing.
package inquiry

import (
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
	"wf/workspace/secrets"
	"wf/workspace/watchers"
	"wf/workspace/workfile"
)

// Config configures a Reader.
type Config struct {
	ID, Path string          // of the workspace and its workfile
	Values   runstate.Values // of wf kv; nil if there are none
	Loop     *loop.Loop
	File     *workfile.File
	Nodes    *nodestate.Table
	Store    *history.Store
	// Secrets knows the masks of the active runs.
	Secrets *secrets.Table
	Out     *watchers.Hub
}

// A Reader answers questions. Methods with a context may be called on any goroutine but the loop's; the others belong to the
// loop.
type Reader struct {
	id, path string
	values   runstate.Values
	loop     *loop.Loop
	file     *workfile.File
	nodes    *nodestate.Table
	store    *history.Store
	secrets  *secrets.Table
	out      *watchers.Hub

	waits []outputWait // requests that wait for an output
}

// New returns a Reader.
func New(c Config) *Reader {
	return &Reader{id: c.ID, path: c.Path, values: c.Values, loop: c.Loop, file: c.File, nodes: c.Nodes, store: c.Store, secrets: c.Secrets, out: c.Out}
}
