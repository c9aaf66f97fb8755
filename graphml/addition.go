package graphml

import "strings"

// addNodes inserts the added nodes, in the order of their keys: each into the graph of its
// container, after the last node there.
func (r *renderer) addNodes(nodes []ref) {
	inside := map[string][]ref{} // by id of an added node: the nodes inside it
	newParents := map[string]bool{}
	for _, at := range nodes {
		newParents[r.d.edits.of(at).New.ID] = true
	}
	for _, at := range nodes {
		if parent := r.d.edits.of(at).New.Parent; newParents[parent] {
			inside[parent] = append(inside[parent], at)
		}
	}
	for _, at := range nodes {
		e := r.d.edits.of(at)
		if newParents[e.New.Parent] {
			continue
		}
		r.addInto(e.New.Parent, func(lead string) string { return r.nodeText(e, lead, inside) })
	}
}

// addInto inserts a node into the graph of a node of the text, or the workflow itself.
func (r *renderer) addInto(parent string, child func(lead string) string) {
	number := int32(0)
	if parent != "" {
		owner, ok := r.d.nodeNumber[parent]
		if !ok {
			return // its container is removed
		}
		if number = r.d.graphIn(owner); number == none {
			g := r.open(ref{ofNode, owner})
			g.children = append(g.children, func(lead string) string {
				return r.graphText(parent, lead, child)
			})
			return
		}
	}
	g := &r.d.graphs[number]
	if g.lastNode == none {
		into := r.open(ref{ofGraph, number})
		into.children = append(into.children, child)
		return
	}
	last := &r.d.nodes[g.lastNode]
	r.patch(last.end, last.end, []byte(child(r.layout.before(last.start))))
}

// addEdges inserts the added edges into the workflow, in the order of their keys, after all edges of
// the file.
func (r *renderer) addEdges(edges []ref) {
	g := &r.d.graphs[0]
	for _, at := range edges {
		e := r.d.edits.of(at)
		if g.lastEdge == none || int(g.lastEdge) != r.d.lastOldEdge() {
			into := r.open(ref{ofGraph, 0})
			into.children = append(into.children, func(lead string) string { return r.edgeText(e, lead) })
			continue
		}
		last := &r.d.edges[g.lastEdge]
		r.patch(last.end, last.end, []byte(r.edgeText(e, r.layout.before(last.start))))
	}
}

// nodeText returns an added node with the added nodes inside it.
func (r *renderer) nodeText(e *edit, lead string, inside map[string][]ref) string {
	head := `<` + r.d.prefix + `node id="` + r.attr(e.New.ID) + `"`
	children := inside[e.New.ID]
	if e.New.Container {
		head += groupMark
	}
	inner := r.childLead(lead)
	body := r.values(ofNode, e, inner)
	if e.New.Container || len(children) > 0 {
		body += r.graphText(e.New.ID, inner, func(lead string) string {
			var b strings.Builder
			for _, at := range children {
				b.WriteString(r.nodeText(r.d.edits.of(at), lead, inside))
			}
			return b.String()
		})
	}
	return r.element(lead, head, body, r.d.prefix+"node")
}

// graphText returns a nested graph that contains what child returns.
func (r *renderer) graphText(owner, lead string, child func(lead string) string) string {
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
	return r.element(lead, head, r.values(ofEdge, e, r.childLead(lead)), r.d.prefix+"edge")
}

// element joins head and body of an element.
func (r *renderer) element(lead, head, body, name string) string {
	if body == "" {
		return lead + head + "/>"
	}
	tail := ""
	if r.childLead(lead) != "" {
		tail = r.layout.line(lead[strings.LastIndexByte(lead, '\n')+1:])
	}
	return lead + head + ">" + body + tail + "</" + name + ">"
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
