package runview

import "wf/api"

// EndState returns the state of a node after the end of an execution.
func EndState(ev api.Event) api.State {
	switch {
	case ev.Type == api.NodeFinished:
		return api.StateOK
	case ev.Reason == api.ReasonCancelled:
		return api.StateCancelled
	case ev.Handled:
		return api.StateHandled
	}
	return api.StateFailed
}

// FinalFailure reports whether ev is a failure that no other attempt follows.
func FinalFailure(ev api.Event) bool { return ev.Type == api.NodeFailed && ev.Retry == nil }

// HasOutput reports whether ev is the end of a node with a command, which may have written output.
func HasOutput(ev api.Event) bool {
	return !ev.Mocked && ev.Reason != api.ReasonRejected && ev.Reason != api.ReasonInstances && ev.Execution > 0
}

// WaitState returns the state of a node that waits for w, as the daemon reports it.
func WaitState(w *api.Wait) api.State {
	if w != nil && w.Kind == api.WaitRetry {
		return api.StateRetrying
	}
	return api.StateWaiting
}
