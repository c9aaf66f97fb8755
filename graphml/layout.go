package graphml

import "strings"

// A layout answers how a file is laid out, so that what is added looks like the rest of it.
type layout struct {
	text    []byte
	newline string
	unit    string // of indentation
	lines   bool   // values stand on lines of their own
}

// newLayout learns from the text how to write more of it. It is made for each save: edits do not
// change what it looks at, but most documents are never saved.
func newLayout(d *Document) layout {
	l := layout{text: d.text, newline: "\n", unit: "  "}
	if d.form.crlf {
		l.newline = "\r\n"
	}
	l.lines = l.learn(d)
	return l
}

// learn finds the indentation by the first value of a node, else by the first node. It returns
// whether values stand on lines of their own.
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

// learnUnit takes what an inner line is indented more than the outer one.
func (l *layout) learnUnit(outer, inner string) {
	if unit, ok := strings.CutPrefix(inner, outer); ok && unit != "" {
		l.unit = unit
	}
}

// before returns the white space between the markup before an offset and the offset; "" if there
// is other text.
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

// indent returns the indentation of the markup at an offset; ok is false unless it begins a line.
func (l *layout) indent(offset int32) (indent string, ok bool) {
	space := l.before(offset)
	i := strings.LastIndexByte(space, '\n')
	return space[i+1:], i >= 0
}

// line returns a line end with an indentation, the lead of an element on a line of its own.
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

// spaceAfter returns the white space that follows an offset.
func (l *layout) spaceAfter(offset int32) string {
	to := int(offset)
	for to < len(l.text) && isSpace(l.text[to]) {
		to++
	}
	return string(l.text[offset:to])
}
