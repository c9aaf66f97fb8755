package picture

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/graph/picture"
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
	tails map[[2]int]glyph
	spans map[*picture.Box][2]int // the first and the last column of the lines of a box
}

// Text paints a drawing as lines without blanks at their ends.
func (d Drawing) Text(p Paint) string {
	g, s := d.Graph, d.Scene
	t := &sheet{g: g, s: s, paint: p, w: s.W, cells: make([]glyph, s.W*s.H)}
	for i := range s.Frames {
		t.container(&s.Frames[i])
	}
	t.lines()
	t.leaders()
	for i := range s.Labels {
		l := &s.Labels[i]
		t.put(l.X, l.Y, t.plain(l.Text), "33")
	}
	for i := range s.Boxes {
		t.box(&s.Boxes[i])
	}
	return t.String()
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

// put writes a text from a cell on, and returns the column after it.
func (t *sheet) put(x, y int, text, sgr string) int {
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
	return x
}

// plain replaces what the picture adds to texts by ASCII.
func (t *sheet) plain(text string) string {
	if t.paint.ASCII {
		text = strings.NewReplacer("…", "~", "×", "x").Replace(text)
	}
	return text
}

// lines paints the tracks: those with a past in the colour of what they stand for, dead ones faint.
func (t *sheet) lines() {
	c := t.s.Paint()
	known := map[[2]int32]string{}
	for i, cell := range c.Cells {
		if cell.Track < 0 {
			continue
		}
		key := [2]int32{cell.Track, cell.Piece}
		sgr, found := known[key]
		if !found {
			sgr = t.ink(&t.s.Tracks[cell.Track], cell.Piece)
			known[key] = sgr
		}
		r := cell.Rune()
		if t.paint.ASCII {
			r = cell.ASCII()
		}
		t.cells[i] = glyph{string(r), sgr}
	}
}

// ink is the colour of a piece of a track: green where it was taken, faint where it is dead, otherwise that of the most
// urgent source.
func (t *sheet) ink(track *picture.Track, piece int32) string {
	look := t.g.look(track, piece)
	switch {
	case look.dead:
		return "2"
	case look.taken:
		return "32"
	}
	switch look.state {
	case api.StateRunning, api.StateFailed, api.StateWaiting, api.StateRetrying:
		return words.LookOf(look.state).SGR
	case api.StateOK, api.StateKept:
		return "32"
	}
	return ""
}

// box paints a box: a card with a frame, or a chip in one line.
func (t *sheet) box(b *picture.Box) {
	look := words.LookOf(t.g.state(b))
	sign, sgr := look.Sign(t.paint.ASCII), look.SGR
	if t.s.Form == picture.Dot {
		for y := b.Y; y < b.Y+b.H; y++ {
			t.put(b.X, y, sign, sgr)
		}
		if len(b.Members) > 1 {
			x := t.put(b.X+1, b.Y, t.plain(b.Times), "36")
			t.put(x+1, b.Y, t.g.note(b, t.paint.ASCII), sgr)
		}
		return
	}
	x, y := b.X+1, b.Y+(b.H-1)/2
	if t.s.Form == picture.Card {
		t.frame(b, sgr)
		x = b.X + 2
	} else if b.H > 1 {
		t.bars(b, sgr)
	}
	if t.s.Down && t.s.Form != picture.Card { // below and above the lines, which end in the middle
		x += max(0, b.W-2-t.width(b)) / 2
		if span := t.spans[b]; span[0] < x || span[1] > x+t.width(b) {
			t.bars(b, sgr)
		}
	}
	x = t.put(x, y, sign+" ", sgr)
	x = t.put(x, y, t.plain(b.Name), nameInk(sgr))
	note := t.g.note(b, t.paint.ASCII)
	if b.Times != "" && (note == "" || !counted(t.s, b)) {
		x = t.put(x+1, y, t.plain(b.Times), "36")
	}
	if t.s.Form == picture.Card {
		if note == "" && len(b.Members) == 1 {
			note = string(t.g.state(b))
		}
		t.put(b.X+2, y+1, ansi.Truncate(note, b.W-4, ""), sgr)
	} else if b.Note > 0 {
		x = t.put(x+1, y, note, sgr)
		if note == "" {
			x--
		}
	}
	if tail, found := t.tails[[2]int{b.X + b.W, y}]; found && !t.s.Down && t.s.Form != picture.Card && b.H == 1 {
		for x++; x < b.X+b.W; x++ { // the line begins where the text ends
			t.cells[y*t.w+x] = tail
		}
	}
}

// width returns the cells of the texts of a chip.
func (t *sheet) width(b *picture.Box) int {
	width, note := 2+ansi.StringWidth(b.Name), t.g.note(b, t.paint.ASCII)
	if b.Times != "" && (note == "" || !counted(t.s, b)) {
		width += 1 + ansi.StringWidth(b.Times)
	}
	if b.Note > 0 && note != "" {
		width += 1 + ansi.StringWidth(note)
	}
	return width
}

// leaders notes what the lines look like where they leave boxes, and where the lines above and below boxes are.
func (t *sheet) leaders() {
	t.tails, t.spans = map[[2]int]glyph{}, map[*picture.Box][2]int{}
	for i := range t.s.Boxes {
		b := &t.s.Boxes[i]
		t.spans[b] = [2]int{b.X + b.W, b.X}
	}
	meet := func(e picture.End) {
		b := &t.s.Boxes[e.Box]
		t.spans[b] = [2]int{min(t.spans[b][0], e.At.X), max(t.spans[b][1], e.At.X)}
	}
	for i := range t.s.Tracks {
		track := &t.s.Tracks[i]
		for _, e := range track.Heads {
			meet(e)
		}
		for _, e := range track.Tails {
			meet(e)
			g := glyph{"─", t.cells[e.At.Y*t.w+e.At.X].sgr}
			switch {
			case t.paint.ASCII && track.Weak:
				g.text = "\""
			case t.paint.ASCII:
				g.text = "-"
			case track.Weak:
				g.text = "╌"
			}
			t.tails[[2]int{e.At.X, e.At.Y}] = g
		}
	}
}

// counted reports whether the counts of a stage replace the number of its nodes.
func counted(s *picture.Scene, b *picture.Box) bool {
	return s.Form == picture.Tag && len(b.Members) > 1
}

// nameInk makes names of nodes that did not run readable: only their sign is faint.
func nameInk(sgr string) string {
	if sgr == "2" {
		return ""
	}
	return sgr
}

// frame draws the frame of a card. Its corners are square; those of lines are round.
func (t *sheet) frame(b *picture.Box, sgr string) {
	c := [...]string{"┌", "─", "┐", "│", "└", "┘", "│"}
	if t.paint.ASCII {
		c = [...]string{" ", "_", " ", "[", "[", "]", "]"}
	}
	line := strings.Repeat(c[1], b.W-2)
	t.put(b.X, b.Y, c[0]+line+c[2], sgr)
	for y := b.Y + 1; y < b.Y+b.H-1; y++ {
		t.put(b.X, y, c[3], sgr)
		t.put(b.X+b.W-1, y, c[6], sgr)
	}
	t.put(b.X, b.Y+b.H-1, c[4]+line+c[5], sgr)
}

// container draws the frame of a container and its title.
func (t *sheet) container(f *picture.Frame) {
	c := [...]string{"┌", "╴", "┐", "╷", "└", "┘"}
	if t.paint.ASCII {
		c = [...]string{"=", "=", "=", "=", "=", "="}
	}
	line := strings.Repeat(c[1], f.W-2)
	t.put(f.X, f.Y, c[0]+line+c[2], "2")
	for y := f.Y + 1; y < f.Y+f.H-1; y++ {
		t.put(f.X, y, c[3], "2")
		t.put(f.X+f.W-1, y, c[3], "2")
	}
	t.put(f.X, f.Y+f.H-1, c[4]+line+c[5], "2")
	t.put(f.X+2, f.Y, " "+t.plain(f.Title)+" ", "36")
}

// bars are the sides of a chip that is larger than its text.
func (t *sheet) bars(b *picture.Box, sgr string) {
	left, right := "▐", "▌"
	if t.paint.ASCII {
		left, right = "[", "]"
	}
	for y := b.Y; y < b.Y+b.H; y++ {
		t.put(b.X, y, left, sgr)
		t.put(b.X+b.W-1, y, right, sgr)
	}
}
