package drawing

import (
	"wf/tui/cells"
	"wf/tui/plain"
	"wf/tui/words"
)

// A pen draws a row.
type pen struct {
	grid  *Grid
	y     int
	item  Item
	mods  Mods
	ascii bool
}

// put draws text starting at x, up to the end of the grid, and returns its width.
func (p *pen) put(x int, text string, ink Ink) int {
	return p.grid.Put(x, p.y, text, max(p.grid.Width-x, 0), Style{ink, p.mods}, p.item)
}

// clipped draws at most room columns of a name. A longer name is cut in its middle.
func (p *pen) clipped(x int, text string, room int, ink Ink) {
	p.grid.Put(x, p.y, cells.ClipMiddle(text, room, p.ascii), max(min(room, p.grid.Width-x), 0), Style{ink, p.mods}, p.item)
}

// newPen returns a pen for the row y of an item, which may be selected.
func newPen(grid *Grid, y int, item Item, look *Look) pen {
	p := pen{grid: grid, y: y, item: item, ascii: look.ASCII}
	if item == look.Selected {
		p.mods |= Selected
	}
	return p
}

func (p *pen) state(x int, s State) { p.put(x, s.Glyph(p.ascii), InkOf(s)) }

// detailIn draws the detail of a node from the caller, or the word of its state, in at most room columns.
func (p *pen) detailIn(x, room int, n *Node) int {
	if n.Detail == "" {
		return p.put(x, n.State.String(), InkDim)
	}
	room = max(min(room, p.grid.Width-x), 0)
	return p.put(x, cells.Clip(head(n.Detail, room), room, p.ascii), detailInk(n.State))
}

// Minimum widths in columns: of names in a narrow pane, of names beside bars, of details, of details in front of commands, and
// of commands, which are left out below it.
const (
	leastName   = 12
	leastDetail = 20
	detailWidth = 24
	leastText   = 16

	narrowPane  = 90 // in narrower panes commands start behind details like "exit 1 after 1.2s"
	shortDetail = 18
)

// command draws the command of a node if there is room.
func (p *pen) command(x int, n *Node) {
	room := p.grid.Width - x - 1
	if room < leastText {
		return
	}
	if text := commandHead(n.Command, room, p.ascii); text != "" {
		p.put(x, cells.Clip(text, room, p.ascii), InkDim)
	}
}

// loops draws the names of the targets of loops.
func (p *pen) loops(x int, names []string) int {
	used := 0
	for _, name := range names {
		used += p.put(x+used, p.loop()+" "+name, InkDim) + 2
	}
	return used
}

// loop returns the sign of an edge that leads back.
func (p *pen) loop() string { return words.SignLoop.Text(p.ascii) }

// nodeName returns the name of a node, safe for a terminal.
func nodeName(g *Graph, v int32) string { return head(g.Nodes[v].Name, longestName) }

// longestName is the maximum width of a name in any view.
const longestName = 200

// head returns at least the first columns of a text, safe for a terminal. It does not read all of a long command.
func head(text string, columns int) string { return plain.Line(beginning(text, columns)) }

// commandHead returns the first columns of a command, with a sign for each line end.
func commandHead(text string, columns int, ascii bool) string {
	return plain.Command(beginning(text, columns), ascii)
}

func beginning(text string, columns int) string {
	return text[:min(len(text), 8*columns+64)]
}
