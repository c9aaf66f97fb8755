package drawing

import (
	"sort"
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"wf/tui/cells"
	"wf/tui/words"
)

// A Row is a line below the row of a node, for example an instance. Rows may be added, removed and reordered between
// pictures.
type Row struct {
	Node      int    // number of the node in the graph
	Key       string // unique in the graph, and not the key of a node
	Depth     int    // 0 = directly below the node
	State     State
	Note      Note   // except for NoNote, Name is a remark and there is no state
	Name      string // may contain anything
	Detail    string
	Marked    bool
	Instances *Instances // nil = none
}

// A Note is the meaning of a row that is not an instance or a node.
type Note uint8

// The notes.
const (
	NoNote Note = iota
	More        // there are more rows
	Model       // the template of the node's instances
)

// sign returns the sign before a note.
func (n Note) sign(ascii bool) string {
	if n == Model {
		return words.SignEach.Text(ascii) + " "
	}
	return cells.Either(ascii, "... ", "… ")
}

// Instances counts the instances of a node.
type Instances struct {
	Total  int // 0 = not known yet
	Counts Counts
}

// rowsOf returns the range of Graph.Rows that belongs to a node.
func (g *Graph) rowsOf(v int32) (from, to int) {
	if len(g.Rows) == 0 {
		return 0, 0
	}
	from = sort.Search(len(g.Rows), func(i int) bool { return g.Rows[i].Node >= int(v) })
	for to = from; to < len(g.Rows) && g.Rows[to].Node == int(v); {
		to++
	}
	return from, to
}

// row returns the row of an item, or nil.
func (g *Graph) row(item Item) *Row {
	if item.Kind != ARow || item.Index < 0 || int(item.Index) >= len(g.Rows) {
		return nil
	}
	return &g.Rows[item.Index]
}

// owner returns the item of the node that a row belongs to. It returns other items unchanged.
func (g *Graph) owner(item Item) Item {
	if r := g.row(item); r != nil {
		return NodeItem(r.Node)
	}
	return item
}

// text returns the start of the counts: "3/10", or the number of started instances if the total is unknown.
func (t *Instances) text() string {
	done := strconv.Itoa(t.Counts.Done())
	if t.Total > 0 {
		return done + "/" + strconv.Itoa(t.Total)
	}
	return done + "/" + strconv.Itoa(t.Counts.Total()) + "+"
}

// notableStates are the states that are counted, the most severe first.
var notableStates = [...]State{Failed, Waiting, Running, Retrying, Cancelled}

// instances draws the number of successful instances, the total, and the numbers of notable states.
func (p *pen) instances(x int, t *Instances) int {
	used := p.put(x, t.text(), InkDim)
	for _, state := range notableStates {
		if n := t.Counts[state]; n > 0 {
			used += 1 + p.put(x+used+1, state.Glyph(p.ascii)+strconv.Itoa(n), InkOf(state))
		}
	}
	return used
}

// summary returns the counts as text.
func (t *Instances) summary(ascii bool) string {
	text := t.text()
	for _, state := range notableStates {
		if n := t.Counts[state]; n > 0 {
			text += " " + state.Glyph(ascii) + strconv.Itoa(n)
		}
	}
	return text
}

// columns returns the width of the drawn counts.
func (t *Instances) columns() int { return ansi.StringWidth(t.summary(false)) }

// inner draws a row below that of its node, in at most room columns.
func (p *pen) inner(x int, r *Row, room int) {
	end := min(x+room, p.grid.Width)
	x += 2 * r.Depth
	put := func(text string, ink Ink) {
		if x < end {
			x += p.grid.Put(x, p.y, cells.Clip(text, end-x, p.ascii), end-x, Style{ink, p.mods}, p.item)
		}
	}
	if r.Marked {
		p.mods |= Marked
	}
	if r.Note != NoNote {
		put(r.Note.sign(p.ascii)+commandHead(r.Name, max(end-x, 0), p.ascii), InkDim)
		return
	}
	put(r.State.Glyph(p.ascii)+" ", InkOf(r.State))
	put(cells.ClipMiddle(head(r.Name, longestName), max(end-x, 0), p.ascii), nameInk(r.State))
	x += 2
	if r.Instances != nil && x+r.Instances.columns() < end {
		x += p.instances(x, r.Instances) + 2
	}
	put(head(r.Detail, max(end-x, 0)), detailInk(r.State))
}

// detailInk returns the ink of a detail, which stands out if somebody must do something.
func detailInk(s State) Ink {
	if s.needsPerson() {
		return InkOf(s)
	}
	return InkDim
}

// nameInk returns the ink of a name, which is dim for a skipped node.
func nameInk(s State) Ink {
	if s == Skipped {
		return InkDim
	}
	return InkText
}
