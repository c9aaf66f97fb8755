// Package inquiry answers questions about the runs of a workfile, active ones and those of the history: why a node is as it is,
// where the time went, what an execution put out. It only reads.
package inquiry

import (
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/watchers"
	"wf/workspace/workfile"
)

// Config is what a Reader reads.
type Config struct {
	Path  string // of the workfile
	Loop  *loop.Loop
	File  *workfile.File
	Nodes *nodestate.Table
	Store *history.Store
	Out   *watchers.Hub
}

// A Reader answers questions. Methods with a context may be called from any goroutine, the others belong to the loop.
type Reader struct {
	path  string
	loop  *loop.Loop
	file  *workfile.File
	nodes *nodestate.Table
	store *history.Store
	out   *watchers.Hub

	waits []outputWait // requests that wait for an output; belongs to the loop
}

// New returns a Reader.
func New(c Config) *Reader {
	return &Reader{path: c.Path, loop: c.Loop, file: c.File, nodes: c.Nodes, store: c.Store, out: c.Out}
}
