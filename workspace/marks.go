package workspace

import (
	"cmp"
	"slices"
	"time"

	"wf/api"
	"wf/graph"
)

const (
	marksEvery = 100 * time.Millisecond // between two events about marks
	marksMost  = 2000                   // edges in one of them
)

// opMarks is the Op of a graph_updated event that tells of marks.
const opMarks = "marks"

// marks are the edges whose marks have changed since watchers were told of marks. What a run does to a mark and
// takes back at once are not published. It belongs to the loop.
type marks struct {
	before map[*graph.Edge]graph.Mark
	armed  bool // a message to tell of them is on its way
}

// marked notes that the run has changed the mark of an edge, which was another one before.
func (w *Workspace) marked(e *graph.Edge, before graph.Mark) {
	if !w.out.wanted.holds(api.GraphUpdated) {
		return
	}
	if w.marks.before == nil {
		w.marks.before = make(map[*graph.Edge]graph.Mark)
	}
	if _, known := w.marks.before[e]; !known {
		w.marks.before[e] = before
	}
	w.armMarks()
}

func (w *Workspace) armMarks() {
	if w.marks.armed {
		return
	}
	w.marks.armed = true
	time.AfterFunc(marksEvery, func() {
		w.send(call(func(w *Workspace) {
			w.marks.armed = false
			w.tellMarks(marksMost)
		}))
	})
}

// tellMarks publishes what the edges bear now, of at most so many edges; the rest waits for its turn.
func (w *Workspace) tellMarks(most int) {
	var edges []api.EdgeStatus
	for e, before := range w.marks.before {
		if len(edges) == most {
			w.armMarks()
			break
		}
		delete(w.marks.before, e)
		if w.file.Graph().Edge(e.Key) == e && (e.Mark != before || w.chooses(e)) {
			edges = append(edges, edgeStatus(e))
		}
	}
	if len(edges) == 0 {
		return
	}
	slices.SortFunc(edges, func(a, b api.EdgeStatus) int { return cmp.Compare(a.Key, b.Key) })
	w.describeEdges(edges)
	w.publish(api.Event{Type: api.GraphUpdated, Op: opMarks, Edges: edges})
}

// chooses reports whether an edge can be taken or dead, beyond the mark that it bears.
func (w *Workspace) chooses(e *graph.Edge) bool {
	r := w.runOf(e.Source)
	return r != nil && r.flow != nil
}
