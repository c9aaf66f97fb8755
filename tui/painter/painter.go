// Package painter paints drawings as text: which sign stands in which cell, and what it belongs to. The command line
// and the terminal interface share it, so that they show the same picture. Positions come from graph/picture; colours
// are those of the callers.
package painter

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/graph/picture"
)

// A Part is what a cell shows.
type Part uint8

// The parts.
const (
	Line   Part = iota // of a track
	Label              // the condition of a track
	Frame              // of a box
	Around             // the frame around what a node contains, and its title
	Title
	Sign // the state of a box
	Name
	Times // how many nodes a stage has, or the signs of a node
	Note  // what the surface says of a box
)

// A Mark says what a text belongs to.
type Mark struct {
	Part         Part
	Box          int // of all parts but lines, labels and what is around boxes
	Track, Piece int // of a line or a label; piece -1 = all of the track
}

// Texts are what is written into a box besides its name.
type Texts struct {
	Sign string // of one cell
	Note string // time and attempt of a node, progress of a stage; at most as wide as the box has room
}

// A Surface is what a Painter paints on.
type Surface interface {
	// Texts returns the present texts of a box.
	Texts(box int) Texts
	// Put writes a text in one line, which may lie outside of the window.
	Put(x, y int, text string, m Mark)
}

// A Painter paints a scene. It may be used again while the texts change.
type Painter struct {
	Scene  *picture.Scene
	Canvas *picture.Canvas
	ASCII  bool                  // paint in ASCII
	tails  map[picture.Point]int // track of each line that leaves a box to the right
	spans  [][2]int              // the first and the last column of the lines of each box
}

// New prepares the painting of a scene.
func New(s *picture.Scene, ascii bool) *Painter {
	p := &Painter{Scene: s, Canvas: s.Paint(), ASCII: ascii, tails: map[picture.Point]int{}, spans: make([][2]int, len(s.Boxes))}
	for i := range s.Boxes {
		b := &s.Boxes[i]
		p.spans[i] = [2]int{b.X + b.W, b.X}
	}
	meet := func(e picture.End) {
		span := &p.spans[e.Box]
		*span = [2]int{min(span[0], e.At.X), max(span[1], e.At.X)}
	}
	for i := range s.Tracks {
		for _, e := range s.Tracks[i].Heads {
			meet(e)
		}
		for _, e := range s.Tracks[i].Tails {
			meet(e)
			p.tails[e.At] = i
		}
	}
	return p
}

// Paint paints what is in a window of the scene: first the frames of containers, then lines, conditions and boxes.
func (p *Painter) Paint(window picture.Rect, on Surface) {
	for i := range p.Scene.Frames {
		if f := &p.Scene.Frames[i]; overlap(f.Rect, window) {
			p.around(f, on)
		}
	}
	for y := max(window.Y, 0); y < min(window.Y+window.H, p.Canvas.H); y++ {
		for x := max(window.X, 0); x < min(window.X+window.W, p.Canvas.W); x++ {
			if c := p.Canvas.Cells[y*p.Canvas.W+x]; c.Track >= 0 {
				on.Put(x, y, p.line(c), Mark{Part: Line, Track: int(c.Track), Piece: int(c.Piece)})
			}
		}
	}
	for i := range p.Scene.Labels {
		if l := &p.Scene.Labels[i]; overlap(l.Rect, window) {
			on.Put(l.X, l.Y, p.Plain(l.Text), Mark{Part: Label, Track: l.Track, Piece: -1})
		}
	}
	for i := range p.Scene.Boxes {
		if overlap(p.Scene.Boxes[i].Rect, window) {
			p.box(i, on)
		}
	}
}

func overlap(a, b picture.Rect) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

// line returns the sign of a cell of lines.
func (p *Painter) line(c picture.Cell) string {
	if p.ASCII {
		return string(c.ASCII())
	}
	return string(c.Rune())
}

// Plain replaces what the painter adds to texts by ASCII, if it has to.
func (p *Painter) Plain(text string) string {
	if p.ASCII {
		text = strings.NewReplacer("…", "~", "×", "N").Replace(text)
	}
	return text
}

// Text returns the line with the name of a box.
func (p *Painter) Text(box int) int {
	b := &p.Scene.Boxes[box]
	return b.Y + (b.H-b.Rows-1)/2
}

// Row returns where row i below the name of a box begins, and its width.
func (p *Painter) Row(box, i int) picture.Rect {
	b := &p.Scene.Boxes[box]
	bottom := b.Y + b.H
	if p.Scene.Form == picture.Card {
		bottom--
	}
	return picture.Rect{X: b.X + 2, Y: bottom - b.Rows + i, W: b.W - 3, H: 1}
}

// box paints a box: a card with a frame, or a chip in one line.
func (p *Painter) box(i int, on Surface) {
	b, texts := &p.Scene.Boxes[i], on.Texts(i)
	put := func(x, y int, text string, part Part) int {
		on.Put(x, y, text, Mark{Part: part, Box: i})
		return x + ansi.StringWidth(text)
	}
	y := p.Text(i)
	if p.Scene.Form == picture.Dot {
		p.dot(b, texts, put)
		return
	}
	card := p.Scene.Form == picture.Card
	x := b.X + 1
	switch {
	case card:
		p.frame(b, put)
		x++
	case b.H > 1:
		p.bars(b, put)
	}
	if p.Scene.Down && !card && b.Rows == 0 { // below and above the lines, which end in the middle
		width := p.Width(b, texts)
		x += max(0, b.W-2-width) / 2
		if p.spans[i][0] < x || p.spans[i][1] > x+width {
			p.bars(b, put)
		}
	}
	x = put(x, y, texts.Sign+" ", Sign)
	x = put(x, y, p.Plain(b.Name), Name)
	if ShowsTimes(p.Scene, b, texts.Note) {
		x = put(x+1, y, p.Plain(b.Times), Times)
	}
	if card {
		put(b.X+2, y+1, ansi.Truncate(texts.Note, b.W-4, ""), Note)
	} else if b.Note > 0 && texts.Note != "" {
		x = put(x+1, y, texts.Note, Note)
	}
	if !p.Scene.Down && !card && b.H == 1 {
		p.lead(b, x+1, y, on)
	}
}

// dot paints a box of signs, and of a stage also its numbers.
func (p *Painter) dot(b *picture.Box, texts Texts, put func(x, y int, text string, part Part) int) {
	for y := b.Y; y < b.Y+b.H-b.Rows; y++ {
		put(b.X, y, texts.Sign, Sign)
	}
	if len(b.Members) > 1 {
		x := put(b.X+1, b.Y, p.Plain(b.Times), Times)
		put(x+1, b.Y, texts.Note, Note)
	}
}

// lead paints the beginning of the line that leaves a chip: it starts where the text ends.
func (p *Painter) lead(b *picture.Box, x, y int, on Surface) {
	track, found := p.tails[picture.Point{X: b.X + b.W, Y: y}]
	if !found {
		return
	}
	weak := p.Scene.Tracks[track].Weak
	sign := "─"
	switch {
	case p.ASCII && weak:
		sign = "\""
	case p.ASCII:
		sign = "-"
	case weak:
		sign = "╌"
	}
	piece := p.Canvas.At(picture.Point{X: b.X + b.W, Y: y}).Piece
	for ; x < b.X+b.W; x++ {
		on.Put(x, y, sign, Mark{Part: Line, Track: track, Piece: int(piece)})
	}
}

// Width returns the cells of the texts of a chip.
func (p *Painter) Width(b *picture.Box, texts Texts) int {
	width := 2 + ansi.StringWidth(b.Name)
	if ShowsTimes(p.Scene, b, texts.Note) {
		width += 1 + ansi.StringWidth(b.Times)
	}
	if b.Note > 0 && texts.Note != "" {
		width += 1 + ansi.StringWidth(texts.Note)
	}
	return width
}

// ShowsTimes reports whether the number of nodes of a stage, or the signs of a node, are written. In a tag the note
// replaces them.
func ShowsTimes(s *picture.Scene, b *picture.Box, note string) bool {
	return b.Times != "" && (note == "" || s.Form != picture.Tag || b.Note == 0)
}

// frame draws the frame of a card. Its corners are square; those of lines are round.
func (p *Painter) frame(b *picture.Box, put func(x, y int, text string, part Part) int) {
	c := [...]string{"┌", "─", "┐", "│", "└", "┘", "│"}
	if p.ASCII {
		c = [...]string{" ", "_", " ", "[", "[", "]", "]"}
	}
	line := strings.Repeat(c[1], b.W-2)
	put(b.X, b.Y, c[0]+line+c[2], Frame)
	for y := b.Y + 1; y < b.Y+b.H-1; y++ {
		put(b.X, y, c[3], Frame)
		put(b.X+b.W-1, y, c[6], Frame)
	}
	put(b.X, b.Y+b.H-1, c[4]+line+c[5], Frame)
}

// around draws the frame of a container and its title.
func (p *Painter) around(f *picture.Frame, on Surface) {
	c := [...]string{"┌", "╴", "┐", "╷", "└", "┘"}
	if p.ASCII {
		c = [...]string{"=", "=", "=", "=", "=", "="}
	}
	m := Mark{Part: Around}
	line := strings.Repeat(c[1], f.W-2)
	on.Put(f.X, f.Y, c[0]+line+c[2], m)
	for y := f.Y + 1; y < f.Y+f.H-1; y++ {
		on.Put(f.X, y, c[3], m)
		on.Put(f.X+f.W-1, y, c[3], m)
	}
	on.Put(f.X, f.Y+f.H-1, c[4]+line+c[5], m)
	on.Put(f.X+2, f.Y, " "+p.Plain(f.Title)+" ", Mark{Part: Title})
}

// bars are the sides of a chip that is larger than its text.
func (p *Painter) bars(b *picture.Box, put func(x, y int, text string, part Part) int) {
	left, right := "▐", "▌"
	if p.ASCII {
		left, right = "[", "]"
	}
	for y := b.Y; y < b.Y+b.H; y++ {
		put(b.X, y, left, Frame)
		put(b.X+b.W-1, y, right, Frame)
	}
}
