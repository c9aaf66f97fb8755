package graphml

import (
	"cmp"
	"slices"
	"strings"
)

// addNodes inserts the nodes that are not where the text has them, in the order of their ranks: each at its spot, with the nodes
// in it.
func (r *renderer) addNodes(nodes []ref) {
	slices.SortFunc(nodes, func(a, b ref) int {
		rank := func(at ref) int { s, _ := r.d.spotOf(at.number); return s.Rank }
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.number, b.number))
	})
	inside := map[string][]ref{} // by id of an added node: the nodes inside it
	anew := map[string]bool{}
	for _, at := range nodes {
		if e := r.d.edits.of(at); e.New != nil {
			anew[e.New.ID] = true
		}
	}
	for _, at := range nodes {
		if s, _ := r.d.spotOf(at.number); anew[s.Parent] {
			inside[s.Parent] = append(inside[s.Parent], at)
		}
	}
	fresh := map[int32][]func(lead string) content{} // by number of a container without a graph
	var owners []int32
	for _, at := range nodes {
		s, _ := r.d.spotOf(at.number)
		if anew[s.Parent] {
			continue
		}
		child := func(lead string) content { return r.nodeContent(at, lead, inside) }
		if owner := r.addAt(s, child); owner != none {
			if fresh[owner] == nil {
				owners = append(owners, owner)
			}
			fresh[owner] = append(fresh[owner], child)
		}
	}
	for _, owner := range owners {
		g := r.open(ref{ofNode, owner})
		g.children = append(g.children, func(lead string) content {
			return r.graphContent(r.d.nodeID(owner), lead, func(lead string) (all content) {
				for _, child := range fresh[owner] {
					all = append(all, child(lead)...)
				}
				return all
			})
		})
	}
}

// addAt inserts a node at its spot, in the graph of a node of the text or in the workflow itself. It returns the number of the
// container if that has no graph yet, otherwise none.
func (r *renderer) addAt(s spot, child func(lead string) content) (owner int32) {
	if s.Near != none {
		near := &r.d.nodes[s.Near]
		lead := r.layout.before(near.start)
		if s.Behind {
			r.insertAt(near.end, child(lead))
		} else {
			r.insertAt(near.start-int32(len(lead)), child(lead))
		}
		return none
	}
	number := int32(0)
	if s.Parent != "" {
		owner, ok := r.d.nodeNumber[s.Parent]
		if !ok {
			return none // its container is removed
		}
		if number = r.d.graphIn(owner); number == none {
			return owner
		}
	}
	g := &r.d.graphs[number]
	if g.lastNode == none {
		into := r.open(ref{ofGraph, number})
		into.children = append(into.children, child)
		return none
	}
	last := &r.d.nodes[g.lastNode]
	r.insertAt(last.end, child(r.layout.before(last.start)))
	return none
}

// addEdges inserts the added edges into the workflow, in the order of their numbers, after all edges of
// the file.
func (r *renderer) addEdges(edges []ref) {
	for _, at := range edges {
		r.addEdge(0, func(lead string) content {
			return content{{text: []byte(r.edgeText(r.d.edits.of(at), lead)), edge: at.number}}
		})
	}
}

// addEdge inserts an edge into a graph of the text, after its edges.
func (r *renderer) addEdge(graph int32, child func(lead string) content) {
	g := &r.d.graphs[graph]
	if g.lastEdge == none || graph == 0 && int(g.lastEdge) != r.d.lastOldEdge() {
		into := r.open(ref{ofGraph, graph})
		into.children = append(into.children, child)
		return
	}
	last := &r.d.edges[g.lastEdge]
	r.insertAt(last.end, child(r.layout.before(last.start)))
}

// nodeContent returns an added or a moved node, with the added and moved nodes inside an added one.
func (r *renderer) nodeContent(at ref, lead string, inside map[string][]ref) content {
	e := r.d.edits.of(at)
	if e.New == nil {
		return content{{carried: &at, edge: none}}
	}
	head := `<` + r.d.prefix + `node id="` + r.attr(e.New.ID) + `"`
	children := inside[e.New.ID]
	if e.New.Container {
		head += groupMark
	}
	inner := r.childLead(lead)
	var body content
	if values := r.values(ofNode, e, inner); values != "" {
		body = newText(values)
	}
	if e.New.Container || len(children) > 0 {
		body = append(body, r.graphContent(e.New.ID, inner, func(lead string) (all content) {
			for _, child := range children {
				all = append(all, r.nodeContent(child, lead, inside)...)
			}
			return all
		})...)
	}
	return r.element(lead, head, body, r.d.prefix+"node")
}

// graphContent returns a nested graph that contains what child returns.
func (r *renderer) graphContent(owner, lead string, child func(lead string) content) content {
	head := `<` + r.d.prefix + `graph id="` + r.attr(owner+":") + `" edgedefault="directed"`
	return r.element(lead, head, child(r.childLead(lead)), r.d.prefix+"graph")
}

// edgeText returns an added edge. Edges of all levels are added to the outermost graph, where
// GraphML allows them to connect nodes at any depth.
func (r *renderer) edgeText(e *edit, lead string) string {
	head := `<` + r.d.prefix + `edge`
	id, hasID, _ := e.get("id")
	if hasID && id != "" {
		head += ` id="` + r.attr(id) + `"`
	}
	head += ` source="` + r.attr(e.New.Source) + `" target="` + r.attr(e.New.Target) + `"`
	before, after := r.around(lead, head, r.values(ofEdge, e, r.childLead(lead)), r.d.prefix+"edge")
	return before + after
}

// element joins head and body of an element.
func (r *renderer) element(lead, head string, body content, name string) content {
	if len(body) == 0 {
		return newText(lead + head + "/>")
	}
	before, after := r.around(lead, head, " ", name)
	return slices.Concat(newText(strings.TrimSuffix(before, " ")), body, newText(after))
}

// around returns the start of an element with its body, and its end.
func (r *renderer) around(lead, head, body, name string) (before, after string) {
	if body == "" {
		return lead + head + "/>", ""
	}
	tail := ""
	if r.childLead(lead) != "" {
		tail = r.layout.line(lead[strings.LastIndexByte(lead, '\n')+1:])
	}
	return lead + head + ">" + body, tail + "</" + name + ">"
}

// childLead returns the white space before the children of an element that has lead before it.
func (r *renderer) childLead(lead string) string {
	i := strings.LastIndexByte(lead, '\n')
	if i < 0 || !r.layout.lines {
		return ""
	}
	return r.layout.line(lead[i+1:] + r.layout.unit)
}

// values returns the values of an added element. The id of an edge is also written as a value if the
// file has a key for it, because some programs read it there.
func (r *renderer) values(dom domain, e *edit, lead string) string {
	var b strings.Builder
	for w := range e.wants() {
		if !w.Present || dom == ofEdge && w.Name == "id" && r.d.keys.choose(dom, w.Name, w.Value) == none {
			continue
		}
		b.WriteString(lead + r.data(dom, w))
	}
	return b.String()
}

func (r *renderer) attr(value string) string {
	return string(appendAttr(nil, value, r.d.form.charset))
}
