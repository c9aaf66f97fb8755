package drawing

import (
	"github.com/charmbracelet/x/ansi"

	"wf/tui/plain"
)

// A pen writes a row.
type pen struct {
	grid  *Grid
	y     int
	item  Item
	mods  Mods
	ascii bool
}

// put writes text from x on, as far as the grid reaches, and returns its columns.
func (p *pen) put(x int, text string, ink Ink) int {
	return p.grid.Put(x, p.y, text, max(p.grid.Width-x, 0), Style{ink, p.mods}, p.item)
}

// clipped writes at most room columns of a name; a long one loses its middle.
func (p *pen) clipped(x int, text string, room int, ink Ink) {
	p.grid.Put(x, p.y, clip(text, room, p.ellipsis()), max(min(room, p.grid.Width-x), 0), Style{ink, p.mods}, p.item)
}

func (p *pen) state(x int, s State) { p.put(x, s.Glyph(p.ascii), InkOf(s)) }

// detail writes the detail of a node from the caller, or the word of its state.
func (p *pen) detail(x int, n *Node) int {
	if n.Detail == "" {
		return p.put(x, n.State.String(), InkDim)
	}
	ink := InkDim
	if n.State.needsPerson() {
		ink = InkOf(n.State)
	}
	room := max(p.grid.Width-x, 0)
	return p.put(x, ansi.Truncate(head(n.Detail, room), room, p.ellipsis()), ink)
}

// Columns: what names keep when the pane is narrow, and while there are bars; what details keep; of details, where commands stand
// behind them; and the least that a command is worth showing in.
const (
	leastName   = 12
	goodName    = 24
	leastDetail = 20
	detailWidth = 24
	leastText   = 16

	narrowPane  = 90 // columns; below, commands begin behind details like "exit 1 after 1.2s"
	shortDetail = 18
)

// command writes the command of a node if there is room.
func (p *pen) command(x int, n *Node) {
	room := p.grid.Width - x - 1
	if room < leastText {
		return
	}
	if text := commandHead(n.Command, room, p.ascii); text != "" {
		p.put(x, ansi.Truncate(text, room, p.ellipsis()), InkDim)
	}
}

// loops writes where loops lead.
func (p *pen) loops(x int, names []string) int {
	used := 0
	for _, name := range names {
		used += p.put(x+used, p.loop()+" "+name, InkDim) + 2
	}
	return used
}

// loop returns the sign of an edge that leads back.
func (p *pen) loop() string {
	if p.ascii {
		return "^"
	}
	return "↺"
}

func (p *pen) ellipsis() string {
	if p.ascii {
		return "..."
	}
	return "…"
}

// clip cuts text to room columns in its middle, where names are most alike.
func clip(text string, room int, ellipsis string) string {
	width := ansi.StringWidth(text)
	if width <= room {
		return text
	}
	keep := room - ansi.StringWidth(ellipsis)
	if keep < 2 {
		return ansi.Truncate(text, room, "")
	}
	return ansi.Truncate(text, (keep+1)/2, "") + ellipsis + ansi.TruncateLeft(text, width-keep/2, "")
}

// bar draws the progress of the nodes of a stage: done, failed, running, the rest.
func (p *pen) bar(x, width int, c *Counts) {
	total, upto, at := c.Total(), 0, 0
	part := func(n int, sign string, ink Ink) {
		upto += n
		for end := upto * width / total; at < end; at++ {
			p.put(x+at, sign, ink)
		}
	}
	done, failed, running, rest := "━", "━", "━", "─"
	if p.ascii {
		done, failed, running, rest = "#", "x", "*", "-"
	}
	part(c.Done(), done, InkBar)
	part(c[Failed]+c[Cancelled], failed, InkOf(Failed))
	part(c[Running]+c[Retrying], running, InkOf(Running))
	part(total-upto, rest, InkRest)
}

// nodeName returns the name of a node as it may be shown.
func nodeName(g *Graph, v int32) string { return head(g.Nodes[v].Name, longestName) }

// longestName is the most columns of a name that any view shows.
const longestName = 200

// head returns the beginning of a text as a terminal may show it, at least the given number of columns if
// there are as many. It does not read all of a long command.
func head(text string, columns int) string { return plain.Line(beginning(text, columns)) }

// commandHead is head of a command, with a sign for the ends of its lines.
func commandHead(text string, columns int, ascii bool) string {
	return plain.Command(beginning(text, columns), ascii)
}

func beginning(text string, columns int) string {
	return text[:min(len(text), 8*columns+64)]
}
