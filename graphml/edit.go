package graphml

import (
	"fmt"
	"slices"

	"wf/graph"
)

// An edit is what is wanted of one element where it differs from the text. A nil edit wants
// nothing.
type edit struct {
	removed bool
	wants   []want
	new     *newElementSpec // nil for elements that the text has
}

// A want is the wanted value of one attribute, or its absence.
type want struct {
	name, value string
	present     bool
}

// newElementSpec is what the start tag of an added element says.
type newElementSpec struct {
	id             string // of a node
	key            int
	parent         string // of a node: the node it lies in, "" = none
	container      bool
	source, target string // of an edge

	// shadowed are attributes with a default in the file that the graph does not know of for this
	// element. Where it has none of its own an empty one is written, or the file would say more
	// than the graph.
	shadowed []string
}

func (e *edit) gone() bool { return e != nil && e.removed }

// get returns what is wanted of an attribute; wanted is false if that is what the text has.
func (e *edit) get(name string) (value string, present, wanted bool) {
	if e == nil {
		return "", false, false
	}
	for i := range e.wants {
		if w := &e.wants[i]; w.name == name {
			return w.value, w.present, true
		}
	}
	return "", false, false
}

// put replaces what is wanted of an attribute.
func (e *edit) put(w want) {
	for i := range e.wants {
		if e.wants[i].name == w.name {
			e.wants[i] = w
			return
		}
	}
	e.wants = append(e.wants, w)
}

// drop forgets what is wanted of an attribute.
func (e *edit) drop(name string) {
	for i := range e.wants {
		if e.wants[i].name == name {
			e.wants = append(e.wants[:i], e.wants[i+1:]...)
			return
		}
	}
}

// weight is how many differences from the text the edit makes.
func (e *edit) weight() int {
	switch {
	case e == nil:
		return 0
	case e.new != nil && e.removed:
		return 0
	case e.new != nil:
		return 1
	case e.removed:
		return 1
	}
	return len(e.wants)
}

// editOf returns the edit of an element, nil if it has none.
func (d *Document) editOf(r ref) *edit { return *d.editSlot(r) }

// editSlot returns where the edit of an element is kept.
func (d *Document) editSlot(r ref) **edit {
	switch r.domain {
	case ofNode:
		return &d.nodeEdits[r.number]
	case ofEdge:
		return &d.edgeEdits[r.number]
	}
	return &d.graphEdit
}

// change lets f alter the edit of an element and keeps count of the differences.
func (d *Document) change(r ref, f func(e *edit)) {
	at := d.editSlot(r)
	if *at == nil {
		*at = &edit{}
		d.touched = append(d.touched, r)
	}
	d.moved = nil
	before := (*at).weight()
	f(*at)
	d.changes += (*at).weight() - before
}

// Dirty says whether Render would give other bytes than Base.
func (d *Document) Dirty() bool { return d.changes > 0 || d.bare != nil }

// SetNode wants a value of an attribute of a node. It is for statuses and captured output, which
// change often: setting what is already there costs a comparison and no memory. Characters that
// XML forbids are written as pictures; whoever sets a command refuses them before.
// It fails if there is no such node, or if the attribute is a drawing.
func (d *Document) SetNode(id, attr, value string) error {
	return d.setNode(id, want{attr, value, true})
}

// UnsetNode wants a node to lack an attribute.
func (d *Document) UnsetNode(id, attr string) error {
	return d.setNode(id, want{name: attr})
}

func (d *Document) setNode(id string, w want) error {
	number, ok := d.nodeNumber[id]
	if !ok {
		return fmt.Errorf("no node %q", id)
	}
	return d.set(ref{ofNode, number}, w)
}

// SetEdge is SetNode for the edge with the key.
func (d *Document) SetEdge(key int, attr, value string) error {
	return d.setEdge(key, want{attr, value, true})
}

// UnsetEdge is UnsetNode for the edge with the key.
func (d *Document) UnsetEdge(key int, attr string) error {
	return d.setEdge(key, want{name: attr})
}

func (d *Document) setEdge(key int, w want) error {
	number, ok := d.edgeNumber(key)
	if !ok || d.edgeEdits[number].gone() {
		return fmt.Errorf("no edge with key %d", key)
	}
	return d.set(ref{ofEdge, number}, w)
}

// SetGraph is SetNode for the workflow itself.
func (d *Document) SetGraph(attr, value string) error {
	return d.set(ref{ofGraph, 0}, want{attr, value, true})
}

// UnsetGraph is UnsetNode for the workflow itself.
func (d *Document) UnsetGraph(attr string) error {
	return d.set(ref{ofGraph, 0}, want{name: attr})
}

// set wants w of an element, or nothing if that is what the text says already.
func (d *Document) set(r ref, w want) error {
	if w.name == "" {
		return fmt.Errorf("%s: an attribute needs a name", r.domain)
	}
	if !isWritable(w.name) {
		return fmt.Errorf("%s: the attribute name %q holds a character that XML cannot hold", r.domain, w.name)
	}
	if e := d.editOf(r); e != nil && e.new != nil && slices.Contains(e.new.shadowed, w.name) {
		w.present = true
	}
	if d.bare != nil && isResult(r.domain, w.name) && w.present && !isBlank(r.domain, w.name, w.value) {
		d.bare = nil
	}
	base, state := d.base(r, w.name)
	switch {
	case state == isDrawing:
		return fmt.Errorf("%s: attribute %s is a drawing and cannot be set", r.domain, w.name)
	case state == isUnreadable || base != w && (base.present || !d.sameAsAbsent(r.domain, w)):
		d.change(r, func(e *edit) { e.put(w) })
	case d.editOf(r) != nil:
		d.change(r, func(e *edit) { e.drop(w.name) })
	}
	return nil
}

// sameAsAbsent says whether to leave a value out of a file that does not have it: an empty status
// or output says nothing, and files of other programs shall not grow by it.
func (d *Document) sameAsAbsent(dom domain, w want) bool {
	if w.present && (w.value != "" || w.name != "status" && !(dom == ofNode && graph.Captured(w.name))) {
		return false
	}
	return !w.present || inherited(d.defaults[dom], w.name) == ""
}
