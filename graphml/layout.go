package graphml

import "strings"

// A layout describes the formatting of a file, so that added elements look like the others.
type layout struct {
	text    []byte
	newline string
	unit    string // of indentation
	lines   bool   // each value is on its own line
}

// newLayout detects the layout of the text. It is called for each save, because most documents are
// never saved.
func newLayout(d *Document) layout {
	l := layout{text: d.text, newline: "\n", unit: "  "}
	if d.form.crlf {
		l.newline = "\r\n"
	}
	l.lines = l.learn(d)
	return l
}

// learn finds the indentation from the first value of a node, or otherwise from the first node. It
// reports whether each value is on its own line.
func (l *layout) learn(d *Document) bool {
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.start == added || n.first == none {
			continue
		}
		inner, ok := l.indent(d.slotStart(&d.slots[n.first]))
		if outer, ownLine := l.indent(n.start); ok && ownLine {
			l.learnUnit(outer, inner)
		}
		return ok
	}
	g := &d.graphs[0].element
	outer, _ := l.indent(g.start)
	for i := range d.nodes {
		if n := &d.nodes[i]; n.start != added {
			inner, ok := l.indent(n.start)
			l.learnUnit(outer, inner)
			return ok
		}
	}
	_, ok := l.indent(g.start)
	return ok
}

// learnUnit sets the unit to the additional indentation of the inner line.
func (l *layout) learnUnit(outer, inner string) {
	if unit, ok := strings.CutPrefix(inner, outer); ok && unit != "" {
		l.unit = unit
	}
}

// before returns the white space between an offset and the markup before it; "" if there is other
// text.
func (l *layout) before(offset int32) string {
	space := l.spaceBefore(offset)
	if at := int(offset) - len(space) - 1; at >= 0 && l.text[at] != '>' {
		return ""
	}
	return space
}

// spaceBefore returns the white space before an offset.
func (l *layout) spaceBefore(offset int32) string {
	from := int(offset)
	for from > 0 && isSpace(l.text[from-1]) {
		from--
	}
	return string(l.text[from:offset])
}

// indent returns the indentation of the markup at an offset; ok is false unless it starts a line.
func (l *layout) indent(offset int32) (indent string, ok bool) {
	space := l.before(offset)
	i := strings.LastIndexByte(space, '\n')
	return space[i+1:], i >= 0
}

// line returns a line end with an indentation, the lead of an element on its own line.
func (l *layout) line(indent string) string { return l.newline + indent }

// name returns the name in the tag at an offset, with its prefix.
func (l *layout) name(offset int32) string {
	from := int(offset) + 1
	to := from
	for to < len(l.text) && !endsName[l.text[to]] {
		to++
	}
	return string(l.text[from:to])
}

// spaceAfter returns the white space after an offset.
func (l *layout) spaceAfter(offset int32) string {
	to := int(offset)
	for to < len(l.text) && isSpace(l.text[to]) {
		to++
	}
	return string(l.text[offset:to])
}
