package drawing

import (
	"fmt"
	"testing"
)

// large contains the graphs of the time budgets: 50 ms for a layout, 1 ms for a screen of 200x60.
var large = []struct {
	name string
	make func() *Graph
}{
	{"pipeline5028", func() *Graph { return pipeline(831) }},
	{"random5000", func() *Graph { return randomGraph(5000, 8000, 1) }},
	{"chain5000", func() *Graph { return chain(5000) }},
}

// chain returns a chain of n nodes with similar commands.
func chain(n int) *Graph { return chainOf(n, func(i int) string { return fmt.Sprintf("step_%d", i) }) }

// chainOf returns a chain of n nodes. The function name returns their names, which are also their commands.
func chainOf(n int, name func(int) string) *Graph {
	g := &Graph{}
	for i := range n {
		g.Nodes = append(g.Nodes, Node{ID: fmt.Sprint(i), Name: name(i), Command: name(i)})
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: i - 1, To: i})
		}
	}
	return g
}

func BenchmarkLayout(b *testing.B) {
	for _, graph := range large {
		g := graph.make()
		for view := List; view <= Chart; view++ {
			b.Run(graph.name+"/"+view.String(), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					New(g, Options{View: view}).Show(Look{Width: 200, Height: 60})
				}
			})
		}
	}
}

// BenchmarkFrame draws screens: with a lens, and of graphs in the form that fits and with a line for each node.
func BenchmarkFrame(b *testing.B) {
	for _, graph := range large {
		g := graph.make()
		running(g)
		grid := NewGrid(200, 60)
		for _, o := range []Options{{View: List}, {View: Chart}, {View: Chart, Zoom: Chips}} {
			l := New(g, o)
			look := Look{Width: 200, Height: 60, Selected: NodeItem(len(g.Nodes) / 2), Lens: true}
			b.Run(graph.name+"/"+o.View.String()+"/"+o.Zoom.String(), func(b *testing.B) {
				l.Show(look) // compute the layout
				b.ReportAllocs()
				for b.Loop() {
					l.Show(look)
					at := l.Where(look.Selected)
					l.Draw(grid, Point{max(at.X-100, 0), max(at.Y-30, 0)})
				}
			})
		}
	}
}
