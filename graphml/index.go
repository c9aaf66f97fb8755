package graphml

import (
	"bytes"
	"unsafe"
)

// An element is where a node, an edge or a graph lies in the text. All numbers are offsets.
type element struct {
	start int32 // of "<node"; added for elements that the file does not have
	inner int32 // behind the ">" of the start tag
	close int32 // of "</node"; none for <node/>
	end   int32 // behind all of it

	first int32 // slot of its first direct value, the head of a list by slot.next; or none
	graph int32 // number of the graph element it lies in
}

const (
	none  = -1
	added = -1
)

// selfClosed says whether the element is written <node/>.
func (e *element) selfClosed() bool { return e.close == none }

// A slot is one <data> that is a direct child of a node, an edge or a graph. There are many, so
// that it holds no more than it must: see index.slotStart and slotEnd for its bounds.
type slot struct {
	value int32 // behind the ">" of the start tag
	close int32 // of "</data"; none for <data/>
	next  int32 // slot of the same element, or none
	key   int32 // number of the key id it refers to

	structured bool // it has child elements: a drawing, opaque to us
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
	graphics   string // yfiles.type: the key is about drawings
	fallback   string // text of <default>
	has        bool   // has a <default>
}

// A domain is a kind of elements that bear values.
type domain uint8

const (
	ofNode domain = iota
	ofEdge
	ofGraph
	ofOther // ports, hyperedges, the document: nothing that a workflow looks at
	domains = ofOther
)

var domainWords = [...]string{ofNode: "node", ofEdge: "edge", ofGraph: "graph", ofOther: "other"}

func (d domain) String() string { return domainWords[d] }

// An index is what one pass over the text finds. It never changes after the scan.
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

// sub returns a part of the text as a string that shares its memory. The text never changes, so
// this is safe, and it spares a copy of every value of a large file.
func (x *index) sub(from, to int32) string {
	if from >= to {
		return ""
	}
	return unsafe.String(&x.text[from], int(to-from))
}

// slotStart returns where "<data" is: no attribute may hold a "<".
func (x *index) slotStart(v *slot) int32 {
	return int32(bytes.LastIndexByte(x.text[:v.value], '<'))
}

// slotEnd returns where the slot ends.
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

// An internTable numbers the ids of keys: a file refers to a handful of them again and again.
type internTable struct {
	ids    []string
	number map[string]int32
	recent [64]int32 // guess by length and last byte; number + 1, so that zero means none
}

// intern returns the number of an id and gives new ids the next one.
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
