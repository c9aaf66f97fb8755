package runview

import (
	"slices"

	"wf/api"
)

// Questions are the approvals of a run that wait for a person, in the order in which they were asked.
type Questions []api.Approval

// Apply applies an event of the run. asked is the question that it adds, if any; closed is the former index of an
// answered question, or -1.
func (q *Questions) Apply(ev api.Event) (asked *api.Approval, closed int) {
	if ev.Node == "" {
		return nil, -1
	}
	waits := ev.Type == api.NodeWaiting && ev.Wait != nil && ev.Wait.Kind == api.WaitApproval
	i := q.index(ev.Node)
	switch {
	case waits && i < 0:
		a := api.Approval{Run: ev.Run, Node: ev.Node, Name: ev.Name, Text: ev.Wait.Text, Since: ev.Time, Until: ev.Wait.Until, Default: ev.Wait.Default}
		*q = append(*q, a)
		return &a, -1
	case !waits && i >= 0:
		*q = slices.Delete(*q, i, i+1)
		return nil, i
	}
	return nil, -1
}

// Add adds a question that the daemon lists, unless it is in q already.
func (q *Questions) Add(a api.Approval) (added bool) {
	if q.index(a.Node) >= 0 {
		return false
	}
	*q = append(*q, a)
	return true
}

// Complete adds what the daemon lists and events do not tell: choices, fields, and what was put out before the question.
// It returns false if the question is complete already.
func (q *Questions) Complete(a api.Approval) bool {
	i := q.index(a.Node)
	if i < 0 || (*q)[i].Workfile != "" {
		return false
	}
	(*q)[i] = a
	return true
}

// Next moves the first question to the end.
func (q *Questions) Next() {
	if len(*q) > 1 {
		*q = append((*q)[1:], (*q)[0])
	}
}

// index returns the index of the question of a node, or -1.
func (q *Questions) index(node string) int {
	return slices.IndexFunc(*q, func(a api.Approval) bool { return a.Node == node })
}
