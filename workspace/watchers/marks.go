package watchers

import (
	"cmp"
	"slices"
	"time"

	"wf/api"
	"wf/graph"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
)

const (
	marksEvery = 100 * time.Millisecond // minimum time between two events about marks
	marksMost  = 2000                   // maximum number of edges in one event
)

// opMarks is the Op of a graph_updated event about marks.
const opMarks = "marks"

// Marks publishes changes of edge marks, collected over a short time. A change that a run reverts at once is not published.
// It belongs to the loop.
type Marks struct {
	hub    *Hub
	nodes  *nodestate.Table
	before map[*graph.Edge]graph.Mark // since the last event
	timer  *loop.Timer
	armed  bool // the timer for the next event is set
}

// NewMarks returns a Marks without changes.
func NewMarks(hub *Hub, nodes *nodestate.Table) *Marks {
	m := &Marks{hub: hub, nodes: nodes}
	m.timer = hub.loop.NewTimer(func() {
		m.armed = false
		m.publish(marksMost)
	})
	return m
}

// Changed notes that a run has changed the mark of an edge. before is the mark that it had.
func (m *Marks) Changed(e *graph.Edge, before graph.Mark) {
	if !m.hub.Wants(api.GraphUpdated) {
		return
	}
	if m.before == nil {
		m.before = make(map[*graph.Edge]graph.Mark)
	}
	if _, known := m.before[e]; !known {
		m.before[e] = before
	}
	m.arm()
}

func (m *Marks) arm() {
	if !m.armed {
		m.armed = true
		m.timer.Reset(marksEvery)
	}
}

// Flush publishes all changed marks.
func (m *Marks) Flush() { m.publish(len(m.before)) }

// publish publishes the marks of at most the given number of edges. The others wait for the next event.
func (m *Marks) publish(most int) {
	g := m.nodes.File.Graph()
	var edges []api.EdgeStatus
	for e, before := range m.before {
		if len(edges) == most {
			m.arm()
			break
		}
		delete(m.before, e)
		if g.Edge(e.Key) == e && (e.Mark != before || m.chooses(e)) {
			edges = append(edges, nodestate.EdgeStatus(e))
		}
	}
	if len(edges) == 0 {
		return
	}
	slices.SortFunc(edges, func(a, b api.EdgeStatus) int { return cmp.Compare(a.Key, b.Key) })
	m.nodes.DescribeEdges(edges)
	m.hub.Publish(api.Event{Type: api.GraphUpdated, Op: opMarks, Edges: edges})
}

// chooses reports whether an edge can be taken or dead, in addition to its mark.
func (m *Marks) chooses(e *graph.Edge) bool {
	r := m.nodes.RunOf(e.Source)
	return r != nil && r.Flow != nil
}
