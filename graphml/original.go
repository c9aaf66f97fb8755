package graphml

import "wf/graph"

// An original is the file as it was read, with its index and its declared keys.
// Edits do not change it, except that they append placeholders for added elements to nodes and
// edges of the index.
type original struct {
	index
	file []byte // as read
	form form
	keys keyTable

	defaults [domains][]graph.Attr
	drawn    []int32         // nodes whose command is only a text of a drawing
	implicit map[int32]bool  // nodes that are containers only because they have no label or are repeated
	unclean  []int32         // slots of captured output with characters that XML forbids
	inside   map[int32]int32 // first graph element in a node, by node; nil before first use
}

// element returns where an element lies in the text.
func (o *original) element(r ref) *element {
	switch r.domain {
	case ofNode:
		return &o.nodes[r.number]
	case ofEdge:
		return &o.edges[r.number]
	}
	return &o.graphs[r.number].element
}

// find returns the slot of an attribute of an element, or none. Of several slots the last one
// counts, as in most programs. Drawings do not count as attributes.
func (o *original) find(r ref, name string) int32 {
	found := int32(none)
	for i := o.element(r).first; i != none; i = o.slots[i].next {
		k := o.keys.key(r.domain, &o.slots[i])
		if k != nil && k.name == name && !o.slots[i].structured {
			found = i
		}
	}
	return found
}

// raw returns the content of a slot as it stands in the text.
func (o *original) raw(i int32) string {
	v := &o.slots[i]
	return o.sub(v.value, v.close)
}

// DeclaresNodeKey reports whether the file declares an attribute of this name for nodes.
func (o *original) DeclaresNodeKey(name string) bool {
	for i := range o.keys.keys {
		if k := &o.keys.keys[i]; k.name == name && k.serves(ofNode) {
			return true
		}
	}
	return false
}

// graphIn returns the graph element directly in a node, or none.
func (o *original) graphIn(node int32) int32 {
	if o.inside == nil {
		o.inside = make(map[int32]int32, len(o.graphs))
		for i := range o.graphs {
			if _, has := o.inside[o.graphs[i].owner]; !has {
				o.inside[o.graphs[i].owner] = int32(i)
			}
		}
	}
	if i, has := o.inside[node]; has {
		return i
	}
	return none
}

// lastOldEdge returns the number of the last edge of the text, -1 if it has none.
func (o *original) lastOldEdge() int {
	i := len(o.edges) - 1
	for i >= 0 && o.edges[i].start == added {
		i--
	}
	return i
}

func (o *original) edgesByEnds() map[endIDs][]int32 {
	edges := map[endIDs][]int32{}
	for i := range o.edges {
		if o.edges[i].start != added {
			between := o.ends(int32(i))
			edges[between] = append(edges[between], int32(i))
		}
	}
	return edges
}

func (o *original) ends(edge int32) endIDs {
	source, _ := o.xmlAttr(ref{ofEdge, edge}, "source")
	target, _ := o.xmlAttr(ref{ofEdge, edge}, "target")
	return endIDs{source, target}
}

// A baseState says what kind of value an attribute has in the text.
type baseState uint8

const (
	isPlain      baseState = iota // text, or absent
	isUnreadable                  // text that uses an entity: it differs from every wanted value
	isDrawing                     // elements
)

// base returns the value of an attribute in the text.
func (o *original) base(r ref, name string) (want, baseState) {
	if o.element(r).start == added {
		return want{Name: name}, isPlain
	}
	if r.domain == ofEdge && name == "id" {
		if id, ok := o.xmlAttr(r, "id"); ok && (id != "" || o.find(r, "id") == none) {
			return want{name, id, true}, isPlain
		}
	}
	if i := o.find(r, name); i != none {
		text, found := decodeValue(o.raw(i))
		if found&unknownEntity != 0 {
			return want{Name: name, Present: true}, isUnreadable
		}
		return want{name, text, true}, isPlain
	}
	if o.hasDrawing(r, name) {
		return want{Name: name}, isDrawing
	}
	return o.baseDefault(r.domain, want{Name: name}), isPlain
}

// baseDefault applies the default of a key to the graph, which stores defaults as its own values.
// Nodes and edges store them separately.
func (o *original) baseDefault(dom domain, w want) want {
	if dom != ofGraph {
		return w
	}
	for _, a := range o.defaults[ofGraph] {
		if a.Name == w.Name {
			return want{w.Name, a.Value, true}
		}
	}
	return w
}

// hasDrawing reports whether a value of the attribute contains elements.
func (o *original) hasDrawing(r ref, name string) bool {
	for i := o.element(r).first; i != none; i = o.slots[i].next {
		k := o.keys.key(r.domain, &o.slots[i])
		if k != nil && k.name == name && o.slots[i].structured {
			return true
		}
	}
	return false
}

// startTag reads the start tag of an element again. It is well-formed, since the scan accepted it.
func (o *original) startTag(e *element) tag {
	s := scanner{index: index{text: o.text}}
	t, err := s.tag(int(e.start))
	if err != nil {
		panic("internal error: graphml: " + err.Error())
	}
	return t
}

// xmlAttr returns an attribute of the start tag of an element.
func (o *original) xmlAttr(r ref, name string) (string, bool) {
	t := o.startTag(o.element(r))
	raw, ok := t.get(name)
	s := scanner{index: index{text: o.text}}
	text, _ := s.attrText(&t, raw)
	return text, ok
}
