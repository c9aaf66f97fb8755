package picture

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/graph/picture"
	"wf/tui/painter"
	"wf/tui/words"
)

// A Paint says how text is shown.
type Paint struct {
	Colored, ASCII bool
}

// A glyph is a cell of text: a sign of one or two cells, and its colour (SGR).
type glyph struct {
	text string // "" = the second cell of a wide sign
	sgr  string
}

// A sheet is a picture as cells of text.
type sheet struct {
	g     *Graph
	s     *picture.Scene
	paint Paint
	w     int
	cells []glyph
	inks  map[[2]int]string // of lines, by track and piece
}

// Text paints a drawing as lines without blanks at their ends.
func (d Drawing) Text(p Paint) string {
	g, s := d.Graph, d.Scene
	t := &sheet{g: g, s: s, paint: p, w: s.W, cells: make([]glyph, s.W*s.H), inks: map[[2]int]string{}}
	painter.New(s, p.ASCII).Paint(picture.Rect{W: s.W, H: s.H}, t)
	return t.String()
}

// Texts returns the sign of a box and its note: the time of a node, or "6/8 ✗1" of a stage.
func (t *sheet) Texts(box int) painter.Texts {
	b := &t.s.Boxes[box]
	state := t.g.state(b)
	texts := painter.Texts{Sign: words.LookOf(state).Sign(t.paint.ASCII), Note: t.g.note(b, t.paint.ASCII)}
	if texts.Note == "" && t.s.Form == picture.Card && len(b.Members) == 1 {
		texts.Note = string(state)
	}
	return texts
}

// Put writes a text.
func (t *sheet) Put(x, y int, text string, m painter.Mark) {
	sgr := ""
	switch m.Part {
	case painter.Line:
		key, found := [2]int{m.Track, m.Piece}, false
		if sgr, found = t.inks[key]; !found {
			sgr = ink(painter.LookOf(&t.s.Tracks[m.Track], m.Piece, t.g.way))
			t.inks[key] = sgr
		}
	case painter.Label:
		sgr = "33"
	case painter.Times, painter.Title:
		sgr = "36"
	case painter.Around:
		sgr = "2"
	default:
		sgr = words.LookOf(t.g.state(&t.s.Boxes[m.Box])).SGR
		if m.Part == painter.Name {
			sgr = nameInk(sgr)
		}
	}
	t.put(x, y, text, sgr)
}

// ink is the colour of a line: faint if it is dead, otherwise that of its state.
func ink(look painter.LineLook) string {
	switch {
	case look.Dead:
		return "2"
	case look.State == api.StateOK:
		return "32"
	case look.State != "":
		return words.LookOf(look.State).SGR
	}
	return ""
}

// String joins the cells, and joins neighbours with the same colour.
func (t *sheet) String() string {
	var b strings.Builder
	for y := 0; y*t.w < len(t.cells); y++ {
		row := t.cells[y*t.w : (y+1)*t.w]
		for len(row) > 0 && (row[len(row)-1].text == " " && !strings.Contains(row[len(row)-1].sgr, "7") || row[len(row)-1] == glyph{}) {
			row = row[:len(row)-1]
		}
		sgr, wide := "", false
		for _, c := range row {
			if c.text == "" && !wide {
				c.text = " "
			}
			wide = ansi.StringWidth(c.text) > 1
			if c.text != " " && c.sgr != sgr && t.paint.Colored {
				if sgr != "" {
					b.WriteString("\x1b[0m")
				}
				if sgr = c.sgr; sgr != "" {
					b.WriteString("\x1b[" + sgr + "m")
				}
			}
			b.WriteString(c.text)
		}
		if sgr != "" {
			b.WriteString("\x1b[0m")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// put writes a text from a cell on.
func (t *sheet) put(x, y int, text, sgr string) {
	for _, r := range text {
		width := ansi.StringWidth(string(r))
		if width == 0 || x+width > t.w {
			continue
		}
		t.cells[y*t.w+x] = glyph{string(r), sgr}
		if width > 1 {
			t.cells[y*t.w+x+1] = glyph{}
		}
		x += width
	}
}

// nameInk makes names of nodes that did not run readable: only their sign is faint.
func nameInk(sgr string) string {
	if sgr == "2" {
		return ""
	}
	return sgr
}
