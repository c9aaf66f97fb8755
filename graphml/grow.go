package graphml

import "strings"

// A growth is what an element of the text gets in addition: values, and child elements where it
// has no like ones yet to put them behind.
type growth struct {
	values   []string
	children []func(lead string) string // each returns a child with its lead
}

// open returns the growth of an element, to be added to.
func (r *renderer) open(at ref) *growth {
	g := r.opened[at]
	if g == nil {
		g = &growth{}
		r.opened[at] = g
		r.order = append(r.order, at)
	}
	return g
}

// grow inserts the growth of an element: values behind its last value, children before its end.
func (r *renderer) grow(at ref, g *growth) {
	e := r.d.element(at)
	switch {
	case e.selfClosed():
		r.growEmpty(e, g)
	case e.first == none && len(r.layout.spaceAfter(e.inner)) == int(e.close-e.inner):
		r.growBlank(e, g)
	default:
		r.growValues(e, g)
		r.growChildren(e, g)
	}
}

// growEmpty turns <node/> into <node>…</node>.
func (r *renderer) growEmpty(e *element, g *growth) {
	slash := e.end - int32(len("/>"))
	lead, tail := r.inside(e)
	text := ">" + g.text(lead, lead) + tail + "</" + r.layout.name(e.start) + ">"
	r.patch(slash-int32(len(r.layout.spaceBefore(slash))), e.end, []byte(text))
}

// growBlank fills an element that has nothing but white space.
func (r *renderer) growBlank(e *element, g *growth) {
	lead, tail := r.inside(e)
	if space := r.layout.spaceAfter(e.inner); strings.Contains(space, "\n") {
		indent, _ := r.layout.indent(e.start)
		lead, tail = r.layout.line(indent+r.layout.unit), ""
	}
	r.patch(e.inner, e.inner, []byte(g.text(lead, lead)+tail))
}

// inside returns the white space that children of an element without any shall have before them,
// and that of its end tag.
func (r *renderer) inside(e *element) (lead, tail string) {
	indent, ok := r.layout.indent(e.start)
	if !ok || !r.layout.lines {
		return "", ""
	}
	return r.layout.line(indent + r.layout.unit), r.layout.line(indent)
}

// growValues inserts values behind the last one with the same lead, else at the front, where GraphML
// wants them.
func (r *renderer) growValues(e *element, g *growth) {
	if len(g.values) == 0 {
		return
	}
	at, lead := e.inner, r.layout.spaceAfter(e.inner)
	if last := r.d.lastSlot(e); last != none {
		v := &r.d.slots[last]
		at, lead = r.d.slotEnd(v), r.layout.before(r.d.slotStart(v))
	} else if behind := r.behindDesc(e); behind > 0 {
		at = behind // GraphML wants the description first
	}
	var b strings.Builder
	for _, v := range g.values {
		b.WriteString(lead + v)
	}
	r.patch(at, at, []byte(b.String()))
}

// behindDesc returns where the <desc> that an element begins with ends, 0 if there is none.
func (r *renderer) behindDesc(e *element) int32 {
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

// growChildren inserts children behind all that an element has.
func (r *renderer) growChildren(e *element, g *growth) {
	if len(g.children) == 0 {
		return
	}
	at := e.close - int32(len(r.layout.before(e.close)))
	lead := ""
	if indent, ok := r.layout.indent(e.close); ok {
		lead = r.layout.line(indent + r.layout.unit)
	}
	var b strings.Builder
	for _, child := range g.children {
		b.WriteString(child(lead))
	}
	r.patch(at, at, []byte(b.String()))
}

func (g *growth) text(valueLead, childLead string) string {
	var b strings.Builder
	for _, v := range g.values {
		b.WriteString(valueLead + v)
	}
	for _, child := range g.children {
		b.WriteString(child(childLead))
	}
	return b.String()
}
