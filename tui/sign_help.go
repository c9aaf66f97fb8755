package tui

import (
	"strings"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/drawing"
	"wf/tui/words"
)

// explainAt explains the sign of the drawing at a point of the screen: the edge that a line belongs to, otherwise what the sign means. It
// returns "" for names and for what is no sign.
func (p *picture) explainAt(x, y int, ascii bool) string {
	c := p.grid.At(x-p.area.X, y-p.area.Y)
	if c == nil || c.Text == "" || c.Text == " " {
		return ""
	}
	state, isState := c.Style.Ink.State()
	if c.Style.Mods&(drawing.Line|drawing.Token) == 0 {
		next := p.grid.At(x-p.area.X+1, y-p.area.Y)
		if !isState || c.Text != state.Glyph(ascii) || next != nil && strings.TrimSpace(next.Text) != "" { // texts have the colour of a state, too
			return ""
		}
		return c.Text + " " + words.MeaningOf(api.State(state.String()))
	}
	if e := int(c.Edge); e >= 0 && e < len(p.graph.Edges) {
		return p.edgeText(e, ascii)
	}
	for _, s := range words.Signs() {
		if forms := cells.Either(ascii, s.ASCII, s.Glyph); forms != "" && contains(forms, c.Text) {
			return c.Text + " " + s.Meaning
		}
	}
	return ""
}

// contains reports whether a sign is one of some forms.
func contains(forms, sign string) bool {
	for _, r := range forms {
		if string(r) == sign {
			return true
		}
	}
	return false
}

// edgeText describes an edge of the drawing: its ends, its condition, and what has become of it.
func (p *picture) edgeText(e int, ascii bool) string {
	edge := &p.graph.Edges[e]
	text := p.graph.Nodes[edge.From].Name + cells.Either(ascii, " -> ", " → ") + p.graph.Nodes[edge.To].Name
	if edge.NonBlocking {
		text += ", non-blocking"
	}
	if edge.When != "" {
		text += ", when " + edge.When
	}
	switch {
	case edge.Marked:
		text += ": it has fired, and its target waits for others"
	case edge.Dead:
		text += ": it will not fire in this run"
	}
	return text
}
