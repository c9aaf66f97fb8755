package graphml

import (
	"fmt"
	"strings"

	"wf/graph/attribute"
)

// elementsOf maps a domain to the element in the table of attributes.
var elementsOf = [...]attribute.Element{ofNode: attribute.Node, ofEdge: attribute.Edge, ofGraph: attribute.Graph}

// known returns the attribute of wf with a name on elements of the domain, or nil. Attributes that
// other programs use as well, like label and status, do not count.
func known(d domain, name string) *attribute.Attribute {
	a := attribute.Find(elementsOf[d], name)
	if a == nil || a.Role >= attribute.Shared {
		return nil
	}
	return a
}

// unread warns of a value that its author meant for wf, but that wf does not read because its key is
// declared for other elements, or not at all, or without a name.
func (b *builder) unread(r ref, v int32, k *keyElement) {
	id := b.d.keyIDs.ids[b.d.slots[v].key]
	if strings.TrimSpace(b.d.raw(v)) == "" {
		return
	}
	if k != nil { // it has no name
		if a := known(r.domain, id); a != nil && k.graphics == "" && !b.d.slots[v].structured {
			b.warnUnread(r, v, a, fmt.Sprintf("its key has no attr.name; write attr.name=%q", a.Name))
		}
		return
	}
	declared := false
	for i := range b.d.keys.keys {
		k := &b.d.keys.keys[i]
		if k.id != b.d.slots[v].key {
			continue
		}
		declared = true
		if a := known(r.domain, k.name); a != nil {
			b.warnUnread(r, v, a, fmt.Sprintf("its key %q is declared for %s; write for=%q", id, k.served(), r.domain.String()))
			return
		}
	}
	if a := known(r.domain, id); a != nil && !declared {
		b.warnUnread(r, v, a, fmt.Sprintf(`no key is declared for it; write <key id=%q for=%q attr.name=%q attr.type="string"/>`, id, r.domain.String(), a.Name))
	}
}

// served names the elements that a key is declared for.
func (k *keyElement) served() string {
	if k.domain == ofOther {
		return "other elements"
	}
	return k.domain.String() + "s"
}

// unreadStructured warns of a value of an attribute of wf that contains elements, which wf reads as a
// drawing.
func (b *builder) unreadStructured(r ref, v int32, k *keyElement) {
	if k == nil {
		return
	}
	if a := known(r.domain, k.name); a != nil {
		b.warnUnread(r, v, a, "it contains elements; write text")
	}
}

// unreadGraphs warns of values of nested graphs: their attributes belong on the node that contains them.
func (b *builder) unreadGraphs() {
	for i := 1; i < len(b.d.graphs); i++ {
		for v := b.d.graphs[i].first; v != none; v = b.d.slots[v].next {
			name := b.d.keyIDs.ids[b.d.slots[v].key]
			for j := range b.d.keys.keys {
				if k := &b.d.keys.keys[j]; k.id == b.d.slots[v].key && k.name != "" {
					name = k.name
				}
			}
			a, where := known(ofNode, name), "write it on the node that contains the graph"
			if a == nil {
				a, where = known(ofGraph, name), "write it on the outermost graph"
			}
			if a != nil && strings.TrimSpace(b.d.raw(v)) != "" {
				b.notes.add(note{offset: int(b.d.slots[v].value), code: WarnUnread, unread: a, edge: none,
					message: fmt.Sprintf("%s is not read on a nested graph; %s", a.Name, where)})
			}
		}
	}
}

func (b *builder) warnUnread(r ref, v int32, a *attribute.Attribute, why string) {
	element, edge := r.domain.String(), none
	switch r.domain {
	case ofEdge:
		edge = int(r.number)
		fallthrough
	case ofNode:
		element += " " + b.nameOf(r)
	}
	b.notes.add(note{offset: int(b.d.slots[v].value), code: WarnUnread, node: b.nodeOf(r), unread: a, edge: edge,
		message: fmt.Sprintf("%s: %s is not read: %s", element, a.Name, why)})
}

// unreadInTag warns of attributes of wf in the tag of a node or an edge. Only values in <data> are
// read.
func (s *scanner) unreadInTag(d domain, t *tag, node string, edge int) {
	for i := range t.attrs {
		a := &t.attrs[i]
		switch a.name {
		case "id", "source", "target", "directed":
			continue
		}
		if known := known(d, a.name); known != nil {
			s.notes.add(note{offset: int(t.start), code: WarnUnread, node: node, unread: known, edge: edge,
				message: fmt.Sprintf("%s is not read in the tag of %s; write <data key=%q> and declare the key for=%q", a.name, elementsOf[d], a.name, d.String())})
		}
	}
}

// twice warns of a second value of an attribute. It ignores positions, which programs write both as
// numbers and as text, and results of runs.
func (b *builder) twice(r ref, v int32, name string) {
	if known(r.domain, name) != nil || r.domain == ofNode && (name == "label" || name == "name") {
		b.warnSlot(r, v, WarnTwice, fmt.Sprintf("%s %s has several values for %s; the last one counts", r.domain, b.nameOf(r), name))
	}
}
