package picture

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/graph/picture"
	"wf/tui/painter"
	"wf/tui/plain"
	"wf/tui/words"
)

// The size of a cell in pixels, for text of 13 pixels; the radius of the corners of lines, and the margin.
const (
	cellWidth  = 8.0
	cellHeight = 19.0
	corner     = 7.0
	margin     = 16.0
)

// SVG paints a drawing as a self-contained file, in light and dark colours, with a description for screen readers.
func (d Drawing) SVG(name string) []byte {
	g, s := d.Graph, d.Scene
	p := &writer{g: g, s: s}
	width, height := float64(s.W)*cellWidth+2*margin, float64(s.H)*cellHeight+2*margin
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="%s %s %s %s" role="img" aria-labelledby="title" aria-describedby="desc">`+"\n",
		px(width), px(height), px(-margin), px(-margin), px(width), px(height))
	p.printf("<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", text(name), p.description())
	p.printf("<style>\n%s%s@media (prefers-color-scheme: dark) {\n%s}\n</style>\n", rules, light.Replace(colors), dark.Replace(colors))
	p.printf(`<rect class="paper" x="%s" y="%s" width="%s" height="%s"/>`+"\n", px(-margin), px(-margin), px(width), px(height))
	for i := range s.Frames {
		p.frame(&s.Frames[i])
	}
	for i := range s.Tracks {
		p.track(&s.Tracks[i])
	}
	for i := range s.Labels {
		p.label(&s.Labels[i])
	}
	for i := range s.Boxes {
		p.box(&s.Boxes[i])
	}
	p.b.WriteString("</svg>\n")
	return []byte(p.b.String())
}

// rules are the rules of the style that both themes share, and colors those that contain the colours of a theme. Not
// all programs know variables of CSS.
const rules = `.line { fill: none; stroke-width: 1.6; stroke-linecap: round }
.dead { opacity: .4 }
.weak { stroke-dasharray: 5 4; stroke-linecap: butt }
.box { stroke-width: 1.2 }
.container { stroke-width: 1.2; stroke-dasharray: 2 4; stroke-linecap: round }
.failed, .running, .waiting { stroke-width: 2 }
.blocked, .skipped { stroke-dasharray: 4 3 }
text { font: 13px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
.name { font-weight: 600 }
.note, .when { font-size: 12px }
.when { paint-order: stroke; stroke-width: 5px }
`

const colors = `.paper { fill: PAPER }
.line { stroke: LINE } .head { fill: LINE }
.line.taken { stroke: OK } .head.taken { fill: OK }
.container { fill: none; stroke: LINE }
.box { fill: FILL; stroke: LINE } .stack { fill: PAPER; stroke: LINE }
.ok, .kept { fill: GREEN; stroke: OK }
.failed { fill: RED; stroke: BAD }
.running, .queued { fill: BLUE; stroke: RUN }
.waiting { fill: VIOLET; stroke: ASK }
.retrying, .cancelled, .handled, .blocked { fill: YELLOW; stroke: WARN }
text { fill: INK } .note, .times { fill: SOFT } .when { fill: WARN; stroke: PAPER } .title { fill: SOFT }
`

var (
	light = strings.NewReplacer("PAPER", "#ffffff", "INK", "#24292f", "SOFT", "#57606a", "LINE", "#8c959f", "FILL", "#f6f8fa",
		"OK", "#1a7f37", "GREEN", "#eaf7ee", "BAD", "#cf222e", "RED", "#ffebe9", "RUN", "#0969da", "BLUE", "#ddf4ff",
		"ASK", "#8250df", "VIOLET", "#f4ecff", "WARN", "#9a6700", "YELLOW", "#fff5d6")
	dark = strings.NewReplacer("PAPER", "#0d1117", "INK", "#e6edf3", "SOFT", "#8d96a0", "LINE", "#6e7681", "FILL", "#161b22",
		"OK", "#3fb950", "GREEN", "#12261a", "BAD", "#f85149", "RED", "#2d1517", "RUN", "#58a6ff", "BLUE", "#10233b",
		"ASK", "#bc8cff", "VIOLET", "#221a33", "WARN", "#d29922", "YELLOW", "#2b2210")
)

// A writer writes the elements of an SVG.
type writer struct {
	g *Graph
	s *picture.Scene
	b strings.Builder
}

func (p *writer) printf(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

// px formats a length, short and the same on every machine.
func px(f float64) string { return strconv.FormatFloat(float64(int(f*100))/100, 'f', -1, 64) }

// text makes text harmless for an element.
func text(s string) string { return html.EscapeString(plain.Line(s)) }

// middle returns the middle of a cell.
func middle(c picture.Point) (x, y float64) {
	return (float64(c.X) + 0.5) * cellWidth, (float64(c.Y) + 0.5) * cellHeight
}

// description lists the nodes with their states and what they wait for, for those who cannot see the picture.
func (p *writer) description() string {
	before := make([][]string, len(p.g.Nodes))
	for _, e := range p.g.Edges {
		name := p.g.Nodes[e.From].Name
		if e.When != "" {
			name += " (" + e.When + ")"
		}
		before[e.To] = append(before[e.To], name)
	}
	var b strings.Builder
	for i := range p.g.Nodes {
		n := &p.g.Nodes[i]
		fmt.Fprintf(&b, "%s: %s", text(n.Name), n.State)
		if len(before[i]) > 0 {
			fmt.Fprintf(&b, ", after %s", text(strings.Join(before[i], ", ")))
		}
		b.WriteString(".\n")
	}
	return b.String()
}

// track paints a track, piece by piece where parts of it look different.
func (p *writer) track(t *picture.Track) {
	paths := map[string]*strings.Builder{}
	var classes []string
	path := func(class string) *strings.Builder {
		if paths[class] == nil {
			paths[class] = &strings.Builder{}
			classes = append(classes, class)
		}
		return paths[class]
	}
	at := map[picture.Point][]int32{}
	for i := range t.Pieces {
		at[t.Pieces[i].A], at[t.Pieces[i].B] = append(at[t.Pieces[i].A], int32(i)), append(at[t.Pieces[i].B], int32(i))
	}
	for i := range t.Pieces {
		q := &t.Pieces[i]
		x1, y1 := p.near(t, q.A, q.B, at[q.A])
		x2, y2 := p.near(t, q.B, q.A, at[q.B])
		fmt.Fprintf(path(p.class(t, int32(i))), "M%s %sL%s %s", px(x1), px(y1), px(x2), px(y2))
	}
	points := make([]picture.Point, 0, len(at))
	for c := range at {
		points = append(points, c)
	}
	slices.SortFunc(points, func(a, b picture.Point) int { return (a.Y-b.Y)*1e6 + a.X - b.X })
	for _, c := range points {
		if pieces := at[c]; p.bend(t, c, pieces) {
			x1, y1 := p.near(t, c, other(&t.Pieces[pieces[0]], c), pieces)
			x2, y2 := p.near(t, c, other(&t.Pieces[pieces[1]], c), pieces)
			x, y := middle(c)
			fmt.Fprintf(path(p.class(t, pieces[0])), "M%s %sQ%s %s %s %s", px(x1), px(y1), px(x), px(y), px(x2), px(y2))
		}
	}
	for _, e := range t.Tails {
		x, y := middle(e.At)
		bx, by := p.border(e, -1)
		fmt.Fprintf(path(p.class(t, pieceAt(at, e.At))), "M%s %sL%s %s", px(bx), px(by), px(x), px(y))
	}
	for _, class := range classes {
		p.printf(`<path class="line%s" d="%s"/>`+"\n", class, paths[class].String())
	}
	for _, e := range t.Heads {
		p.head(e, p.class(t, pieceAt(at, e.At)))
	}
}

func pieceAt(at map[picture.Point][]int32, c picture.Point) int32 {
	if pieces := at[c]; len(pieces) > 0 {
		return pieces[0]
	}
	return -1
}

func other(q *picture.Piece, c picture.Point) picture.Point {
	if q.A == c {
		return q.B
	}
	return q.A
}

// class returns the classes of a piece.
func (p *writer) class(t *picture.Track, piece int32) string {
	class := ""
	if t.Weak {
		class = " weak"
	}
	switch look := painter.LookOf(t, int(piece), p.g.way); {
	case look.Dead:
		class += " dead"
	case look.Taken:
		class += " taken"
	}
	return class
}

// bend reports whether a track turns in a cell and does nothing else there.
func (p *writer) bend(t *picture.Track, c picture.Point, pieces []int32) bool {
	if len(pieces) != 2 {
		return false
	}
	for _, e := range t.Tails {
		if e.At == c && (e.Into == picture.Down || e.Into == picture.Up) != (t.Pieces[pieces[0]].A.X == t.Pieces[pieces[0]].B.X && t.Pieces[pieces[1]].A.X == t.Pieces[pieces[1]].B.X) {
			return false
		}
	}
	a, b := other(&t.Pieces[pieces[0]], c), other(&t.Pieces[pieces[1]], c)
	return (a.X == c.X) != (b.X == c.X)
}

// near returns the end of a piece in a cell: before the curve, if the track turns there.
func (p *writer) near(t *picture.Track, c, towards picture.Point, pieces []int32) (x, y float64) {
	x, y = middle(c)
	if !p.bend(t, c, pieces) {
		return x, y
	}
	tx, ty := middle(towards)
	switch {
	case tx > x:
		x += min(corner, (tx-x)/2)
	case tx < x:
		x -= min(corner, (x-tx)/2)
	case ty > y:
		y += min(corner, (ty-y)/2)
	case ty < y:
		y -= min(corner, (y-ty)/2)
	}
	return x, y
}

// border returns where a line meets the border of a box: before the cell of a tail (-1) or after that of a head (1).
func (p *writer) border(e picture.End, side float64) (x, y float64) {
	x, y = middle(e.At)
	dx, dy := p.inset()
	switch e.Into {
	case picture.Right:
		x += side * (cellWidth/2 + dx)
	case picture.Down:
		y += side * (cellHeight/2 + dy)
	}
	return x, y
}

// inset returns how far the border of a box is inside of its rectangle.
func (p *writer) inset() (x, y float64) {
	if p.s.Form == picture.Card {
		return cellWidth / 2, cellHeight / 2
	}
	return 1, 1
}

func (p *writer) head(e picture.End, class string) {
	x, y := p.border(e, 1)
	bx, by := middle(e.At)
	class = strings.Replace(class, " weak", "", 1)
	if e.Into == picture.Down {
		p.printf(`<path class="line%s" d="M%s %sL%s %s"/><path class="head%s" d="M%s %sl-4.5 -9h9z"/>`+"\n", class, px(bx), px(by-cellHeight/2), px(x), px(y-8), class, px(x), px(y))
		return
	}
	p.printf(`<path class="line%s" d="M%s %sL%s %s"/><path class="head%s" d="M%s %sl-9 -4.5v9z"/>`+"\n", class, px(bx-cellWidth/2), px(by), px(x-8), px(y), class, px(x), px(y))
}

func (p *writer) label(l *picture.Label) {
	p.printf(`<text class="when" x="%s" y="%s">%s</text>`+"\n", px(float64(l.X)*cellWidth), px((float64(l.Y)+0.5)*cellHeight+4), text(l.Text))
}

// frame paints the frame of a container and its title.
func (p *writer) frame(f *picture.Frame) {
	x, y := (float64(f.X)+0.5)*cellWidth, (float64(f.Y)+0.5)*cellHeight
	w, h := float64(f.W-1)*cellWidth, float64(f.H-1)*cellHeight
	p.printf(`<rect class="container" x="%s" y="%s" width="%s" height="%s" rx="9"/>`, px(x), px(y), px(w), px(h))
	p.printf(`<rect class="paper" x="%s" y="%s" width="%s" height="%s"/>`, px(x+2*cellWidth), px(y-cellHeight/2), px(float64(ansi.StringWidth(f.Title)+1)*cellWidth), px(cellHeight))
	p.printf(`<text class="when title" x="%s" y="%s">%s</text>`+"\n", px(x+2.5*cellWidth), px(y+4.5), text(f.Title))
}

// box paints a node, or a stage with another card behind it.
func (p *writer) box(b *picture.Box) {
	dx, dy := p.inset()
	x, y := float64(b.X)*cellWidth+dx, float64(b.Y)*cellHeight+dy
	w, h := float64(b.W)*cellWidth-2*dx, float64(b.H)*cellHeight-2*dy
	state := p.g.state(b)
	p.printf("<g><title>%s</title>", p.title(b))
	if len(b.Members) > 1 {
		p.printf(`<rect class="stack" x="%s" y="%s" width="%s" height="%s" rx="6"/>`, px(x+3), px(y+3), px(w), px(h))
	}
	p.printf(`<rect class="box %s" x="%s" y="%s" width="%s" height="%s" rx="6"/>`, state, px(x), px(y), px(w), px(h))
	note := p.g.note(b, false)
	if card := p.s.Form == picture.Card; card && note == "" && len(b.Members) == 1 && state != api.StateIdle {
		note = string(state)
	}
	left, base := float64(b.X+1)*cellWidth, (float64(b.Y)+float64(b.H)/2)*cellHeight+4.5
	if p.s.Form == picture.Card {
		left = float64(b.X+2) * cellWidth
		if note != "" { // below the name
			base -= cellHeight/2 - 1
		}
	}
	if p.s.Form == picture.Dot {
		left = float64(b.X)*cellWidth + 1
	}
	p.printf(`<text x="%s" y="%s">%s<tspan class="name" dx="8">%s</tspan>`, px(left), px(base), words.LookOf(state).Glyph, text(b.Name))
	if painter.ShowsTimes(p.s, b, note) {
		p.printf(`<tspan class="times" dx="8">%s</tspan>`, text(b.Times))
	}
	if p.s.Form == picture.Card && note != "" {
		p.printf(`</text><text class="note" x="%s" y="%s">%s</text></g>`+"\n", px(left), px(base+cellHeight-2), text(note))
		return
	}
	p.printf(`<tspan class="note" dx="8">%s</tspan></text></g>`+"\n", text(note))
}

// maxTitle is the most nodes of a stage that its title lists.
const maxTitle = 20

// title is what browsers show under the pointer: the whole name and command, or the nodes of a stage.
func (p *writer) title(b *picture.Box) string {
	if len(b.Members) == 1 {
		n := &p.g.Nodes[b.Members[0]]
		return text(n.Name) + " (" + string(n.State) + ")\n" + html.EscapeString(plain.Text(n.Command))
	}
	lines := []string{text(b.Full) + " " + text(b.Times)}
	for _, v := range b.Members[:min(len(b.Members), maxTitle)] {
		lines = append(lines, text(p.g.Nodes[v].Name)+" ("+string(p.g.Nodes[v].State)+")")
	}
	if more := len(b.Members) - maxTitle; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}
