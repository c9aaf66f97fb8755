package scheduler

import "wf/graph"

// Counts is the number of nodes by status.
type Counts struct{ Idle, Queued, Running, Ran, Failed, Skipped int }

// Counts returns how many nodes have which status.
func (r *Run) Counts() Counts {
	c := &r.counts
	return Counts{c[graph.Idle], c[graph.Queued], c[graph.Running], c[graph.Ran], c[graph.Failed], c[graph.Skipped]}
}
