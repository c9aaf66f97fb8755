package runview

import (
	"slices"

	"wf/api"
)

// bySeverity lists the states by how much they matter to a person who looks after the run, the one to
// look at first in front.
var bySeverity = []api.State{api.StateFailed, api.StateRunning, api.StateWaiting, api.StateRetrying, api.StateCancelled, api.StateQueued,
	api.StateBlocked, api.StateIdle, api.StateHandled, api.StateSkipped, api.StateOK, api.StateKept}

// Severity returns the place of a state in the order of severity; 0 is the most severe one.
func Severity(state api.State) int {
	if i := slices.Index(bySeverity, state); i >= 0 {
		return i
	}
	return len(bySeverity)
}

// Worst returns the state that stands for several nodes: the most severe one among them. Handled and
// skipped nodes count only if no other node has succeeded.
func Worst(c api.Counts) api.State {
	succeeded := c.OK+c.Kept > 0
	for _, state := range bySeverity {
		if c.Of(state) > 0 && (!succeeded || state != api.StateHandled && state != api.StateSkipped) {
			return state
		}
	}
	return api.StateOK
}
