package drawing

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// someNames are difficult texts: wide, combining, empty, hostile.
var someNames = []string{"a", "align_S001", "名前が長い", "é́", "", "\x1b[31mred", "a\tb\nc", "👩‍👩‍👧 family", "x\u200by", "\u202eabc", "ﷺ", "🇩🇪🇫🇷", "\xff\xfe", "a_very_long_name_that_does_not_fit_into_any_chip"}

// anyGraph generates graphs, with loops and with several edges between the same nodes. Blocking edges
// lead to later nodes, as they must, but for some graphs, which cannot run, and are shown all the same.
func anyGraph(t *rapid.T) *Graph {
	g := &Graph{}
	n := rapid.IntRange(0, 30).Draw(t, "nodes")
	for i := range n {
		g.Nodes = append(g.Nodes, Node{
			ID: fmt.Sprint(i), Name: rapid.SampledFrom(someNames).Draw(t, "name"), Group: rapid.SampledFrom([]string{"", "", "", "g"}).Draw(t, "group"),
			Command: rapid.SampledFrom([]string{"a 1", "a 2", "b x/y", "c", ""}).Draw(t, "command"), State: State(rapid.IntRange(0, int(states)-1).Draw(t, "state")),
			X: float64(rapid.IntRange(0, 9).Draw(t, "x")), Y: float64(rapid.IntRange(0, 9).Draw(t, "y")), Placed: rapid.Bool().Draw(t, "placed"),
			Detail: rapid.SampledFrom([]string{"", "running 12s", "\x1b]0;x\x07"}).Draw(t, "detail"), Time: rapid.SampledFrom([]string{"", "12s", "longer than it may be"}).Draw(t, "time"),
		})
	}
	if n == 0 {
		return g
	}
	cannotRun := rapid.IntRange(0, 7).Draw(t, "cannot run") == 0
	for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
		e := Edge{From: rapid.IntRange(0, n-1).Draw(t, "from"), To: rapid.IntRange(0, n-1).Draw(t, "to"), NonBlocking: rapid.IntRange(0, 4).Draw(t, "weak") == 0,
			Marked: rapid.IntRange(0, 5).Draw(t, "token") == 0, Dead: rapid.IntRange(0, 5).Draw(t, "dead") == 0}
		if !e.NonBlocking && e.From >= e.To && !cannotRun {
			continue
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

func anyOptions(t *rapid.T, g *Graph) Options {
	o := Options{View: View(rapid.IntRange(0, 1).Draw(t, "view")), Zoom: Zoom(rapid.IntRange(0, int(zooms)-1).Draw(t, "zoom"))}
	if rapid.Bool().Draw(t, "filtered") {
		o.Hidden = rapid.SliceOfN(rapid.Bool(), len(g.Nodes), len(g.Nodes)).Draw(t, "hidden")
	}
	return o
}

func anyLook(t *rapid.T, g *Graph) Look {
	look := Look{Width: rapid.IntRange(0, 120).Draw(t, "width"), Height: rapid.IntRange(0, 40).Draw(t, "height"), ASCII: rapid.Bool().Draw(t, "ascii")}
	if n := len(g.Nodes); n > 0 && rapid.Bool().Draw(t, "select") {
		look.Selected = NodeItem(rapid.IntRange(0, n-1).Draw(t, "selected"))
		look.Expanded = map[string]bool{fmt.Sprint(rapid.IntRange(0, n-1).Draw(t, "expanded")): true}
		look.Lens = rapid.Bool().Draw(t, "lens")
	}
	return look
}

func TestPropertiesHoldForAnyGraph(t *testing.T) { rapid.Check(t, checkDrawing) }

func FuzzDrawing(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkDrawing)) }

// checkDrawing checks the properties of every graph, view and look.
func checkDrawing(t *rapid.T) {
	g := anyGraph(t)
	o, look := anyOptions(t, g), anyLook(t, g)
	l := New(g, o)
	l.Show(look)
	width, height := l.Size()
	if o.View != Chart {
		width = look.Width
	}
	grid := NewGrid(width, height)
	l.Draw(grid, Point{})
	checkCells(t, grid, look.ASCII)
	checkSame(t, g, o, look, grid)
	checkPart(t, l, grid)
	checkItems(t, l, g, o, grid)
	switch view := l.view.(type) {
	case *chart:
		checkEdgesAreThere(t, view)
		checkApart(t, view)
		checkNothingHidden(t, view, grid)
		checkLens(t, view, grid)
		if !look.ASCII {
			checkChartEdges(t, view, grid)
		}
	case *list:
		checkWeb(t, g, view.web, view.vertex)
		if !look.ASCII && width > 2*starColumns+8 {
			checkListEdges(t, view, grid)
			checkNearLanes(t, view, grid)
			view.lanes = crowdedLanes(view.web, view.place) // few random graphs are crowded
			for v := range g.Nodes {
				look.Selected = NodeItem(v)
				checkStar(t, view, fullGrid(l, look))
			}
		}
	}
}

// wipe removes the lines that are not bright, except for the signs on them.
func wipe(grid *Grid) {
	for y := range grid.Height {
		row := grid.Row(y)
		for x := range row {
			if c := &row[x]; c.Style.Mods&(Line|Near|Token) == Line && c.Text != "╳" && c.Text != "•" {
				*c = blank
			}
		}
	}
}

// checkNearLanes demands that the bright lanes lead from the selected row to all it leads to, and to it
// from all that lead to it.
func checkNearLanes(t *rapid.T, l *list, grid *Grid) {
	item := l.seen(l.look.Selected)
	if item == Nothing {
		return
	}
	wipe(grid)
	if l.lanes.star != nil {
		checkStar(t, l, grid)
		return
	}
	selected := l.vertex[item.Index]
	for _, a := range l.web.arcs {
		if a.back || a.from != selected && a.to != selected {
			continue
		}
		r := l.place[a.from]
		x, y := 2*int(l.lanes.row(r).at), int(l.line[r])
		if !follow(grid, []cursor{{x + 1, y, 'E'}, {x - 1, y, 'W'}, {x, y + 1, 'S'}}, "SEW")[l.order[l.line[l.place[a.to]]]] {
			t.Fatalf("no bright lane leads from %q to %q:\n%s", l.names[r], l.names[l.place[a.to]], grid)
		}
	}
}

// checkCells demands that every cell holds one grapheme of its width, and that wide ones have room.
func checkCells(t fataler, grid *Grid, ascii bool) {
	for y := range grid.Height {
		row := grid.Row(y)
		for x, c := range row {
			if c.Text != "" && ansi.StringWidth(c.Text) != int(c.Width) {
				t.Fatalf("%q at %d,%d takes %d columns, not %d", c.Text, x, y, ansi.StringWidth(c.Text), c.Width)
			}
			if covered := x > 0 && row[x-1].Width == 2; covered != (c.Width == 0) {
				t.Fatalf("cell %d,%d has width %d behind %q", x, y, c.Width, row[max(x-1, 0)].Text)
			}
			if c.Width == 2 && x+1 == len(row) {
				t.Fatalf("%q at the end of row %d has no room", c.Text, y)
			}
			for _, r := range c.Text {
				if r < ' ' || r == 0x7f || r == 0x9b || r == 0x202e {
					t.Fatalf("control %q on the grid", r)
				}
				if _, line := ways[c.Text]; ascii && line {
					t.Fatalf("%q with ASCII only", c.Text)
				}
			}
		}
	}
}

// checkSame demands that the same input gives the same cells.
func checkSame(t fataler, g *Graph, o Options, look Look, want *Grid) {
	again := New(g, o)
	again.Show(look)
	grid := NewGrid(want.Width, want.Height)
	again.Draw(grid, Point{})
	for y := range grid.Height {
		if !reflect.DeepEqual(grid.Row(y), want.Row(y)) {
			t.Fatalf("a second layout differs in row %d:\n%s\n%s", y, want, grid)
		}
	}
}

// checkPart demands that a part of a drawing looks like the same part of the whole, but for wide
// graphemes at its rim.
func checkPart(t *rapid.T, l *Layout, whole *Grid) {
	if _, sideways := l.view.(*chart); !sideways {
		return
	}
	from := Point{rapid.IntRange(0, 30).Draw(t, "left"), rapid.IntRange(0, 10).Draw(t, "top")}
	part := NewGrid(rapid.IntRange(0, 40).Draw(t, "part width"), rapid.IntRange(0, 10).Draw(t, "part height"))
	l.Draw(part, from)
	for y := range part.Height {
		for x := range part.Width {
			got, want := part.At(x, y), whole.At(x+from.X, y+from.Y)
			if want == nil {
				want = &blank
			}
			if got.Text != want.Text && want.Width == 1 && got.Width == 1 && x > 0 && x+1 < part.Width {
				t.Fatalf("cell %d,%d of the part from %v is %q, not %q\n%s\n%s", x, y, from, got.Text, want.Text, whole, part)
			}
		}
	}
	checkCells(t, part, l.look.ASCII)
}

// checkItems demands that items are where they say, that arrow keys reach all of them, and that every node
// that is not hidden is shown by one.
func checkItems(t *rapid.T, l *Layout, g *Graph, o Options, grid *Grid) {
	items := l.Items()
	for i, item := range items {
		r := l.Where(item)
		if got := l.At(Point{r.X, r.Y}); got != item && grid.Width > 0 {
			t.Fatalf("at the place of %v is %v", item, got)
		}
		if l.Next(items[0], i) != item || l.Next(item, -i) != items[0] {
			t.Fatalf("%v is not the item %d of %v", item, i, items)
		}
		if len(l.Nodes(item)) == 0 || l.Key(item) == "" {
			t.Fatalf("%v stands for no nodes, or has no key", item)
		}
	}
	for v := range g.Nodes {
		hidden := o.Hidden != nil && o.Hidden[v]
		if seen := l.Seen(NodeItem(v)); (seen == Nothing) != hidden {
			t.Fatalf("node %d, hidden %v, is seen as %v", v, hidden, seen)
		}
	}
	checkMoves(t, l, items)
}

// checkMoves checks that the arrow keys reach all items.
func checkMoves(t *rapid.T, l *Layout, items []Item) {
	first := l.Move(Nothing, Down)
	if len(items) == 0 {
		if first != Nothing {
			t.Fatalf("in an empty drawing, a key leads to %v", first)
		}
		return
	}
	reached, todo := map[Item]bool{first: true}, []Item{first}
	for len(todo) > 0 {
		item := todo[0]
		todo = todo[1:]
		for d := Up; d <= Right; d++ {
			if next := l.Move(item, d); !reached[next] {
				reached[next] = true
				todo = append(todo, next)
			}
		}
	}
	for _, item := range items {
		if !reached[item] {
			t.Fatalf("arrow keys do not reach %v", item)
		}
	}
}
