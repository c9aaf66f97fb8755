package graphml

import (
	"slices"
	"strings"
)

// An insertion is what is added to an element of the text: values, and child elements if it has none
// of the same kind to put them after.
type insertion struct {
	values   []string
	children []func(lead string) content // each returns a child with its lead
}

// open returns the insertion of an element, to be added to.
func (r *renderer) open(at ref) *insertion {
	g := r.opened[at]
	if g == nil {
		g = &insertion{}
		r.opened[at] = g
		r.order = append(r.order, at)
	}
	return g
}

// insert makes the patches for an insertion: values after the last value, children before the end.
func (r *renderer) insert(at ref, g *insertion) {
	e := r.d.element(at)
	switch {
	case e.selfClosed():
		r.expandEmpty(e, g)
	case e.first == none && len(r.layout.spaceAfter(e.inner)) == int(e.close-e.inner):
		r.fillBlank(e, g)
	default:
		r.insertValues(e, g)
		r.insertChildren(e, g)
	}
}

// expandEmpty turns <node/> into <node>…</node>.
func (r *renderer) expandEmpty(e *element, g *insertion) {
	slash := e.end - int32(len("/>"))
	lead, tail := r.indentOf(e)
	all := slices.Concat(newText(">"), g.content(lead, lead), newText(tail+"</"+r.layout.name(e.start)+">"))
	r.patches = append(r.patches, patch{start: slash - int32(len(r.layout.spaceBefore(slash))), end: e.end, content: all})
}

// fillBlank fills an element that has nothing but white space.
func (r *renderer) fillBlank(e *element, g *insertion) {
	lead, tail := r.indentOf(e)
	if space := r.layout.spaceAfter(e.inner); strings.Contains(space, "\n") {
		indent, _ := r.layout.indent(e.start)
		lead, tail = r.layout.line(indent+r.layout.unit), ""
	}
	r.insertAt(e.inner, append(g.content(lead, lead), newText(tail)...))
}

// indentOf returns the white space to put before the children of an element that has none yet, and
// before its end tag.
func (r *renderer) indentOf(e *element) (lead, tail string) {
	indent, ok := r.layout.indent(e.start)
	if !ok || !r.layout.lines {
		return "", ""
	}
	return r.layout.line(indent + r.layout.unit), r.layout.line(indent)
}

// insertValues inserts values after the last one with the same lead, or at the front, where GraphML
// expects them.
func (r *renderer) insertValues(e *element, g *insertion) {
	if len(g.values) == 0 {
		return
	}
	at, lead := e.inner, r.layout.spaceAfter(e.inner)
	if last := r.d.lastSlot(e); last != none {
		v := &r.d.slots[last]
		at, lead = r.d.slotEnd(v), r.layout.before(r.d.slotStart(v))
	} else if behind := r.afterDesc(e); behind > 0 {
		at = behind // GraphML expects the description first
	}
	var b strings.Builder
	for _, v := range g.values {
		b.WriteString(lead + v)
	}
	r.patch(at, at, []byte(b.String()))
}

// afterDesc returns the end of the <desc> at the start of an element, 0 if there is none.
func (r *renderer) afterDesc(e *element) int32 {
	at := e.inner + int32(len(r.layout.spaceAfter(e.inner)))
	if r.d.text[at] != '<' || r.layout.name(at) != r.d.prefix+"desc" {
		return 0
	}
	t := r.d.startTag(&element{start: at})
	if t.empty {
		return t.end
	}
	mark := "</" + r.d.prefix + "desc"
	if i := strings.Index(r.d.sub(t.end, e.close), mark); i >= 0 {
		from := t.end + int32(i)
		if j := strings.IndexByte(r.d.sub(from, e.close), '>'); j >= 0 {
			return from + int32(j) + 1
		}
	}
	return 0
}

// insertChildren inserts children at the end of an element.
func (r *renderer) insertChildren(e *element, g *insertion) {
	if len(g.children) == 0 {
		return
	}
	at := e.close - int32(len(r.layout.before(e.close)))
	lead := ""
	if indent, ok := r.layout.indent(e.close); ok {
		lead = r.layout.line(indent + r.layout.unit)
	}
	var all content
	for _, child := range g.children {
		all = append(all, child(lead)...)
	}
	r.insertAt(at, all)
}

func (g *insertion) content(valueLead, childLead string) (all content) {
	for _, v := range g.values {
		all = append(all, newText(valueLead+v)...)
	}
	for _, child := range g.children {
		all = append(all, child(childLead)...)
	}
	return all
}
