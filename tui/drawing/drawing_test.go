package drawing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestDrawingInASCIIIsASCII: If all names are in ASCII, so is the whole drawing.
func TestDrawingInASCIIIsASCII(t *testing.T) {
	g := irregular(40, 5)
	running(g)
	for i := range g.Nodes {
		g.Nodes[i].State = State(i % int(states))
	}
	g.Edges = append(g.Edges, Edge{From: 30, To: 3, NonBlocking: true}, Edge{From: 2, To: 9, NonBlocking: true})
	for i := range g.Edges {
		g.Edges[i].Marked, g.Edges[i].Dead = i%3 == 0, i%3 == 1
	}
	for view := List; view <= Chart; view++ {
		for zoom := range zooms {
			l := New(g, Options{View: view, Zoom: zoom, Hidden: only(g, "f", "r", "p", "s")})
			for _, c := range fullGrid(l, Look{Width: 70, Height: 30, ASCII: true}).cells {
				if c.Text != "" && c.Text[0] >= 0x80 {
					t.Fatalf("%v, zoom %d: %q", view, zoom, c.Text)
				}
			}
		}
	}
}

// TestHiddenNodesKeepConnections: Nodes that are connected through hidden nodes stay connected, with as few lines as
// possible.
func TestHiddenNodesKeepConnections(t *testing.T) {
	//  0 → 1(hidden) → 2 → 3(hidden) → 4, 1 → 4, 4 ⇢ 5(hidden) → 0, 2 ⇢ 6(hidden) → 7
	g := &Graph{Nodes: make([]Node, 8)}
	for i := range g.Nodes {
		g.Nodes[i].ID = fmt.Sprint(i)
	}
	for _, e := range [][3]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 4}, {4, 5, 1}, {5, 0}, {2, 6, 1}, {6, 7}} {
		g.Edges = append(g.Edges, Edge{From: e[0], To: e[1], NonBlocking: e[2] == 1})
	}
	w, nodes, _ := contract(g, []bool{1: true, 3: true, 5: true, 6: true, 7: false})
	var got []string
	for _, a := range w.arcs {
		got = append(got, fmt.Sprintf("%d-%d via %v weak %v back %v", nodes[a.from], nodes[a.to], a.via, a.weak, a.back))
	}
	want := []string{"0-2 via true weak false back false", "2-4 via true weak false back false",
		"2-7 via true weak true back false", "4-0 via true weak true back true"}
	if !slices.Equal(got, want) {
		t.Errorf("arcs %q, want %q", got, want)
	}
}

func TestFirstView(t *testing.T) {
	for _, c := range []struct {
		name  string
		graph *Graph
		want  View
	}{
		{"nothing", &Graph{}, Chart},
		{"30 nodes", irregular(30, 7), Chart},
		{"pipeline of 99", pipeline(15), Chart},
		{"pipeline of 5,028", pipeline(831), Chart},
		{"more nodes than a graph shows", pipeline(1800), List},
	} {
		if _, got := First(c.graph, Options{}, 100, 40); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestFormsFit draws a workflow in panes of several sizes: the whole is in sight, in ever fewer boxes.
func TestFormsFit(t *testing.T) {
	g := pipeline(3)
	last := len(g.Nodes)
	for _, size := range []Point{{400, 60}, {130, 30}, {90, 20}, {60, 12}} {
		l := New(g, Options{View: Chart})
		l.Show(Look{Width: size.X, Height: size.Y})
		if w, h := l.Size(); w > size.X || h > size.Y {
			t.Errorf("in %v the graph has %dx%d", size, w, h)
		}
		boxes := len(l.Items())
		if boxes > last {
			t.Errorf("in %v there are %d boxes, in a larger pane %d", size, boxes, last)
		}
		last = boxes
	}
}

// TestPlacesInTheFileDecideTheOrder: A node that is above another one in the file is above it in the drawing. In
// files drawn from top to bottom, left in the file is above in the drawing.
func TestPlacesInTheFileDecideTheOrder(t *testing.T) {
	const down, right = false, true
	for _, flow := range []bool{down, right} {
		g := &Graph{}
		for i, across := range []float64{0, 300, 200, 100} {
			n := Node{ID: fmt.Sprint(i), Name: fmt.Sprint(i), Placed: true, X: across, Y: float64(min(i, 1)) * 1000}
			if flow == right {
				n.X, n.Y = n.Y, n.X
			}
			g.Nodes = append(g.Nodes, n)
			if i > 0 {
				g.Edges = append(g.Edges, Edge{From: 0, To: i})
			}
		}
		l := New(g, Options{View: Chart, Zoom: Chips})
		l.Show(Look{Width: 80, Height: 20})
		var rows []int
		for i := 1; i < 4; i++ {
			rows = append(rows, l.Where(NodeItem(i)).Y)
		}
		if rows[0] <= rows[1] || rows[1] <= rows[2] {
			t.Errorf("rightwards %v: rows %v", flow, rows)
		}
	}
}

// TestCellsOfALineNameTheirEdge: The cells of a line that only one edge uses contain the number of the edge.
func TestCellsOfALineNameTheirEdge(t *testing.T) {
	found := map[int32]bool{}
	grid := fullGrid(New(chain(3), Options{View: Chart, Zoom: Chips}), Look{})
	for _, c := range grid.cells {
		found[c.Edge] = true
	}
	if !found[0] || !found[1] {
		t.Errorf("edges %v\n%s", found, grid)
	}
}

// TestBlockedSignDiffersFromLines: In ASCII, too, the sign of a blocked node differs from the lines beside it.
func TestBlockedSignDiffersFromLines(t *testing.T) {
	for _, signs := range [][16]string{asciis, asciiDashes, asciiDots} {
		if slices.Contains(signs[:], Blocked.Glyph(true)) {
			t.Errorf("%q is a line, too", Blocked.Glyph(true))
		}
	}
}

// TestStageShowsMarksOfFoldedNodes: A box shows that one of its nodes is marked.
func TestStageShowsMarksOfFoldedNodes(t *testing.T) {
	g := pipeline(5)
	for i := range g.Nodes {
		if !strings.HasPrefix(g.Nodes[i].Name, "trim_") {
			continue
		}
		for _, mark := range []bool{false, true} {
			g.Nodes[i].Marked = mark
			l := New(g, Options{View: Chart, Zoom: Stages})
			marked := 0
			for _, c := range fullGrid(l, Look{Width: 80, Height: 20}).cells {
				if c.Style.Mods&Marked != 0 {
					marked++
				}
			}
			if (marked > 0) != mark {
				t.Errorf("%s is marked: %v, and %d cells are", g.Nodes[i].Name, mark, marked)
			}
		}
		break
	}
}
