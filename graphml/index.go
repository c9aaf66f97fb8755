package graphml

import (
	"bytes"
	"unsafe"
)

// An element describes where a node, an edge or a graph lies in the text, by offsets.
type element struct {
	start int32 // of "<node"; added for elements that the file does not have
	inner int32 // after the ">" of the start tag
	close int32 // of "</node"; none for <node/>
	end   int32 // after the element

	first int32 // slot of its first direct value, the head of a list by slot.next; or none
	graph int32 // number of the graph element it lies in
}

const (
	none  = -1
	added = -1
)

// selfClosed reports whether the element is written <node/>.
func (e *element) selfClosed() bool { return e.close == none }

// A slot is one <data> that is a direct child of a node, an edge or a graph. It is small because a
// file has many; index.slotStart and slotEnd compute its bounds.
type slot struct {
	value int32 // after the ">" of the start tag
	close int32 // of "</data"; none for <data/>
	next  int32 // slot of the same element, or none
	key   int32 // number of the key id it refers to

	structured bool // it has child elements: a drawing, which is not interpreted here
}

// A graphElement is a <graph> of the workflow.
type graphElement struct {
	element
	owner              int32 // number of the node it lies in, or none
	lastNode, lastEdge int32 // its last direct children, or none
}

// A keyElement is one <key> declaration.
type keyElement struct {
	start, end int32
	id         int32 // number of the key id
	domain     domain
	all        bool   // for="all" or no for at all
	name       string // attr.name, "" if it has none
	kind       string // attr.type, "" if it has none
	graphics   string // yfiles.type, of keys for drawings
	fallback   string // text of <default>
	has        bool   // has a <default>
}

// A domain is a kind of elements that have values.
type domain uint8

const (
	ofNode domain = iota
	ofEdge
	ofGraph
	ofOther // ports, hyperedges, the document: not part of a workflow
	domains = ofOther
)

var domainWords = [...]string{ofNode: "node", ofEdge: "edge", ofGraph: "graph", ofOther: "other"}

func (d domain) String() string { return domainWords[d] }

// An index contains the positions of all elements and values, found in one pass over the text.
type index struct {
	text   []byte
	root   element
	prefix string // of the names of GraphML's elements, with the colon; mostly ""

	nodes  []element
	edges  []element
	graphs []graphElement // the first one is the workflow
	slots  []slot
	keys   []keyElement
	keyIDs internTable
}

// sub returns a part of the text as a string that shares its memory. This is safe because the text
// never changes, and it avoids a copy of every value of a large file.
func (x *index) sub(from, to int32) string {
	if from >= to {
		return ""
	}
	return unsafe.String(&x.text[from], int(to-from))
}

// slotStart returns the offset of "<data". No attribute can contain a "<".
func (x *index) slotStart(v *slot) int32 {
	return int32(bytes.LastIndexByte(x.text[:v.value], '<'))
}

// slotEnd returns the offset after the slot.
func (x *index) slotEnd(v *slot) int32 {
	if v.close == none {
		return v.value
	}
	return v.close + int32(bytes.IndexByte(x.text[v.close:], '>')) + 1
}

// lastSlot returns the number of the last slot of an element, or none.
func (x *index) lastSlot(e *element) int32 {
	last := int32(none)
	for i := e.first; i != none; i = x.slots[i].next {
		last = i
	}
	return last
}

// An internTable numbers the ids of keys: a file uses a handful of them many times.
type internTable struct {
	ids    []string
	number map[string]int32
	recent [64]int32 // cache by length and last byte; number + 1, zero = none
}

// intern returns the number of an id; a new id gets the next number.
func (t *internTable) intern(id []byte) int32 {
	slot := len(id)
	if len(id) > 0 {
		slot = (slot*31 + int(id[len(id)-1])) % len(t.recent)
	}
	if n := t.recent[slot]; n > 0 && t.ids[n-1] == string(id) {
		return n - 1
	}
	n, ok := t.number[string(id)]
	if !ok {
		if t.number == nil {
			t.number = map[string]int32{}
		}
		n = int32(len(t.ids))
		t.ids = append(t.ids, string(id))
		t.number[t.ids[n]] = n
	}
	t.recent[slot] = n + 1
	return n
}
