package graphml

import (
	"bytes"
	"slices"
	"strings"

	"wf/graph"
)

// A drawing is the information about an element in the graphics of yEd and yEd Live. It is only
// read: the bytes of a drawing never change, and attributes that an edit adds take precedence.
type drawing struct {
	label, x, y string
	group       bool // drawn as a group or folder

	sawLabel, sawPlace bool
}

// draw reads label and position of node i from its drawing, if the node has no attributes for them.
// It reports whether the node is drawn as a group.
func (b *builder) draw(i int, n *graph.NodeSpec) (group bool) {
	var g drawing
	for v := b.d.nodes[i].first; v != none; v = b.d.slots[v].next {
		if b.d.slots[v].structured {
			g.read(b.d.text, &b.d.slots[v])
		}
	}
	if g.label != "" && !hasAttr(n.Inherited, "label") {
		n.Inherited = inherit(n.Inherited, "label", g.label)
		if !n.HasLabel && !g.group && !b.s.folders[i] && !b.s.parents[i] {
			b.d.drawn = append(b.d.drawn, int32(i))
		}
	}
	if g.x != "" && g.y != "" && !hasAttr(n.Inherited, "x") && !hasAttr(n.Inherited, "y") {
		n.Inherited = inherit(inherit(n.Inherited, "x", g.x), "y", g.y)
	}
	complete := n.HasLabel && n.HasX && n.HasY && !b.s.parents[i]
	return g.group && !complete // a complete node is a command, however it is drawn
}

// drawEdge reads the type of edge i from its drawn label, if that is exactly the name of a type.
func (b *builder) drawEdge(i int, e *graph.EdgeSpec) {
	var g drawing
	for v := b.d.edges[i].first; v != none; v = b.d.slots[v].next {
		if b.d.slots[v].structured {
			g.read(b.d.text, &b.d.slots[v])
		}
	}
	switch g.label {
	case "blocking", "non-blocking", "non_blocking":
		if !hasAttr(e.Inherited, "edge_type") {
			e.Inherited = inherit(e.Inherited, "edge_type", g.label)
		}
	}
}

// inherit returns attrs with one more attribute. It does not change attrs, which elements share.
func inherit(attrs []graph.Attr, name, value string) []graph.Attr {
	return append(slices.Clip(attrs), graph.Attr{Name: name, Value: value})
}

func hasAttr(attrs []graph.Attr, name string) bool {
	return slices.ContainsFunc(attrs, func(a graph.Attr) bool { return a.Name == name })
}

// read reads the start tags in a drawing. The first label and the first place count.
func (g *drawing) read(text []byte, v *slot) {
	s := scanner{index: index{text: text[:v.close]}}
	for pos := int(v.value); ; {
		i := bytes.IndexByte(s.text[pos:], '<')
		if i < 0 {
			return
		}
		pos += i
		if next := s.text[pos+1]; next == '/' || next == '?' || next == '!' {
			pos = skipNoTag(text, pos)
			continue
		}
		t, err := s.tag(pos)
		if err != nil {
			return // cannot happen: the scan accepted it
		}
		pos = int(t.end)
		g.tag(&s, &t)
	}
}

// skipNoTag returns the end of markup that is not a start tag.
func skipNoTag(text []byte, pos int) int {
	s := scanner{index: index{text: text}, stack: make([]openElement, 1)}
	switch text[pos+1] {
	case '/':
		return pos + bytes.IndexByte(text[pos:], '>') + 1
	case '?':
		pos, _ = s.skip(pos, 2, "?>")
	default:
		pos, _ = s.declaration(pos)
	}
	return pos
}

func (g *drawing) tag(s *scanner, t *tag) {
	switch t.local {
	case "NodeLabel", "EdgeLabel": // yEd
		if hasText, _ := t.get("hasText"); hasText != "false" {
			g.setLabel(s, t)
		}
		g.sawLabel = true
	case "Label.Text": // yEd Live
		g.setLabel(s, t)
		g.sawLabel = true
	case "Geometry":
		g.setPlace(t, "x", "y")
	case "RectD":
		g.setPlace(t, "X", "Y")
	case "ProxyAutoBoundsNode", "GroupNode":
		g.group = true
	}
}

// setLabel reads the text before the first child element, without the white space that XML
// formatters put after it.
func (g *drawing) setLabel(s *scanner, t *tag) {
	if g.sawLabel || t.empty {
		return
	}
	end := int(t.end)
	for end < len(s.text) {
		i := bytes.IndexByte(s.text[end:], '<')
		if i < 0 {
			return
		}
		end += i
		if next := s.text[end+1]; next != '!' && next != '?' {
			break
		}
		end = skipNoTag(s.text, end)
	}
	label, found := decodeValue(s.sub(t.end, int32(end)))
	if found&unknownEntity == 0 {
		g.label = strings.TrimRight(label, " \t\r\n")
	}
}

func (g *drawing) setPlace(t *tag, x, y string) {
	if g.sawPlace {
		return
	}
	g.sawPlace = true
	g.x, _ = t.get(x)
	g.y, _ = t.get(y)
}
