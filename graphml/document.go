package graphml

import (
	"slices"

	"wf/graph"
)

// How a workfile is read and written:
//
//	bytes ─unpack─▶ text ─scanner─▶ index ─builder─▶ graph.Graph
//	                  │               │
//	                  │    Set*, Apply ─▶ edits: the wanted state where it differs from the text
//	                  ▼                     │
//	bytes ◀──pack── splice ◀─patches── renderer
//
// An edit is compared with the text when it is made, so an edit that restores the text leaves
// nothing behind. Patches are computed for each save; an insertion, an expanded <node/> or a new
// key exists only as long as an edit needs it. So no patch has to be undone.

// A Document is one workfile: the bytes that were read, which never change, and the wanted state.
// Render returns the bytes that were read with only the differences spliced in. When every edit is
// undone, Render returns the original bytes, whatever happened in between. It is not safe for
// concurrent use.
type Document struct {
	original
	edits edits

	// Numbers of elements are those of the index; keys are those of the graph.

	nodeNumber map[string]int32 // of the nodes that are not removed, by id
	newNodes   map[int]int32    // numbers of added nodes by graph.Node.Key
	newEdges   map[int]int32    // numbers of added edges by graph.Edge.Key

	// Of a resumed or reordered document: the keys of all elements, which newNodes and newEdges also contain; nil: key = number.
	nodeKeys, edgeKeys []int

	lines  *lineTable // of the text; computed on first use
	shifts []shift    // how the edits shift lines; nil after a change
	ranks  int        // the highest spot.Rank
	bare   *bareness  // nil unless results are stripped, see Bare
}

// A ref names an element of a document.
type ref struct {
	domain domain
	number int32
}

func newDocument(file []byte, f form, s *scanner) *Document {
	d := &Document{
		original: original{
			index:    s.index,
			file:     file,
			form:     f,
			keys:     newKeyTable(&s.index),
			implicit: map[int32]bool{},
		},
		edits:      edits{nodes: make([]*edit, len(s.nodes)), edges: make([]*edit, len(s.edges))},
		nodeNumber: s.numbers,
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

// EdgeLine returns the line in which the edge with the key begins; 0 if the file does not have it.
func (d *Document) EdgeLine(key int) int {
	number, ok := d.edgeNumber(key)
	if !ok || d.edges[number].start == added {
		return 0
	}
	return d.line(d.edges[number].start)
}

// NodeAttrLine returns the line in which the value of an attribute of a node begins, or the line of
// the node if the file does not have the attribute or attr is "".
func (d *Document) NodeAttrLine(id, attr string) int {
	if number, ok := d.nodeNumber[id]; ok {
		if line := d.attrLine(ref{ofNode, number}, attr); line > 0 {
			return line
		}
	}
	return d.NodeLine(id)
}

// EdgeAttrLine is NodeAttrLine for the edge with the key.
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

// attrLine returns 0 for an attribute that the text does not have.
func (d *Document) attrLine(r ref, attr string) int {
	if attr == "" {
		return 0
	}
	if slot := d.find(r, attr); slot != none {
		return d.line(d.slots[slot].value)
	}
	return 0
}

// line returns the line of an offset of the text in the file as it would be saved now.
func (d *Document) line(offset int32) int {
	if d.lines == nil {
		d.lines = newLineTable(d.text)
	}
	line := d.lines.line(offset)
	if !d.dirty() {
		return line
	}
	if d.shifts == nil {
		d.shifts = newRenderer(d).shifts()
	}
	i, _ := slices.BinarySearchFunc(d.shifts, offset, func(s shift, offset int32) int {
		if s.from <= offset {
			return -1
		}
		return 1
	})
	if i > 0 {
		line += d.shifts[i-1].lines
	}
	return line
}

// edgeNumber finds an edge, also a removed one.
func (d *Document) edgeNumber(key int) (int32, bool) {
	if d.edgeKeys == nil && key >= 0 && key < len(d.edges) && d.edges[key].start != added {
		return int32(key), true
	}
	number, ok := d.newEdges[key]
	return number, ok
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
	if value, present, wanted := d.edits.of(r).get(attr); wanted && present {
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

// FromDrawing reports whether some commands come only from texts of a drawing. Such a file may not
// be meant as a workflow. A wrapper or a status key for nodes shows that it is.
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
		e := d.edits.nodes[number]
		if _, present, _ := e.get("label"); !present && !e.gone() {
			return true
		}
	}
	return false
}

// graphAttr returns an attribute of the workflow as it would be saved now, without defaults.
func (d *Document) graphAttr(name string) (value string, present bool) {
	if value, present, wanted := d.edits.graph.get(name); wanted {
		return value, present
	}
	if i := d.find(ref{ofGraph, 0}, name); i != none {
		value, found := decodeValue(d.raw(i))
		return value, found&unknownEntity == 0
	}
	return "", false
}
