package picture

import (
	"strconv"
	"testing"
)

// A dice is a small source of numbers that is the same everywhere.
type dice uint64

func (d *dice) below(n int) int {
	*d = *d*6364136223846793005 + 1442695040888963407
	return int(uint64(*d)>>33) % n
}

// layeredGraph is a graph of n vertices in layers of about wide, each with one or two sources in the layers before.
func layeredGraph(n, wide int, d *dice) ([]Vertex, []Edge) {
	vertices := make([]Vertex, n)
	var edges []Edge
	for v := range vertices {
		vertices[v] = Vertex{Name: "task " + strconv.Itoa(v), Command: "own" + strconv.Itoa(v%7) + "x y" + strconv.Itoa(v)}
		if first := v / wide * wide; first > 0 {
			edges = append(edges, Edge{From: first - wide + d.below(wide), To: v})
			if d.below(3) == 0 {
				edges = append(edges, Edge{From: d.below(first), To: v})
			}
		}
	}
	return vertices, edges
}

// TestAddingANodeMovesLittle: A node is added behind a random one. The measure is the share of pairs of the other boxes
// that change their order from left to right or from top to bottom.
func TestAddingANodeMovesLittle(t *testing.T) {
	d := dice(1)
	turned, pairs := 0, 0
	for range 200 {
		vertices, edges := layeredGraph(8+d.below(40), 2+d.below(5), &d)
		n := len(vertices)
		before := New(vertices, edges, Options{Whole: true})
		after := New(append(vertices, Vertex{Name: "new one"}), append(edges, Edge{From: d.below(n), To: n}), Options{Whole: true})
		for v := range n {
			for w := range v {
				a, b := before.Boxes[before.Box[v]], before.Boxes[before.Box[w]]
				x, y := after.Boxes[after.Box[v]], after.Boxes[after.Box[w]]
				pairs++
				if (a.X-b.X)*(x.X-y.X) < 0 || (a.Y-b.Y)*(x.Y-y.Y) < 0 {
					turned++
				}
			}
		}
	}
	share := float64(turned) / float64(pairs)
	t.Logf("%.1f %% of the pairs turn", 100*share)
	if share > 0.05 {
		t.Errorf("%.1f %% of the pairs change their order", 100*share)
	}
}

// BenchmarkLarge lays out 5,000 nodes: each with a box, and as stages in a pane.
func BenchmarkLarge(b *testing.B) {
	d := dice(2)
	vertices, edges := layeredGraph(5000, 250, &d)
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			New(vertices, edges, Options{Whole: true})
		}
	})
	b.Run("pane", func(b *testing.B) {
		for b.Loop() {
			New(vertices, edges, Options{Width: 120, Height: 35})
		}
	})
}
