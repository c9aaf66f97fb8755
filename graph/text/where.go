package text

import "wf/graph"

// Where returns the line and the column of the text that a problem of the graph is about, 1 and 1 if it is about no part of
// the text.
func (l *Layered) Where(p graph.Problem) (line, column int) {
	if p.Edge >= 0 && p.Edge < len(l.edges) {
		return l.edges[p.Edge].Line, l.edges[p.Edge].Column
	}
	if len(p.Nodes) > 0 {
		if n := l.nodes[p.Nodes[0]]; n != nil {
			if at, ok := n.place(p.Attr); ok {
				return at.line + p.Line, at.column
			}
			return n.Line, n.Column
		}
	}
	if at, has := l.wf.places[p.Attr]; has {
		return at.line + p.Line, at.column
	}
	return 1, 1
}
