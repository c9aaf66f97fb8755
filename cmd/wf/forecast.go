package main

import (
	"time"

	"wf/api"
	"wf/tui/words"
)

// A forecast is what earlier runs say about the rest of this one. Its zero value says nothing.
type forecast struct {
	expected map[string]expectation // of the nodes that earlier runs know
	left     time.Duration          // expected of those that have not ended
	known    int                    // nodes that have not ended, of which something is known
	unknown  int                    // and those of which nothing is
}

// expectation is how long a node takes, and the longest way from its start to the end of the run.
type expectation struct{ own, path time.Duration }

// newForecast collects what an outlook says about the nodes that are still to run.
func newForecast(o api.RunOutlook, done map[string]int) forecast {
	f := forecast{expected: map[string]expectation{}}
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
func (f *forecast) ended(node string) {
	if x, known := f.expected[node]; known {
		f.left -= x.own
		f.known--
		delete(f.expected, node)
	} else if f.unknown > 0 {
		f.unknown--
	}
}

// remaining guesses how long the run will go on. There is no guess without an earlier run, nor when
// less than half of what is left is known, nor when it should be over by now. It is the work that is left, shared by as many as worked
// at once so far, but no less than the longest way from what runs now to the end: the two lower
// bounds of every schedule.
func (b *board) remaining(now time.Time) (d time.Duration, ok bool) {
	f := &b.ahead
	todo := f.known + f.unknown
	if f.known == 0 || f.known < f.unknown {
		return 0, false
	}
	waiting, left, busy, way := f.left, time.Duration(0), b.work, time.Duration(0)
	for _, n := range b.running {
		elapsed := max(0, now.Sub(n.started))
		busy += elapsed
		x := f.expected[n.id]
		waiting -= x.own
		left += max(0, x.own-elapsed)
		way = max(way, x.path-min(elapsed, x.own))
	}
	for id := range b.queued {
		way = max(way, f.expected[id].path)
	}
	if f.unknown > 0 { // they take what the others take
		waiting += f.left / time.Duration(f.known) * time.Duration(f.unknown)
	}
	if rest := todo - len(b.running); b.blocked > 0 && rest > 0 { // they will not run
		waiting = time.Duration(float64(waiting) * float64(max(0, rest-b.blocked)) / float64(rest))
	}
	left += max(0, waiting)
	width := 1.0
	if wall := now.Sub(b.begun); wall > 0 {
		width = max(width, float64(busy)/float64(wall))
	}
	width = max(width, float64(len(b.running)))
	d = max(way, time.Duration(float64(left)/width))
	return d, d > 0
}

// roughly is a guess for people, no more precise than it is.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return "~10s left"
	case d < time.Minute:
		return "~" + clock(d.Round(5*time.Second)) + " left"
	case d < time.Hour:
		return "~" + clockMinutes(d) + " left"
	}
	return "~" + words.Span(d.Round(10*time.Minute)) + " left"
}
