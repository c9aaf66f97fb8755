package graphml

import (
	"slices"
	"strings"

	"wf/graph"
)

// change makes the patches for one element that the text has and keeps.
func (r *renderer) change(at ref, e *edit) {
	if at.domain == ofNode && r.d.implicit[at.number] && e.wantsAny(ambiguous) {
		r.markGroup(at)
	}
	if e.Ends != nil {
		r.changeEnds(at, *e.Ends)
	}
	for w := range e.wants() {
		if r.d.strips(at.domain, w.Name) {
			continue // see strip
		}
		if at.domain == ofEdge && w.Name == "id" && r.changeID(at, w) {
			continue
		}
		slot := r.d.find(at, w.Name)
		switch {
		case !w.Present:
			r.removeValues(at, w.Name)
		case slot == none:
			g := r.open(at)
			g.values = append(g.values, r.data(at.domain, w))
		default:
			r.replace(at, slot, w)
		}
	}
}

// ambiguous reports whether w can make a node that is not marked as a container look like a
// command: it sets a label, or removes the attribute that repeats the nodes inside.
func ambiguous(w want) bool {
	return w.Name == "label" && w.Present || graph.MakesSubFlow(w.Name) && (!w.Present || strings.TrimSpace(w.Value) == "")
}

// markGroup marks a node as a container. Without the mark this was clear only as long as the node
// had no label, or repeated the nodes inside.
func (r *renderer) markGroup(at ref) {
	attrs := r.d.startTag(r.d.element(at)).attrs
	end := attrs[len(attrs)-1].end // there is at least an id
	r.patch(end, end, []byte(groupMark))
}

// groupMark is how yEd marks a container; networkx ignores the nodes inside unmarked ones.
const groupMark = ` yfiles.foldertype="group"`

// removeValues removes all values of an attribute: a remaining one would count.
func (r *renderer) removeValues(at ref, name string) {
	for i := r.d.element(at).first; i != none; i = r.d.slots[i].next {
		v := &r.d.slots[i]
		if k := r.d.keys.key(at.domain, v); k != nil && k.name == name && !v.structured {
			r.remove(r.d.slotStart(v), r.d.slotEnd(v))
		}
	}
}

// replace gives a slot another value. If the value does not fit the type of its key, the whole
// <data> is replaced by one with another key.
func (r *renderer) replace(at ref, slot int32, w want) {
	v := &r.d.slots[slot]
	switch k := r.d.keys.key(at.domain, v); {
	case !fits(k.kind, w.Value):
		r.patch(r.d.slotStart(v), r.d.slotEnd(v), []byte(r.data(at.domain, w)))
	case v.close != none:
		r.patch(v.value, v.close, r.escaped(w.Value))
	default:
		// <data key="k" /> becomes <data key="k">value</data>.
		slash := v.value - int32(len("/>"))
		from := r.room(len(w.Value) + len(w.Value)/4 + 64)
		r.arena = append(r.arena, '>')
		r.arena = appendText(r.arena, w.Value, &r.d.form)
		r.arena = append(append(append(r.arena, "</"...), r.layout.name(r.d.slotStart(v))...), '>')
		r.patch(slash-int32(len(r.layout.spaceBefore(slash))), v.value, r.keep(from))
	}
}

// changeID changes the XML id of an edge. done is false if the edge also has its id as a value: the
// caller then changes the value, too, because programs differ in which of the two they read.
func (r *renderer) changeID(at ref, w want) (done bool) {
	t := r.d.startTag(r.d.element(at))
	has := slices.IndexFunc(t.attrs, func(a attr) bool { return a.name == "id" })
	asValue := r.d.find(at, "id") != none
	text := appendAttr([]byte(` id="`), w.Value, r.d.form.charset)
	text = append(text, '"')
	switch {
	case has >= 0 && w.Present:
		r.patch(t.attrs[has].start, t.attrs[has].end, text[1:])
	case has >= 0:
		start := t.attrs[has].start
		r.patch(start-int32(len(r.layout.spaceBefore(start))), t.attrs[has].end, nil)
	case w.Present && !asValue:
		nameEnd := t.start + 1 + int32(len(t.name))
		r.patch(nameEnd, nameEnd, text)
	}
	return !asValue
}

// changeEnds connects an edge to other nodes. A port of the former node is no port of the new one.
func (r *renderer) changeEnds(at ref, to endIDs) {
	was := r.d.ends(at.number)
	for _, end := range []struct{ name, port, was, is string }{
		{"source", "sourceport", was.Source, to.Source}, {"target", "targetport", was.Target, to.Target},
	} {
		if end.was == end.is {
			continue
		}
		for _, a := range r.d.startTag(r.d.element(at)).attrs {
			switch a.name {
			case end.name:
				r.patch(a.start, a.end, []byte(end.name+`="`+r.attr(end.is)+`"`))
			case end.port:
				r.patch(a.start-int32(len(r.layout.spaceBefore(a.start))), a.end, nil)
			}
		}
	}
}

// clean makes control characters visible in output that another program captured. They are not
// valid XML and make the file unreadable for other programs. Only a save that has other changes does
// this.
func (r *renderer) clean() {
	for _, slot := range r.d.unclean {
		v := &r.d.slots[slot]
		r.patches = append(r.patches, patch{start: v.value, end: v.close, text: r.visible(slot)})
	}
}

// visible returns the content of a slot with pictures in place of control characters. Everything
// else stays as it is written, unless there is a CDATA section, which cannot contain references.
func (r *renderer) visible(slot int32) []byte {
	raw := r.d.raw(slot)
	if strings.IndexByte(raw, '<') >= 0 {
		value, _ := decodeValue(raw)
		return r.escaped(value)
	}
	var b []byte
	for i := range len(raw) {
		switch c := raw[i]; {
		case c >= ' ' || c == '\n' || c == '\t' || c == '\r':
			b = append(b, c)
		case r.d.form.charset.holds(picture(c)):
			b = append(b, string(picture(c))...)
		default:
			b = append(b, charReference(picture(c))...)
		}
	}
	return b
}

// data returns a whole <data> for a new value.
func (r *renderer) data(dom domain, w want) string {
	name := r.d.prefix + "data"
	b := append([]byte("<"+name+` key="`), appendAttr(nil, r.keyFor(dom, w), r.d.form.charset)...)
	b = append(b, `">`...)
	b = appendText(b, w.Value, &r.d.form)
	return string(append(b, "</"+name+">"...))
}
