package workspace

import (
	"context"

	"wf/api"
	"wf/workspace/loop"
)

// A message is handled on the loop, see loop.Loop for what handle may do.
type message interface{ handle(*Workspace) }

// call is the message of all requests that only need a turn on the loop.
type call func(*Workspace)

func (c call) handle(w *Workspace) { c(w) }

// send gives a message to the loop and waits for its turn. It returns false if the workspace has closed.
func (w *Workspace) send(m message) bool { return w.loop.Post(func() { m.handle(w) }) }

// ask is loop.Ask with the workspace: f reads, and changes nothing of the graph and its runs.
func ask[T any](ctx context.Context, w *Workspace, f func(*Workspace) (T, error)) (T, error) {
	return loop.Ask(ctx, w.loop, func() (T, error) { return f(w) })
}

// await is loop.Await with the workspace.
func await[T any](ctx context.Context, w *Workspace, f func(w *Workspace, reply func(T, error))) (T, error) {
	return loop.Await(ctx, w.loop, func(reply func(T, error)) { f(w, reply) })
}

// contained calls f on the loop. A panic in f is an error of f only.
func contained[T any](w *Workspace, f func(*Workspace) (T, error)) (T, error) {
	return loop.Contain(w.loop, "a question", func() (T, error) { return f(w) })
}

// errPanicked is the answer to a question that panicked.
func errPanicked() *api.Error {
	return &api.Error{Code: api.CodeInternal, Message: "internal error: the answer cannot be given",
		Why: "the log of the daemon has the report; runs are not touched", Fix: "wf server logs"}
}

// Done is closed when the workspace has ended.
func (w *Workspace) Done() <-chan struct{} { return w.loop.Done() }
