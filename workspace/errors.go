package workspace

import (
	"wf/api"
)

func errClosed() *api.Error {
	return &api.Error{Code: api.CodeGone, Message: "the workspace has closed"}
}

// errPanicked returns the error for a question that panicked.
func errPanicked() *api.Error {
	return &api.Error{Code: api.CodeInternal, Message: "internal error: the answer cannot be given",
		Why: "the log of the daemon has the report; runs are not touched", Fix: "wf server logs"}
}

// Done is closed when the workspace has ended.
func (w *Workspace) Done() <-chan struct{} { return w.loop.Done() }
