package layered

import (
	"cmp"
	"slices"

	"wf/graph/components"
)

// A Bundle is a set of arcs that are drawn as one line with branches. Each of its sources leads to each of its
// targets, which are all in later layers. A long bundle passes the layers in between only once, for all its arcs.
type Bundle struct{ Sources, Targets []int32 }

// A Point is a position in a layer: of a vertex, or of a passing bundle.
type Point struct {
	Vertex      int32 // -1 = a passing bundle
	Layer       int32
	Part        int32   // number of its component
	Left, Right []int32 // links that end here from the layer before, and that start here to the layer after
}

// A Link is the part of a bundle between two neighbouring layers. It joins each left end with each right end.
type Link struct {
	Bundle      int32
	Layer       int32   // of its left ends
	Left, Right []int32 // points
}

// Layers is a graph in layers, from left to right, without coordinates. The points of a component are neighbours in
// each layer.
type Layers struct {
	Points  []Point // the points of vertices come first
	Links   []Link
	First   []int32   // by bundle: its first link; the others follow, one per layer that it passes; last, len(Links)
	Order   [][]int32 // points by layer, from top to bottom
	Pos     []int32   // by point: its position in its layer
	Between [][]int32 // links by the layer of their left ends
	Parts   int       // number of components, which are numbered in the order of their first vertices
}

// New puts vertices into the layers that Rank returned, and orders each layer so that few lines cross. across
// contains the position of each vertex across the layers in an earlier drawing, which decides where there is a
// choice; nil = not known.
func New(rank []int32, bundles []Bundle, across []float64) *Layers {
	l := &Layers{First: make([]int32, len(bundles)+1)}
	if len(rank) == 0 {
		return l
	}
	layers := slices.Max(rank) + 1
	l.Order, l.Between = make([][]int32, layers), make([][]int32, layers)
	links := int32(0)
	for i := range bundles {
		l.First[i] = links
		from, to := bundles[i].span(rank)
		links += to - from
	}
	l.First[len(bundles)] = links
	l.Links = make([]Link, links)
	l.Points = make([]Point, len(rank), len(rank)+int(links))
	for v, layer := range rank {
		l.Points[v] = Point{Vertex: int32(v), Layer: layer}
	}
	c := cutter{Layers: l}
	for i := range bundles {
		c.cut(int32(i), &bundles[i], rank)
	}
	l.components()
	l.Pos = make([]int32, len(l.Points))
	l.uncross(len(rank), across)
	return l
}

// span returns the layers of the first source and the last target of a bundle.
func (b *Bundle) span(rank []int32) (first, last int32) {
	first = rank[b.Sources[0]]
	for _, s := range b.Sources {
		first = min(first, rank[s])
	}
	for _, t := range b.Targets {
		last = max(last, rank[t])
	}
	return first, last
}

// A cutter cuts bundles into links.
type cutter struct {
	*Layers
	spare []int32 // memory for lists of one number
}

// cut creates the links of a bundle, and its points in the layers that it passes.
func (c *cutter) cut(i int32, b *Bundle, rank []int32) {
	first, last := b.span(rank)
	at := c.First[i] - first // plus a layer: number of the link after it
	for layer := first; layer < last; layer++ {
		c.Links[at+layer] = Link{Bundle: i, Layer: layer}
		c.Between[layer] = append(c.Between[layer], at+layer)
	}
	leave := func(p, layer int32) {
		c.add(&c.Links[at+layer].Left, p)
		c.add(&c.Points[p].Right, at+layer)
	}
	enter := func(p, layer int32) {
		c.add(&c.Links[at+layer-1].Right, p)
		c.add(&c.Points[p].Left, at+layer-1)
	}
	for _, s := range b.Sources {
		leave(s, rank[s])
	}
	for _, t := range b.Targets {
		enter(t, rank[t])
	}
	for layer := first + 1; layer < last; layer++ {
		p := int32(len(c.Points))
		c.Points = append(c.Points, Point{Vertex: -1, Layer: layer})
		enter(p, layer)
		leave(p, layer)
	}
}

// add appends a number to a list. Most lists have one.
func (c *cutter) add(list *[]int32, n int32) {
	if *list != nil {
		*list = append(*list, n)
		return
	}
	if len(c.spare) == 0 {
		c.spare = make([]int32, 1024)
	}
	c.spare[0] = n
	*list, c.spare = c.spare[:1:1], c.spare[1:]
}

// components numbers the connected parts.
func (l *Layers) components() {
	part, count := components.Connected(len(l.Points), func(yield func(a, b int32) bool) {
		for i := range l.Links {
			first := l.Links[i].Left[0]
			for _, ends := range [2][]int32{l.Links[i].Left, l.Links[i].Right} {
				for _, p := range ends {
					if !yield(first, p) {
						return
					}
				}
			}
		}
	})
	for p := range l.Points {
		l.Points[p].Part = part[p]
	}
	l.Parts = count
}

// walk puts the points into their layers in the order of a depth-first walk along the links, which keeps connected
// points near each other. It begins at the vertices without sources, in the order of the file, or by layers. It does
// not recurse, because chains may be long.
func (l *Layers) walk(size int, across []float64, byLayer bool) {
	sortByFile := func(points []int32) {
		if across != nil {
			slices.SortStableFunc(points, func(a, b int32) int {
				if int(a) >= size || int(b) >= size {
					return 0
				}
				return cmp.Compare(across[a], across[b])
			})
		}
	}
	var roots []int32
	for v := range int32(size) {
		if len(l.Points[v].Left) == 0 {
			roots = append(roots, v)
		}
	}
	sortByFile(roots)
	slices.SortStableFunc(roots, func(a, b int32) int {
		if c := cmp.Compare(l.Points[a].Part, l.Points[b].Part); c != 0 || !byLayer {
			return c
		}
		return cmp.Compare(l.Points[a].Layer, l.Points[b].Layer)
	})
	for i := range l.Order {
		l.Order[i] = l.Order[i][:0]
	}
	seen, passed := make([]bool, len(l.Points)), make([]bool, len(l.Links))
	var stack, next []int32
	for _, root := range roots {
		stack = append(stack[:0], root)
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[v] {
				continue
			}
			seen[v] = true
			p := &l.Points[v]
			l.Pos[v] = int32(len(l.Order[p.Layer]))
			l.Order[p.Layer] = append(l.Order[p.Layer], v)
			next = next[:0]
			for _, n := range p.Right {
				if !passed[n] {
					passed[n] = true
					next = append(next, l.Links[n].Right...)
				}
			}
			sortByFile(next)
			slices.Reverse(next)
			stack = append(stack, next...)
		}
	}
}
