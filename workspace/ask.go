package workspace

import (
	"wf/api"
)

// A message is handled on the loop, see loop.Loop for what handle may do.
type message interface{ handle(*Workspace) }

// call is the message of all requests that only need a turn on the loop.
type call func(*Workspace)

func (c call) handle(w *Workspace) { c(w) }

// send gives a message to the loop and waits for its turn. It returns false if the workspace has closed.
func (w *Workspace) send(m message) bool { return w.loop.Post(func() { m.handle(w) }) }

// errPanicked is the answer to a question that panicked.
func errPanicked() *api.Error {
	return &api.Error{Code: api.CodeInternal, Message: "internal error: the answer cannot be given",
		Why: "the log of the daemon has the report; runs are not touched", Fix: "wf server logs"}
}

// Done is closed when the workspace has ended.
func (w *Workspace) Done() <-chan struct{} { return w.loop.Done() }
