package workspace

import (
	"cmp"
	"slices"
	"time"

	"wf/api"
	"wf/graph"
	"wf/workspace/nodestate"
)

const (
	marksEvery = 100 * time.Millisecond // between two events about marks
	marksMost  = 2000                   // edges in one of them
)

// opMarks is the Op of a graph_updated event that tells of marks.
const opMarks = "marks"

// marks are the edges whose marks have changed since the last event about marks. A change that a run takes
// back at once is not published. It belongs to the loop.
type marks struct {
	before map[*graph.Edge]graph.Mark
	armed  bool // the timer for the next event is set
}

// marked notes that a run has changed the mark of an edge. before is the mark that it had.
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

// tellMarks publishes the marks of at most so many edges that have changed. The rest waits for the next event.
func (w *Workspace) tellMarks(most int) {
	var edges []api.EdgeStatus
	for e, before := range w.marks.before {
		if len(edges) == most {
			w.armMarks()
			break
		}
		delete(w.marks.before, e)
		if w.file.Graph().Edge(e.Key) == e && (e.Mark != before || w.chooses(e)) {
			edges = append(edges, nodestate.EdgeStatus(e))
		}
	}
	if len(edges) == 0 {
		return
	}
	slices.SortFunc(edges, func(a, b api.EdgeStatus) int { return cmp.Compare(a.Key, b.Key) })
	w.nodes.DescribeEdges(edges)
	w.publish(api.Event{Type: api.GraphUpdated, Op: opMarks, Edges: edges})
}

// chooses reports whether an edge can be taken or dead, besides its mark.
func (w *Workspace) chooses(e *graph.Edge) bool {
	r := w.nodes.RunOf(e.Source)
	return r != nil && r.Flow != nil
}
