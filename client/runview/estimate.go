package runview

import (
	"time"

	"wf/api"
)

// An estimate is what earlier runs say about the rest of this one. Its zero value says nothing.
type estimate struct {
	expected map[string]expectation // of the nodes that earlier runs know
	left     time.Duration          // expected of those that have not ended
	known    int                    // nodes that have not ended, of which something is known
	unknown  int                    // and those of which nothing is
}

// expectation is how long a node takes, and the longest way from its start to the end of the run.
type expectation struct{ own, path time.Duration }

// newEstimate collects what an outlook says about the nodes that are still to run.
func newEstimate(o api.RunOutlook, done map[string]int) estimate {
	f := estimate{expected: map[string]expectation{}}
	for _, n := range o.Nodes {
		_, ended := done[n.Node]
		if ended || n.State == api.StateOK && n.Executions == 0 {
			continue
		}
		if n.ExpectedMS == nil {
			f.unknown++
			continue
		}
		x := expectation{time.Duration(*n.ExpectedMS) * time.Millisecond, time.Duration(n.PathMS) * time.Millisecond}
		f.expected[n.Node] = x
		f.left += x.own
		f.known++
	}
	return f
}

// ended notes that a node has ended for the first time.
func (f *estimate) ended(node string) {
	if x, known := f.expected[node]; known {
		f.left -= x.own
		f.known--
		delete(f.expected, node)
	} else if f.unknown > 0 {
		f.unknown--
	}
}

// Remaining estimates how long the run will go on. There is no estimate without an earlier run, if
// earlier runs know less than half of the nodes that are left, or if the run should be over by now. It
// is the larger of the two lower bounds of every schedule: the work that is left, divided by the
// parallelism so far, and the longest path from what runs now to the end.
func (r *Run) Remaining(now time.Time) (d time.Duration, ok bool) {
	f := &r.estimate
	todo := f.known + f.unknown
	if f.known == 0 || f.known < f.unknown {
		return 0, false
	}
	waiting, left, busy, way := f.left, time.Duration(0), r.Work, time.Duration(0)
	for _, n := range r.Running {
		elapsed := max(0, now.Sub(n.Started))
		busy += elapsed
		x := f.expected[n.ID]
		waiting -= x.own
		left += max(0, x.own-elapsed)
		way = max(way, x.path-min(elapsed, x.own))
	}
	for id := range r.Queued {
		way = max(way, f.expected[id].path)
	}
	if f.unknown > 0 { // they take what the others take
		waiting += f.left / time.Duration(f.known) * time.Duration(f.unknown)
	}
	if rest := todo - len(r.Running); r.Blocked > 0 && rest > 0 { // they will not run
		waiting = time.Duration(float64(waiting) * float64(max(0, rest-r.Blocked)) / float64(rest))
	}
	left += max(0, waiting)
	width := 1.0
	if wall := now.Sub(r.Started); wall > 0 {
		width = max(width, float64(busy)/float64(wall))
	}
	width = max(width, float64(len(r.Running)))
	d = max(way, time.Duration(float64(left)/width))
	return d, d > 0
}
