package drawing

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// tangled is n nodes in all states, some in groups, with edges of every kind: twice between the same
// nodes, back without blocking, to themselves. cyclic adds blocking edges that lead back, too.
func tangled(n int, seed uint64, cyclic bool) *Graph {
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	g := &Graph{}
	for i := range n {
		node := Node{ID: fmt.Sprint(i), Name: fmt.Sprintf("n%d", i), Command: fmt.Sprintf("work%d --on %d", random.IntN(12), i), State: State(random.IntN(int(states)))}
		if random.IntN(10) == 0 {
			node.Group = fmt.Sprintf("container %d", random.IntN(8))
		}
		g.Nodes = append(g.Nodes, node)
	}
	for range n * 3 / 2 {
		a := random.IntN(n)
		b := min(n-1, a+random.IntN(80))
		e := Edge{From: a, To: b, NonBlocking: a == b}
		switch kind := random.IntN(40); {
		case kind == 0: // a loop
			e = Edge{From: b, To: a, NonBlocking: true}
		case kind == 1 && cyclic:
			e = Edge{From: b, To: a}
		case kind == 2:
			e.NonBlocking = true
			g.Edges = append(g.Edges, Edge{From: a, To: b, NonBlocking: a == b}, e)
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

// mostCells is the maximum size of a drawing that is checked cell by cell.
const mostCells = 2_000_000

// TestPropertiesHoldForLargeGraphs: Graphs of 5,000 nodes have the properties of all graphs, in every view.
func TestPropertiesHoldForLargeGraphs(t *testing.T) {
	if testing.Short() {
		t.Skip("draws 5,000 nodes")
	}
	graphs := map[string]*Graph{"pipeline": pipeline(831), "chain": chain(5000), "tangled": tangled(5000, 1, false), "circles": tangled(5000, 2, true)}
	for name, g := range graphs {
		for _, o := range []Options{{View: List}, {View: Chart}, {View: Chart, Zoom: Chips}, {View: Chart, Zoom: Signs}, {View: Chart, Zoom: Stages}} {
			for _, filtered := range []bool{false, true} {
				if o.Hidden = nil; filtered {
					o.Hidden = make([]bool, len(g.Nodes))
					for v := range o.Hidden {
						o.Hidden[v] = v%3 == 1
					}
				}
				t.Run(fmt.Sprintf("%s/%v,%v,%v", name, o.View, o.Zoom, filtered), func(t *testing.T) { checkLarge(t, g, o) })
			}
		}
	}
}

func checkLarge(t *testing.T, g *Graph, o Options) {
	l := New(g, o)
	look := Look{Width: 200, Height: 50, Selected: NodeItem(len(g.Nodes) / 2)}
	l.Show(look)
	grid := NewGrid(look.Width, look.Height)
	at := l.Where(look.Selected)
	from := Point{max(at.X-100, 0), max(at.Y-25, 0)}
	l.Draw(grid, from)
	checkCells(t, grid, false)
	again := New(g, o)
	again.Show(look)
	second := NewGrid(look.Width, look.Height)
	again.Draw(second, from)
	if second.String() != grid.String() {
		t.Fatalf("a second layout differs:\n%s\n%s", grid, second)
	}
	switch view := l.view.(type) {
	case *chart:
		checkEdgesAreThere(t, view)
		if width, height := l.Size(); width*height < mostCells {
			whole := fullGrid(l, look)
			checkApart(t, view)
			checkNothingHidden(t, view, whole)
			checkChartEdges(t, view, whole)
		}
	case *list:
		checkWeb(t, g, view.web, view.vertex)
		checkListEdges(t, view, fullGrid(l, Look{Width: 80, Selected: look.Selected}))
	}
}
