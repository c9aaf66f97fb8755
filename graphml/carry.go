package graphml

import "strings"

// unwrapped returns the removed containers of the text whose nodes stay where they are: only their tags and their own values
// disappear.
func (r *renderer) unwrapped() map[int32]bool {
	var containers map[int32]bool
	for _, at := range r.d.edits.touched {
		if at.domain != ofNode {
			continue
		}
		e := r.d.edits.of(at)
		if !e.moved() || e.Removed || !r.d.inPlace(at.number) {
			continue
		}
		if containers == nil {
			containers = map[int32]bool{}
		}
		s, _ := r.d.spotOf(at.number)
		for owner := r.d.textParent(at.number); ; owner = r.d.textParent(owner) {
			containers[owner] = true
			if owner == s.Near {
				break
			}
		}
	}
	return containers
}

// unwrap removes a container except for what is in its graph.
func (r *renderer) unwrap(container int32) {
	e := &r.d.nodes[container]
	number := r.d.graphIn(container)
	g := &r.d.graphs[number]
	start, _ := r.extent(ref{ofNode, container})
	r.patch(start, g.inner, nil)
	for i := g.first; i != none; i = r.d.slots[i].next {
		v := &r.d.slots[i]
		r.remove(r.d.slotStart(v), r.d.slotEnd(v))
	}
	r.patch(g.close-int32(len(r.layout.before(g.close))), e.end, nil)
}

// carryEdges takes edges of the text out of graphs that do not contain both of their nodes any more, or that are removed. Each
// goes into the nearest graph around that does: GraphML wants that.
func (r *renderer) carryEdges(unwrapped map[int32]bool) {
	if len(r.d.graphs) < 2 || !r.d.edits.structural() {
		return
	}
	for i := range r.d.edges {
		e, at := &r.d.edges[i], ref{ofEdge, int32(i)}
		if e.start == added || r.d.edits.of(at).gone() || e.graph == 0 {
			continue
		}
		was := r.d.graphs[e.graph].owner
		home := was
		for home != none && unwrapped[home] {
			home = r.d.textParent(home)
		}
		if to := r.graphFor(at.number, was, home); to != home {
			r.takeOut(at)
			graph := int32(0)
			if to != none {
				graph = r.d.graphIn(to)
			}
			r.addEdge(graph, func(string) content { return content{{carried: &at, edge: none}} })
		}
	}
}

// graphFor returns the container in whose graph an edge belongs, none for the outermost graph. was is the one in the text, and
// home the one that the edge would be in. An edge that was in a wrong graph already stays in it.
func (r *renderer) graphFor(edge, was, home int32) int32 {
	if home == none {
		return none
	}
	ends := r.d.endsOf(edge)
	source, okSource := r.d.nodeNumber[ends.Source]
	target, okTarget := r.d.nodeNumber[ends.Target]
	removed := r.d.edits.nodes[home].gone()
	if !removed && (!okSource || !okTarget || r.d.within(source, home) && r.d.within(target, home)) {
		return home
	}
	if !removed && !r.wasInside(edge, was) {
		return home
	}
	for steps := 0; home != none && steps <= len(r.d.nodes); steps++ {
		home = r.d.parentOf(home)
		if home != none && !r.d.edits.nodes[home].gone() && r.d.nodes[home].start != added && r.d.graphIn(home) != none &&
			r.d.within(source, home) && r.d.within(target, home) {
			return home
		}
	}
	return none
}

// wasInside reports whether both ends of an edge lie in a container in the text.
func (r *renderer) wasInside(edge, container int32) bool {
	ends := r.d.ends(edge)
	inside := func(id string) bool {
		number, ok := r.d.nodeNumber[id]
		if !ok || r.d.nodes[number].start == added {
			return false
		}
		for at := number; at != none; at = r.d.textParent(at) {
			if at == container {
				return true
			}
		}
		return false
	}
	return inside(ends.Source) && inside(ends.Target)
}

// declare declares the prefixes of names in a carried element that only elements around its former place declare.
func (r *renderer) declare(at ref) {
	t := r.d.startTag(r.d.element(at))
	known := map[string]bool{}
	for _, a := range t.attrs {
		known[a.name] = true
	}
	text := ""
	for _, a := range r.d.declarations(r.d.element(at).graph) {
		if !known[a.name] {
			known[a.name] = true
			text += " " + string(r.d.text[a.start:a.end])
		}
	}
	if text != "" {
		end := t.start + 1 + int32(len(t.name))
		r.patch(end, end, []byte(text))
	}
}

// declarations returns the declarations of prefixes in a graph and in what is around it, the innermost first. The outermost
// graph and the document are around every place.
func (o *original) declarations(graph int32) (list []attr) {
	for ; graph > 0; graph = o.graphs[graph].graph {
		g := &o.graphs[graph]
		around := []*element{&g.element}
		if g.owner != none {
			around = append(around, &o.nodes[g.owner])
		}
		for _, e := range around {
			for _, a := range o.startTag(e).attrs {
				if a.name == "xmlns" || strings.HasPrefix(a.name, "xmlns:") {
					list = append(list, a)
				}
			}
		}
	}
	return list
}
