package api

import "slices"

// bySeverity lists the states of nodes, the one that needs the most attention of a user first: failed, waiting, running,
// not run yet, done.
var bySeverity = []State{StateFailed, StateWaiting, StateRunning, StateRetrying, StateCancelled, StateQueued, StateBlocked,
	StateHandled, StateIdle, StateSkipped, StateOK, StateKept}

// Severity returns the place of a state in the order of severity; 0 is the most severe one.
func Severity(s State) int {
	if i := slices.Index(bySeverity, s); i >= 0 {
		return i
	}
	return len(bySeverity)
}

// Notable reports whether a list that cannot show all nodes prefers nodes in this state: they failed, wait, run or were
// cancelled.
func Notable(s State) bool { return Severity(s) <= Severity(StateCancelled) }

// Worst returns the state that stands for several nodes: the most severe one among them. Handled and skipped nodes
// count only if no other node has succeeded.
func (c Counts) Worst() State {
	succeeded := c.OK+c.Kept > 0
	for _, s := range bySeverity {
		if c.Of(s) > 0 && (!succeeded || s != StateHandled && s != StateSkipped) {
			return s
		}
	}
	return StateOK
}
