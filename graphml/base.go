package graphml

// A baseState is what an attribute is in the text.
type baseState uint8

const (
	isPlain      baseState = iota // a value, or nothing
	isUnreadable                  // a value that uses an entity: equal to nothing that can be wanted
	isDrawing                     // no text
)

// base returns what the text has of an attribute.
func (d *Document) base(r ref, name string) (want, baseState) {
	if d.element(r).start == added {
		return want{name: name}, isPlain
	}
	if r.domain == ofEdge && name == "id" {
		if id, ok := d.xmlAttr(r, "id"); ok && (id != "" || d.find(r, "id") == none) {
			return want{name, id, true}, isPlain
		}
	}
	if i := d.find(r, name); i != none {
		text, found := decodeValue(d.raw(i))
		if found&unknownEntity != 0 {
			return want{name: name, present: true}, isUnreadable
		}
		return want{name, text, true}, isPlain
	}
	if d.hasDrawing(r, name) {
		return want{name: name}, isDrawing
	}
	return d.baseDefault(r.domain, want{name: name}), isPlain
}

// baseDefault is what a default of a key means for an element that lacks the attribute: a graph
// holds defaults as its own values, nodes and edges know the difference.
func (d *Document) baseDefault(dom domain, w want) want {
	if dom != ofGraph {
		return w
	}
	for _, a := range d.defaults[ofGraph] {
		if a.Name == w.name {
			return want{w.name, a.Value, true}
		}
	}
	return w
}

// hasDrawing says whether the attribute is there with child elements in it.
func (d *Document) hasDrawing(r ref, name string) bool {
	for i := d.element(r).first; i != none; i = d.slots[i].next {
		k := d.keys.key(r.domain, &d.slots[i])
		if k != nil && k.name == name && d.slots[i].structured {
			return true
		}
	}
	return false
}

// startTag reads the start tag of an element again. The scan has seen it, so it is well-formed.
func (d *Document) startTag(e *element) tag {
	s := scanner{index: index{text: d.text}}
	t, err := s.tag(int(e.start))
	if err != nil {
		panic("internal error: graphml: " + err.Error())
	}
	return t
}

// xmlAttr returns an attribute of the start tag of an element.
func (d *Document) xmlAttr(r ref, name string) (string, bool) {
	t := d.startTag(d.element(r))
	raw, ok := t.get(name)
	s := scanner{index: index{text: d.text}}
	text, _ := s.attrText(&t, raw)
	return text, ok
}
