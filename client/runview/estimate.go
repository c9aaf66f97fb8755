package runview

import (
	"time"

	"wf/api"
)

// An estimate contains the expected durations of the rest of a run, from earlier runs. The zero value has none.
type estimate struct {
	expected map[string]Expectation // of the nodes that earlier runs executed
	left     time.Duration          // total expectation of the nodes that have not ended
	known    int                    // nodes that have not ended, with an expectation
	unknown  int                    // nodes that have not ended, without an expectation
}

// An Expectation is the expected duration of a node, from earlier runs.
type Expectation struct {
	Own  time.Duration // how long it takes
	Path time.Duration // the longest path from its start to the end of the run
}

// expect returns the Expectation in an outlook of a node; ok is false if it has none.
func expect(n api.NodeOutlook) (x Expectation, ok bool) {
	if n.ExpectedMS == nil {
		return x, false
	}
	return Expectation{time.Duration(*n.ExpectedMS) * time.Millisecond, time.Duration(n.PathMS) * time.Millisecond}, true
}

// bound returns the larger of two lower bounds of the remaining time: the remaining work, divided by the parallelism so
// far, and the longest path from the running nodes to the end. busy is the total duration of commands so far, elapsed
// that of the run. ok is false if the run should have ended already.
func bound(left, path, busy time.Duration, running int, elapsed time.Duration) (d time.Duration, ok bool) {
	width := max(1, float64(running))
	if elapsed > 0 {
		width = max(width, float64(busy)/float64(elapsed))
	}
	d = max(path, time.Duration(float64(left)/width))
	return d, d > 0
}

// newEstimate collects the expectations of an outlook for the nodes that are still to run.
func newEstimate(o api.RunOutlook, done map[string]int) estimate {
	f := estimate{expected: map[string]Expectation{}}
	for _, n := range o.Nodes {
		_, ended := done[n.Node]
		if ended || n.State == api.StateOK && n.Executions == 0 {
			continue
		}
		x, known := expect(n)
		if !known {
			f.unknown++
			continue
		}
		f.expected[n.Node] = x
		f.left += x.Own
		f.known++
	}
	return f
}

// ended notes that a node has ended for the first time.
func (f *estimate) ended(node string) {
	if x, known := f.expected[node]; known {
		f.left -= x.Own
		f.known--
		delete(f.expected, node)
	} else if f.unknown > 0 {
		f.unknown--
	}
}

// Remaining estimates the remaining time of the run, see bound. ok is false without an earlier run, if earlier runs
// executed less than half of the remaining nodes, or if the run should have ended already.
func (r *Run) Remaining(now time.Time) (d time.Duration, ok bool) {
	f := &r.estimate
	todo := f.known + f.unknown
	if f.known == 0 || f.known < f.unknown {
		return 0, false
	}
	waiting, left, busy, path := f.left, time.Duration(0), r.Work, time.Duration(0)
	for _, n := range r.Running {
		elapsed := max(0, now.Sub(n.Started))
		busy += elapsed
		x := f.expected[n.ID]
		waiting -= x.Own
		left += max(0, x.Own-elapsed)
		path = max(path, x.Path-min(elapsed, x.Own))
	}
	for id := range r.Queued {
		path = max(path, f.expected[id].Path)
	}
	if f.unknown > 0 { // assume the average of the others
		waiting += f.left / time.Duration(f.known) * time.Duration(f.unknown)
	}
	if rest := todo - len(r.Running); r.Blocked > 0 && rest > 0 { // they will not run
		waiting = time.Duration(float64(waiting) * float64(max(0, rest-r.Blocked)) / float64(rest))
	}
	left += max(0, waiting)
	return bound(left, path, busy, len(r.Running), now.Sub(r.Started))
}

// Remaining estimates the remaining time of a run: the remaining work divided by the number of running nodes, but at
// least the longest path from the running nodes to the end. ok is false if less than half of the remaining nodes have an
// expectation.
func (f *Workfile) Remaining(run *api.RunSummary, now time.Time) (time.Duration, bool) {
	var left, path, busy time.Duration
	known, unknown, running := 0, 0, 0
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Run != run.Run {
			continue
		}
		x, ok := f.Expected[n.ID]
		elapsed := time.Duration(0)
		switch n.State {
		case api.StateRunning:
			running++
			if n.Started != nil {
				elapsed = max(0, now.Sub(*n.Started))
			}
			busy += elapsed
		case api.StateQueued, api.StateIdle:
		default:
			if n.DurationMS != nil {
				busy += time.Duration(*n.DurationMS) * time.Millisecond
			}
			continue
		}
		if !ok {
			unknown++
			continue
		}
		known++
		left += max(0, x.Own-elapsed)
		if n.State != api.StateIdle {
			path = max(path, x.Path-min(elapsed, x.Own))
		}
	}
	if known == 0 || known < unknown {
		return 0, false
	}
	left += left / time.Duration(known) * time.Duration(unknown)
	return bound(left, path, busy, running, now.Sub(run.Started))
}
