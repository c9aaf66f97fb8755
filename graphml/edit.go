package graphml

import (
	"fmt"
	"iter"
	"slices"

	"wf/graph"
)

// An edit is the wanted state of one element, where it differs from the text. A nil edit has no
// differences. Its exported fields are stored with a Kept.
type edit struct {
	Removed bool            `json:"removed,omitempty"`
	Wants   []wantSlot      `json:"wants,omitempty"`
	New     *newElementSpec `json:"new,omitempty"` // nil for elements that the text has

	Spots []spot  `json:"spots,omitempty"` // of a node: where its moves have brought it, the earliest first
	At    int     `json:"at,omitempty"`    // number of the spots that count; undo has taken the others back
	Ends  *endIDs `json:"ends,omitempty"`  // of an edge that connects other nodes than in the text
}

// A want is the wanted value of one attribute, or its absence.
type want struct {
	Name    string `json:"name"`
	Value   string `json:"value,omitempty"`
	Present bool   `json:"present,omitempty"`
}

// A wantSlot is a want in the order of values in an element. It is a gap for an attribute that the text does not have and that is
// not wanted any more: if an undo wants it again, the values have their former order.
type wantSlot struct {
	want
	Gap bool `json:"gap,omitempty"`
}

// newElementSpec is the content of the start tag of an added element.
type newElementSpec struct {
	ID        string `json:"id,omitempty"` // of a node
	key       int
	Parent    string `json:"parent,omitempty"` // of a node: its container, "" = none
	Container bool   `json:"container,omitempty"`
	Source    string `json:"source,omitempty"` // of an edge
	Target    string `json:"target,omitempty"`
	// shadowed are attributes with a default in the file that the graph does not apply to this
	// element. If the element has no value for one, an empty value is written to hide the default.
	// It is not kept: once the file is read again, the graph applies the defaults to every element.
	shadowed []string
}

func (e *edit) gone() bool { return e != nil && e.Removed }

// get returns the wanted value of an attribute; wanted is false if it does not differ from the text.
func (e *edit) get(name string) (value string, present, wanted bool) {
	if e == nil {
		return "", false, false
	}
	for i := range e.Wants {
		if w := &e.Wants[i]; w.Name == name && !w.Gap {
			return w.Value, w.Present, true
		}
	}
	return "", false, false
}

// put sets the wanted value of an attribute.
func (e *edit) put(w want) { e.fill(wantSlot{want: w}) }

// fill replaces the place of an attribute, or adds it.
func (e *edit) fill(p wantSlot) {
	for i := range e.Wants {
		if e.Wants[i].Name == p.Name {
			e.Wants[i] = p
			return
		}
	}
	e.Wants = append(e.Wants, p)
}

// drop removes the wanted value of an attribute. If the text does not have the attribute, a gap stays.
func (e *edit) drop(name string, inText bool) {
	for i := range e.Wants {
		if e.Wants[i].Name != name {
			continue
		}
		if inText {
			e.Wants = append(e.Wants[:i], e.Wants[i+1:]...)
		} else {
			e.Wants[i] = wantSlot{want{Name: name}, true}
		}
		return
	}
}

// wants returns the wanted values, without gaps.
func (e *edit) wants() iter.Seq[want] {
	return func(yield func(want) bool) {
		for i := range e.Wants {
			if p := &e.Wants[i]; !p.Gap && !yield(p.want) {
				return
			}
		}
	}
}

// wantsAny reports whether f holds for a wanted value.
func (e *edit) wantsAny(f func(want) bool) bool {
	for w := range e.wants() {
		if f(w) {
			return true
		}
	}
	return false
}

// moved reports whether a node is at a spot, and not where the text has it.
func (e *edit) moved() bool { return e != nil && e.At > 0 && !e.Spots[e.At-1].Home }

// weight returns how many differences from the text the edit makes.
func (e *edit) weight() int {
	switch {
	case e == nil:
		return 0
	case e.New != nil && e.Removed:
		return 0
	case e.New != nil:
		return 1
	case e.Removed:
		return 1
	}
	n := 0
	for range e.wants() {
		n++
	}
	if e.moved() || e.Ends != nil {
		n++
	}
	return n
}

// edits are the wanted state of a document, where it differs from the text.
type edits struct {
	nodes, edges []*edit // by number; nil where nothing is wanted
	graph        *edit
	touched      []ref // elements that have, or had, an edit
	differences  int   // from the text, the sum of all weights
}

// of returns the edit of an element, or nil if it has none.
func (all *edits) of(r ref) *edit { return *all.at(r) }

// at returns where the edit of an element is stored.
func (all *edits) at(r ref) **edit {
	switch r.domain {
	case ofNode:
		return &all.nodes[r.number]
	case ofEdge:
		return &all.edges[r.number]
	}
	return &all.graph
}

// structural reports whether an element of the text is elsewhere now, or a node of it is removed.
func (all *edits) structural() bool {
	return slices.ContainsFunc(all.touched, func(at ref) bool {
		e := all.of(at)
		return e.New == nil && (e.moved() || e.Ends != nil || at.domain == ofNode && e.Removed)
	})
}

// change lets f alter the edit of an element and updates the number of differences.
func (all *edits) change(r ref, f func(e *edit)) {
	at := all.at(r)
	if *at == nil {
		*at = &edit{}
		all.touched = append(all.touched, r)
	}
	before := (*at).weight()
	f(*at)
	all.differences += (*at).weight() - before
}

// change lets f alter the edit of an element.
func (d *Document) change(r ref, f func(e *edit)) {
	d.shifts = nil
	d.edits.change(r, f)
}

// dirty reports whether Render may return other bytes than Base.
func (d *Document) dirty() bool { return d.edits.differences > 0 || d.bare != nil }

// SetNode sets an attribute of a node. It is for statuses and captured output, which change often:
// setting the same value again costs a comparison and no memory. Characters that XML forbids are
// written as pictures; callers that set commands refuse them before.
// It returns an error if there is no such node, or if the attribute is a drawing.
func (d *Document) SetNode(id, attr, value string) error {
	return d.setNode(id, want{attr, value, true})
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

func (d *Document) setEdge(key int, w want) error {
	number, ok := d.edgeNumber(key)
	if !ok || d.edits.edges[number].gone() {
		return fmt.Errorf("no edge with key %d", key)
	}
	return d.set(ref{ofEdge, number}, w)
}

// set stores w in the edit of an element, or drops the attribute from it if w equals the text.
func (d *Document) set(r ref, w want) error {
	if w.Name == "" {
		return fmt.Errorf("%s: an attribute needs a name", r.domain)
	}
	if !isWritable(w.Name) {
		return fmt.Errorf("%s: the attribute name %q contains a character that XML cannot represent", r.domain, w.Name)
	}
	if e := d.edits.of(r); e != nil && e.New != nil && slices.Contains(e.New.shadowed, w.Name) {
		w.Present = true
	}
	if d.bare != nil && isResult(r.domain, w.Name) && w.Present && !isBlank(r.domain, w.Name, w.Value) {
		d.bare = nil
	}
	base, state := d.base(r, w.Name)
	switch {
	case state == isDrawing:
		return fmt.Errorf("%s: attribute %s is a drawing and cannot be set", r.domain, w.Name)
	case state == isUnreadable || base != w && (base.Present || !d.sameAsAbsent(r.domain, w)):
		d.change(r, func(e *edit) { e.put(w) })
	case d.edits.of(r) != nil:
		d.change(r, func(e *edit) { e.drop(w.Name, base.Present) })
	}
	return nil
}

// sameAsAbsent reports whether a value need not be added to an element that lacks the attribute: an
// empty status or output means the same as none.
func (d *Document) sameAsAbsent(dom domain, w want) bool {
	if w.Present && (w.Value != "" || w.Name != "status" && !(dom == ofNode && graph.Captured(w.Name))) {
		return false
	}
	return !w.Present || inherited(d.defaults[dom], w.Name) == ""
}
