package drawing

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// repeated returns a workflow with two nodes that contain others, and rows below them.
func repeated() *Graph {
	g := &Graph{
		Nodes: []Node{{ID: "prep", Name: "prep", Command: "./prep", State: OK},
			{ID: "each", Name: "each", State: Failed, Folds: true, Detail: "running 12s", Instances: &Instances{Total: 10, Counts: Counts{OK: 3, Failed: 1, Running: 2}}},
			{ID: "t", Name: "t", Command: "trim", Inside: true}, {ID: "u", Name: "u", Command: "upload", Inside: true},
			{ID: "big", Name: "big", Command: "./big", State: OK}, {ID: "small", Name: "small", Command: "./small", State: Skipped},
			{ID: "loop", Name: "loop", State: Running, Folds: true, Instances: &Instances{Counts: Counts{OK: 2, Running: 1}}},
			{ID: "done", Name: "done", Command: "./done"}},
		Edges: []Edge{{From: 0, To: 1}, {From: 2, To: 3}, {From: 0, To: 4, When: "case:big"}, {From: 0, To: 5, When: "case:small", Dead: true},
			{From: 4, To: 6, When: "if:nodes.big.outputs.size > 3"}, {From: 1, To: 7, When: "done"}, {From: 6, To: 7}},
	}
	g.Rows = []Row{{Node: 1, Key: "in t", Note: Model, Name: "t trim"}, {Node: 1, Key: "in each[2]", State: Failed, Name: "each[2]", Detail: "1 failed"},
		{Node: 1, Key: "in each[2]/t", Depth: 1, State: Failed, Name: "t", Detail: "exit 1 after 0.8s"},
		{Node: 1, Key: "in each[0]", State: OK, Name: "each[0]", Detail: "2 ok", Marked: true},
		{Node: 1, Key: "more", Note: More, Name: "5 after"}, {Node: 6, Key: "in loop[0]", State: OK, Name: "loop[0]", Instances: &Instances{Total: 4, Counts: Counts{OK: 4}}}}
	return g
}

func TestRowsMatchGoldenFiles(t *testing.T) {
	for view := List; view <= Chart; view++ {
		t.Run(view.String(), func(t *testing.T) { golden(t, "testdata/rows."+view.String()+".golden", screens(repeated(), view)) })
	}
}

// TestEveryRowIsAnItem: In each view, every row can be found, selected, named and left.
func TestEveryRowIsAnItem(t *testing.T) {
	for _, o := range []Options{{View: List}, {View: Chart}, {View: Chart, Zoom: Cards}, {View: Chart, Zoom: Chips}, {View: Chart, Zoom: Signs}, {View: Chart, Zoom: Stages}} {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			g := repeated()
			l := New(g, o)
			look := Look{Width: 100, Height: 40, Selected: Item{ARow, 2}}
			text := fullGrid(l, look).String()
			rows := 0
			for i, row := range g.Rows {
				item := Item{ARow, int32(i)}
				if l.Key(item) != row.Key || len(l.Nodes(item)) != 1 || l.Nodes(item)[0] != row.Node {
					t.Errorf("row %d is %q of %v", i, l.Key(item), l.Nodes(item))
				}
				if l.Seen(item) != item {
					if l.Seen(item) == Nothing {
						t.Errorf("row %d is shown by nothing", i)
					}
					continue
				}
				rows++
				r := l.Where(item)
				if got := l.At(Point{r.X + 1, r.Y}); got != item {
					t.Errorf("at the place of row %d is %v", i, got)
				}
				if !strings.Contains(strings.Split(text, "\n")[r.Y], row.Name) {
					t.Errorf("row %d is not where it is said to be:\n%s", i, text)
				}
				if to := l.Move(item, Up); to == item {
					t.Errorf("nothing is above row %d", i)
				}
			}
			if rows != len(g.Rows) {
				t.Errorf("%d rows, want %d", rows, len(g.Rows))
			}
			g.Rows = g.Rows[:1] // the next picture has other rows
			l.Show(look)
			l.Draw(NewGrid(100, 40), Point{})
			if seen := l.Seen(Item{ARow, 2}); seen == (Item{ARow, 2}) {
				t.Error("a row that has gone is seen")
			}
		})
	}
}

// TestArrowsPassThroughRows: In the graph, too, the way from one chip to another leads through the rows between them.
func TestArrowsPassThroughRows(t *testing.T) {
	l := New(repeated(), Options{View: Chart, Zoom: Chips})
	l.Show(Look{Width: 100, Height: 40})
	way := []Item{NodeItem(1), {ARow, 0}, {ARow, 1}, {ARow, 2}, {ARow, 3}, {ARow, 4}}
	for i := range way[1:] {
		if got := l.Move(way[i], Down); got != way[i+1] {
			t.Errorf("down from %v: %v", way[i], got)
		}
		if got := l.Move(way[i+1], Up); got != way[i] {
			t.Errorf("up from %v: %v", way[i+1], got)
		}
	}
}

// TestRowsHaveDifferentPlaces: With any rows below any nodes, no two items share a place, and the arrow down leads
// from the first item of a list to the last.
func TestRowsHaveDifferentPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		for v := range g.Nodes {
			for k := range rapid.IntRange(0, 3).Draw(t, "rows") {
				g.Rows = append(g.Rows, Row{Node: v, Key: fmt.Sprint(v, "/", k), Name: "row", Depth: k % 2, Note: Note(k % 3)})
			}
		}
		for view := List; view <= Chart; view++ {
			l := New(g, Options{View: view})
			l.Show(Look{Width: 60, Height: 1000})
			taken := map[Point]Item{}
			for _, item := range l.Items() {
				r := l.Where(item)
				for y := r.Y; y < r.Y+r.H; y++ {
					for x := r.X; x < r.X+r.W; x++ {
						if other, found := taken[Point{x, y}]; found {
							t.Fatalf("%s: %v and %v are both at %d,%d", view, other, item, x, y)
						}
						taken[Point{x, y}] = item
					}
				}
			}
			if view == Chart || len(l.Items()) == 0 {
				continue
			}
			at := l.Items()[0]
			for range l.Items() {
				at = l.Move(at, Down)
			}
			if last := l.Items()[len(l.Items())-1]; at != last {
				t.Fatalf("%s: down leads to %v, not to %v", view, at, last)
			}
		}
	})
}
