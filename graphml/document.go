package graphml

import (
	"slices"

	"wf/graph"
)

// How a workfile is read and written:
//
//	bytes ─unpack─▶ text ─scanner─▶ index ─builder─▶ graph.Graph
//	                  │               │
//	                  │    Set*, Apply ─▶ edits: what is wanted where the text has something else
//	                  ▼                     │
//	bytes ◀──pack── splice ◀─patches── renderer
//
// Edits are compared with the text when they are made, so one that restores what the text has
// leaves nothing behind. Patches are made anew for each save; an insertion, an opened-up <node/>
// or a new key exists only as long as an edit needs it. That is why nothing has to be undone.

// A Document is one workfile: the bytes that were read, which never change, and the state that is
// wanted. What it writes is the first with only the differences spliced in, so taking every edit
// back gives the original bytes again, whatever lay between. It is not safe for concurrent use.
type Document struct {
	index
	file  []byte // as read
	form  form
	keys  keyTable
	lines *lineTable // made when first asked for
	moved []move     // the same, of the wanted state; nil after a change

	defaults [domains][]graph.Attr
	drawn    []int32        // nodes whose command is only a text of a drawing
	implicit map[int32]bool // nodes that are containers only because they have no label or are repeated
	unclean  []int32        // slots of captured output with characters that XML forbids

	// The fields below are the wanted state, where it differs from the text.

	nodeEdits  []*edit // by number; nil where nothing is wanted
	edgeEdits  []*edit
	graphEdit  *edit
	nodeNumber map[string]int32 // of the nodes that are not removed, by id
	newNodes   map[int]int32    // numbers of added nodes by graph.Node.Key
	newEdges   map[int]int32    // numbers of added edges by graph.Edge.Key

	// keyByNumber has the keys of all nodes of a document that was resumed, and newNodes then has all
	// of them, too. nil: the key of a node of the text is its number.
	keyByNumber []int

	touched []ref     // elements that have, or had, an edit
	changes int       // differences from the text
	bare    *bareness // nil unless it shall look as if nothing ever ran
}

// A ref names an element of a document.
type ref struct {
	domain domain
	number int32
}

func newDocument(file []byte, f form, s *scanner) *Document {
	d := &Document{
		index:      s.index,
		file:       file,
		form:       f,
		keys:       newKeyTable(&s.index),
		nodeEdits:  make([]*edit, len(s.nodes)),
		edgeEdits:  make([]*edit, len(s.edges)),
		nodeNumber: s.numbers,
		implicit:   map[int32]bool{},
		newNodes:   map[int]int32{},
		newEdges:   map[int]int32{},
	}
	for dom := range domains {
		d.defaults[dom] = d.keys.defaults(dom)
	}
	return d
}

// Base returns the bytes that were read. The caller must not change them.
func (d *Document) Base() []byte { return d.file }

// NodeLine returns the line in which a node begins, from 1; 0 if the file does not have it.
func (d *Document) NodeLine(id string) int {
	number, ok := d.nodeNumber[id]
	if !ok || d.nodes[number].start == added {
		return 0
	}
	return d.line(d.nodes[number].start)
}

// EdgeLine returns the line in which the edge of the key begins; 0 if the file does not have it.
func (d *Document) EdgeLine(key int) int {
	number, ok := d.edgeNumber(key)
	if !ok || d.edges[number].start == added {
		return 0
	}
	return d.line(d.edges[number].start)
}

// NodeAttrLine returns the line in which the text of an attribute of a node begins; that of the node if
// the file does not have it, or attr is "".
func (d *Document) NodeAttrLine(id, attr string) int {
	if number, ok := d.nodeNumber[id]; ok {
		if line := d.attrLine(ref{ofNode, number}, attr); line > 0 {
			return line
		}
	}
	return d.NodeLine(id)
}

// EdgeAttrLine is NodeAttrLine for the edge of the key.
func (d *Document) EdgeAttrLine(key int, attr string) int {
	if number, ok := d.edgeNumber(key); ok {
		if line := d.attrLine(ref{ofEdge, number}, attr); line > 0 {
			return line
		}
	}
	return d.EdgeLine(key)
}

// GraphAttrLine is NodeAttrLine for the workflow itself.
func (d *Document) GraphAttrLine(attr string) int {
	if line := d.attrLine(ref{ofGraph, 0}, attr); line > 0 {
		return line
	}
	return d.line(d.graphs[0].start)
}

// attrLine is 0 for an attribute that the text does not have.
func (d *Document) attrLine(r ref, attr string) int {
	if attr == "" {
		return 0
	}
	if slot := d.find(r, attr); slot != none {
		return d.line(d.slots[slot].value)
	}
	return 0
}

// line is the line of an offset of the text in the file as it would be saved now.
func (d *Document) line(offset int32) int {
	if d.lines == nil {
		d.lines = newLineTable(d.text)
	}
	line := d.lines.line(offset)
	if !d.Dirty() {
		return line
	}
	if d.moved == nil {
		d.moved = newRenderer(d).moves()
	}
	i, _ := slices.BinarySearchFunc(d.moved, offset, func(m move, offset int32) int {
		if m.end <= offset {
			return -1
		}
		return 1
	})
	if i > 0 {
		line += d.moved[i-1].lines
	}
	return line
}

// edgeNumber finds an edge, also a removed one.
func (d *Document) edgeNumber(key int) (int32, bool) {
	if key >= 0 && key < len(d.edges) && d.edges[key].start != added {
		return int32(key), true
	}
	number, ok := d.newEdges[key]
	return number, ok
}

// element returns where an element lies in the text.
func (d *Document) element(r ref) *element {
	switch r.domain {
	case ofNode:
		return &d.nodes[r.number]
	case ofEdge:
		return &d.edges[r.number]
	}
	return &d.graphs[r.number].element
}

// find returns the slot of an attribute of an element, or none. Of several the last one counts,
// as for most programs. Drawings are no attributes.
func (d *Document) find(r ref, name string) int32 {
	found := int32(none)
	for i := d.element(r).first; i != none; i = d.slots[i].next {
		k := d.keys.key(r.domain, &d.slots[i])
		if k != nil && k.name == name && !d.slots[i].structured {
			found = i
		}
	}
	return found
}

// raw returns the content of a slot as it stands in the text.
func (d *Document) raw(i int32) string {
	v := &d.slots[i]
	return d.sub(v.value, v.close)
}

// NodeAttr returns the text of an attribute of a node as it would be saved now, and whether the
// node itself has it: a value without presence is the default of the file. A value that cannot be
// read counts as absent.
func (d *Document) NodeAttr(id, attr string) (value string, present bool) {
	number, ok := d.nodeNumber[id]
	if !ok {
		return "", false
	}
	r := ref{ofNode, number}
	if value, present, wanted := d.editOf(r).get(attr); wanted && present {
		return value, true
	} else if !wanted {
		if i := d.find(r, attr); i != none {
			value, found := decodeValue(d.raw(i))
			if found&unknownEntity == 0 {
				return value, true
			}
			return "", false
		}
	}
	return inherited(d.defaults[ofNode], attr), false
}

func inherited(attrs []graph.Attr, name string) string {
	for _, a := range attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// FromDrawing says whether commands come, at least in part, only from texts of a drawing. Such a
// file may never have been meant as a workflow. One with a wrapper, or with a status key for
// nodes, was.
func (d *Document) FromDrawing() bool {
	if _, ok := d.graphAttr("wrapper"); ok {
		return false
	}
	for i := range d.keys.keys {
		if k := &d.keys.keys[i]; k.name == "status" && k.serves(ofNode) {
			return false
		}
	}
	for _, number := range d.drawn {
		e := d.nodeEdits[number]
		if _, present, _ := e.get("label"); !present && !e.gone() {
			return true
		}
	}
	return false
}

// graphAttr returns an attribute of the workflow as it would be saved now. Defaults do not count.
func (d *Document) graphAttr(name string) (value string, present bool) {
	if value, present, wanted := d.graphEdit.get(name); wanted {
		return value, present
	}
	if i := d.find(ref{ofGraph, 0}, name); i != none {
		value, found := decodeValue(d.raw(i))
		return value, found&unknownEntity == 0
	}
	return "", false
}

// DeclaresNodeKey says whether the file declares an attribute of this name for nodes.
func (d *Document) DeclaresNodeKey(name string) bool {
	for i := range d.keys.keys {
		if k := &d.keys.keys[i]; k.name == name && k.serves(ofNode) {
			return true
		}
	}
	return false
}
