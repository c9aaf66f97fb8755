package runview

import (
	"slices"
	"time"

	"wf/api"
)

// waitingNode is a node that waits for something other than a slot.
type waitingNode struct {
	name string
	wait api.Wait
}

// OfInstance reports whether a name is the path of a node in an instance of a sub-flow: align[3]/trim.
func OfInstance(name string) bool {
	root, ok := SubFlowOf(name)
	return ok && root != ""
}

// skip marks a node as skipped. It returns the stage that this finished, if any.
func (r *Run) skip(ev api.Event) *Stage {
	delete(r.Queued, ev.Node)
	_, ran := r.ended[ev.Node]
	if ran || r.skipped[ev.Node] {
		return nil
	}
	r.skipped[ev.Node] = true
	r.estimate.ended(ev.Node)
	return r.stageOf[ev.Node].end(ev)
}

// WaitCounts counts the nodes that wait: for a person, for their next attempt, for a moment or a pool.
func (r *Run) WaitCounts() (people, retries, others int) {
	for _, n := range r.waiting {
		switch n.wait.Kind {
		case api.WaitApproval:
			people++
		case api.WaitRetry:
			retries++
		default:
			others++
		}
	}
	return people, retries, others
}

// WaitingForPerson lists the nodes that wait for a person, by name.
func (r *Run) WaitingForPerson() []string {
	var names []string
	for _, n := range r.waiting {
		if n.wait.Kind == api.WaitApproval {
			names = append(names, n.name)
		}
	}
	slices.Sort(names)
	return names
}

// NextWait returns the first time at which a waiting node continues by itself, or zero.
func (r *Run) NextWait() time.Time {
	var first time.Time
	for _, n := range r.waiting {
		if u := n.wait.Until; u != nil && (first.IsZero() || u.Before(first)) {
			first = *u
		}
	}
	return first
}
