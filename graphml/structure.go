package graphml

import (
	"slices"
	"unsafe"
)

// open enters an element into the index, and onto the stack unless it is empty.
func (s *scanner) open(t *tag) error {
	if len(s.stack) >= s.limits.MaxDepth {
		return s.errorf(int(t.start), "elements are nested more than %d deep", s.limits.MaxDepth)
	}
	f := openElement{start: t.start, nameSize: int32(len(t.name)), lastSlot: none, scope: s.scope}
	if len(s.stack) == 0 {
		if err := s.openRoot(t); err != nil {
			return err
		}
		f.kind = root
	} else if parent := &s.stack[len(s.stack)-1]; parent.kind != opaque {
		if t.declares {
			s.scope.enter(t)
		}
		var err error
		if f.kind, f.number, err = s.openIn(parent, t); err != nil {
			return err
		}
	}
	if t.empty {
		s.closed(&f, none, t.end)
		s.scope = f.scope
		return nil
	}
	s.stack = append(s.stack, f)
	return nil
}

// openRoot accepts any <graphml>, whatever its namespace. Added elements get the same prefix.
func (s *scanner) openRoot(t *tag) error {
	if s.root.start != added {
		return s.errorf(int(t.start), "<%s> after the end of <graphml>", t.name)
	}
	if t.local != "graphml" {
		return s.errorf(int(t.start), "the root element is <%s>, not <graphml>", t.name)
	}
	s.scope.enterRoot(t)
	s.root = element{start: t.start, inner: t.end, first: none, graph: none}
	if t.prefix != "" {
		s.prefix = t.prefix + ":"
	}
	return nil
}

// openIn decides what a child element is, by its parent, and enters it into the index.
func (s *scanner) openIn(parent *openElement, t *tag) (kind, int32, error) {
	if parent.kind == dataKind {
		s.slots[parent.number].structured = true
		return opaque, 0, nil
	}
	if parent.kind == defaultKind {
		s.keys[parent.number].has = false // a drawing, not text
		return opaque, 0, nil
	}
	if !s.scope.ours(t.prefix) {
		return opaque, 0, nil
	}
	switch parent.kind {
	case root, graphKind:
		return s.openInGraph(parent, t)
	case nodeKind:
		switch t.local {
		case "data":
			return s.openData(parent, t)
		case "graph":
			return s.openGraph(parent, t)
		case "port":
			s.notes.once(WarnPort, int(t.start))
		}
	case edgeKind:
		if t.local == "data" {
			return s.openData(parent, t)
		}
	case keyKind:
		if t.local == "default" {
			s.keys[parent.number].has = true
			return defaultKind, parent.number, nil
		}
	}
	return opaque, 0, nil
}

// openInGraph handles the children of <graphml> and of <graph>.
func (s *scanner) openInGraph(parent *openElement, t *tag) (kind, int32, error) {
	switch {
	case t.local == "key": // Gephi writes them into the graph
		return s.openKey(t)
	case t.local == "graph":
		return s.openGraph(parent, t)
	case parent.kind == root:
		return opaque, 0, nil
	}
	switch t.local {
	case "node":
		return s.openNode(parent, t)
	case "edge":
		return s.openEdge(parent, t)
	case "data":
		return s.openData(parent, t)
	case "hyperedge":
		s.notes.once(WarnHyperedge, int(t.start))
	}
	return opaque, 0, nil
}

// openGraph enters the first graph of the document and all graphs inside it. A graph directly in a
// graph (Boost writes them) belongs to the same owner as the outer one.
func (s *scanner) openGraph(parent *openElement, t *tag) (kind, int32, error) {
	g := graphElement{element: newElement(t, none), owner: none, lastNode: none, lastEdge: none}
	switch parent.kind {
	case root:
		if len(s.graphs) > 0 {
			s.notes.once(WarnSecondGraph, int(t.start))
			return opaque, 0, nil
		}
		switch direction, _ := t.get("edgedefault"); direction {
		case "":
			s.notes.once(WarnEdgeDefault, int(t.start))
		case "undirected":
			s.notes.once(WarnUndirected, int(t.start))
		}
	case graphKind:
		g.graph, g.owner = parent.number, s.graphs[parent.number].owner
	case nodeKind:
		g.graph, g.owner = s.nodes[parent.number].graph, parent.number
		s.parents[parent.number] = true
	}
	s.graphs = append(s.graphs, g)
	return graphKind, int32(len(s.graphs) - 1), s.countElement(int(t.start))
}

// openNode numbers a node. Its id must be new in the whole workflow, at any depth.
func (s *scanner) openNode(parent *openElement, t *tag) (kind, int32, error) {
	raw, _ := t.get("id")
	id, err := s.attrText(t, raw)
	if err != nil {
		return 0, 0, err
	}
	if id == "" {
		return 0, 0, s.errorf(int(t.start), "a node without an id")
	}
	s.unreadInTag(ofNode, t, id, none)
	number := int32(len(s.nodes))
	if first, used := s.numbers[id]; used {
		line, _ := position(s.text, int(s.nodes[first].start))
		again, _ := position(s.text, int(t.start))
		return 0, 0, s.errorf(int(t.start), "node id %q used twice (lines %d and %d)", id, line, again)
	}
	id = s.together(id)
	s.numbers[id] = number
	folder, _ := t.get("yfiles.foldertype")
	s.nodes = append(doubled(s.nodes), newElement(t, parent.number))
	s.nodeIDs = append(doubled(s.nodeIDs), id)
	s.folders = append(doubled(s.folders), folder == "group" || folder == "folder")
	s.parents = append(doubled(s.parents), false)
	s.graphs[parent.number].lastNode = number
	s.memory += nodeMemory
	return nodeKind, number, s.countElement(int(t.start))
}

// together copies an id to a block that contains only ids. The ends of edges are looked up in
// random order, and comparing with ids scattered over a large text costs a cache miss each.
func (s *scanner) together(id string) string {
	const block = 1 << 18
	if cap(s.ids)-len(s.ids) < len(id) {
		s.ids = make([]byte, 0, max(block, len(id)))
	}
	from := len(s.ids)
	s.ids = append(s.ids, id...)
	return unsafe.String(&s.ids[from], len(id))
}

// openEdge numbers an edge. Direction attributes are ignored: an edge goes from source to target.
func (s *scanner) openEdge(parent *openElement, t *tag) (kind, int32, error) {
	number := int32(len(s.edges))
	s.unreadInTag(ofEdge, t, "", int(number))
	at := ends{none, none}
	for i := range t.attrs {
		var err error
		switch a := &t.attrs[i]; a.name {
		case "source":
			at.source, err = s.end(t, a.value, number, false)
		case "target":
			at.target, err = s.end(t, a.value, number, true)
		case "id":
			var id string
			id, err = s.attrText(t, a.value)
			s.edgeIDs = append(s.edgeIDs, edgeID{number, id})
		case "directed":
			if a.value == "false" {
				s.notes.once(WarnUndirected, int(t.start))
			}
		}
		if err != nil {
			return 0, 0, err
		}
	}
	if at.source == none || at.target == none {
		return 0, 0, s.errorf(int(t.start), "an edge without source or target")
	}
	s.addEdge(newElement(t, parent.number), at)
	return edgeKind, number, s.countElement(int(t.start))
}

// addEdge appends an edge.
func (s *scanner) addEdge(e element, at ends) {
	s.graphs[e.graph].lastEdge = int32(len(s.edges))
	s.edges = append(doubled(s.edges), e)
	s.ends = append(doubled(s.ends), at)
	s.memory += edgeMemory
}

// end resolves one end of an edge. If the node comes later in the file it returns later, and
// connect resolves the end after the scan.
func (s *scanner) end(t *tag, raw string, edge int32, target bool) (int32, error) {
	id, err := s.attrText(t, raw)
	if err != nil || id == "" {
		return none, err
	}
	last := &s.last.source
	if target {
		last = &s.last.target
	}
	if int(*last) < len(s.nodeIDs) && s.nodeIDs[*last] == id {
		return *last, nil
	}
	if number, ok := s.numbers[id]; ok {
		*last = number
		return number, nil
	}
	s.early = append(s.early, earlyEnd{edge, target, id})
	return later, nil
}

// later is the number of a node that is not known yet.
const later = -2

// doubled makes room for one more element by doubling the capacity: append grows large slices by
// only a quarter, which copies them often.
func doubled[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, max(len(list), 1024))
}

// openData is the general form of plainData.
func (s *scanner) openData(parent *openElement, t *tag) (kind, int32, error) {
	raw, _ := t.get("key")
	id, err := s.attrText(t, raw)
	if err != nil {
		return 0, 0, err
	}
	number := s.addSlot(parent, slot{value: t.end, key: s.keyIDs.intern([]byte(id))})
	return dataKind, number, s.countElement(int(t.start))
}

// openKey enters a declaration. A keyTable resolves the declarations after the scan.
func (s *scanner) openKey(t *tag) (kind, int32, error) {
	if id, _ := t.get("id"); id == "" {
		return opaque, 0, nil // no value can refer to this key
	}
	k := keyElement{start: t.start, all: true, domain: ofOther}
	for _, a := range t.attrs {
		value, err := s.attrText(t, a.value)
		if err != nil {
			return 0, 0, err
		}
		switch a.name {
		case "id":
			k.id = s.keyIDs.intern([]byte(value))
		case "for":
			k.domain, k.all = domainOf(value)
		case "attr.name":
			k.name = value
		case "attr.type":
			k.kind = value
		case "yfiles.type":
			k.graphics = value
		}
	}
	s.keys = append(s.keys, k)
	return keyKind, int32(len(s.keys) - 1), s.countElement(int(t.start))
}

// domainOf reads the for attribute of a key.
func domainOf(text string) (d domain, all bool) {
	switch text {
	case "node":
		return ofNode, false
	case "edge":
		return ofEdge, false
	case "graph":
		return ofGraph, false
	}
	return ofOther, text == "all" || text == ""
}

func newElement(t *tag, graph int32) element {
	return element{start: t.start, inner: t.end, close: none, first: none, graph: graph}
}

// owner returns the element of an open node, edge or graph.
func (s *scanner) owner(f *openElement) *element {
	switch f.kind {
	case nodeKind:
		return &s.nodes[f.number]
	case edgeKind:
		return &s.edges[f.number]
	}
	return &s.graphs[f.number].element
}

// addSlot appends a value to those of an open element.
func (s *scanner) addSlot(parent *openElement, v slot) int32 {
	number := int32(len(s.slots))
	s.memory += slotMemory
	v.next = none
	s.slots = append(doubled(s.slots), v)
	if parent.lastSlot == none {
		s.owner(parent).first = number
	} else {
		s.slots[parent.lastSlot].next = number
	}
	parent.lastSlot = number
	return number
}

// closed completes an element: its end tag begins at close (none if it has no end tag).
func (s *scanner) closed(f *openElement, close, end int32) {
	switch f.kind {
	case root:
		s.root.close, s.root.end = close, end
	case nodeKind, edgeKind, graphKind:
		e := s.owner(f)
		e.close, e.end = close, end
	case dataKind:
		s.slots[f.number].close = close
	case keyKind:
		s.keys[f.number].end = end
	case defaultKind:
		if close != none && s.keys[f.number].has {
			s.setDefault(f, close)
		}
	}
}

// setDefault reads the text of a <default>. An unreadable one counts as empty.
func (s *scanner) setDefault(f *openElement, close int32) {
	open := s.text[f.start:close]
	for i, quote := 0, byte(0); i < len(open); i++ {
		switch c := open[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			s.keys[f.number].fallback, _ = decodeValue(s.sub(f.start+int32(i)+1, close))
			return
		}
	}
}
