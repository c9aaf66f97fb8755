package layered

import (
	"cmp"
	"slices"
)

// A vertex is a node in its layer, or a point of a long edge in a layer between its ends.
type vertex struct {
	node     int // -1 for a point of an edge
	layer    int
	pos      int     // in its layer
	across   float64 // of its middle
	in, out  []int   // connected vertices in the layer before and after
	wish     float64 // desired position for sort
	straight bool    // a point of an edge, which should be straight
}

// A component is one connected part of the graph, with long edges cut into steps of one layer.
type component struct {
	g      *graph
	nodes  []int
	verts  []vertex
	layers [][]int
	edges  []int         // numbers of the edges in it
	routes map[int][]int // by number of a link: the vertices it passes, ends included
	links  []int
}

// component cuts the edges between nodes into steps. The initial order in the layers is the one in which a
// walk along the edges finds the vertices, which keeps connected vertices near each other.
func (g *graph) component(nodes []int) *component {
	c := &component{g: g, nodes: nodes, routes: map[int][]int{}}
	at := make(map[int]int, len(nodes))
	sorted := slices.SortedFunc(slices.Values(nodes), g.byLayer)
	first := g.layer[sorted[0]]
	for _, v := range sorted {
		g.layer[v] -= first
		at[v] = c.vertex(vertex{node: v, layer: g.layer[v]})
	}
	for _, v := range sorted {
		for _, i := range g.out[v] {
			c.route(i, at)
		}
	}
	c.layers = make([][]int, c.verts[at[sorted[len(sorted)-1]]].layer+1)
	c.walk()
	return c
}

func (c *component) vertex(v vertex) int {
	c.verts = append(c.verts, v)
	return len(c.verts) - 1
}

func (c *component) join(a, b int) {
	c.verts[a].out = append(c.verts[a].out, b)
	c.verts[b].in = append(c.verts[b].in, a)
}

// route cuts one link.
func (c *component) route(i int, at map[int]int) {
	l := &c.g.links[i]
	from, to := at[l.from], at[l.to]
	path := []int{from}
	for layer := c.verts[from].layer + 1; layer < c.verts[to].layer; layer++ {
		p := c.vertex(vertex{node: -1, layer: layer, straight: true})
		c.join(path[len(path)-1], p)
		path = append(path, p)
	}
	c.join(path[len(path)-1], to)
	c.routes[i] = append(path, to)
	c.links = append(c.links, i)
	c.edges = append(c.edges, l.edge)
}

// walk puts the vertices into their layers, depth first, without recursion: chains may be long.
func (c *component) walk() {
	seen := make([]bool, len(c.verts))
	for root := range c.verts {
		if len(c.verts[root].in) > 0 {
			continue
		}
		stack := []int{root}
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[v] {
				continue
			}
			seen[v] = true
			x := &c.verts[v]
			x.pos = len(c.layers[x.layer])
			c.layers[x.layer] = append(c.layers[x.layer], v)
			stack = append(stack, reversed(x.out)...)
		}
	}
}

func reversed(list []int) []int {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// sweeps is the number of passes over the layers. More passes hardly improve the result.
const sweeps = 12

// order searches for an order in the layers with few crossings: it repeatedly moves each vertex to the mean
// position of its neighbours, alternating between both sides.
func (c *component) order() {
	best, crossings := c.snapshot(), c.crossings()
	for sweep := 0; sweep < sweeps && crossings > 0; sweep++ {
		if sweep%2 == 0 {
			for i := 1; i < len(c.layers); i++ {
				c.sort(c.layers[i], func(v *vertex) []int { return v.in })
			}
		} else {
			for i := len(c.layers) - 2; i >= 0; i-- {
				c.sort(c.layers[i], func(v *vertex) []int { return v.out })
			}
		}
		if now := c.crossings(); now < crossings {
			best, crossings = c.snapshot(), now
		}
	}
	c.layers = best
	for _, layer := range c.layers {
		for pos, v := range layer {
			c.verts[v].pos = pos
		}
	}
}

func (c *component) snapshot() [][]int {
	copied := make([][]int, len(c.layers))
	for i, layer := range c.layers {
		copied[i] = slices.Clone(layer)
	}
	return copied
}

// sort orders a layer by the mean positions of the neighbours. Vertices without neighbours on that side keep
// their position.
func (c *component) sort(layer []int, side func(*vertex) []int) {
	for _, i := range layer {
		v := &c.verts[i]
		v.wish = float64(v.pos)
		if near := side(v); len(near) > 0 {
			sum := 0
			for _, u := range near {
				sum += c.verts[u].pos
			}
			v.wish = float64(sum) / float64(len(near))
		}
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(c.verts[a].wish, c.verts[b].wish) })
	for pos, i := range layer {
		c.verts[i].pos = pos
	}
}

// crossings counts the pairs of steps that cross, between all neighbouring layers. A step crosses the earlier
// steps that end further on; a Fenwick tree counts them.
func (c *component) crossings() int {
	total := 0
	for i := 1; i < len(c.layers); i++ {
		tree := make([]int, len(c.layers[i])+1)
		passed := 0
		for _, v := range c.layers[i-1] {
			for _, to := range c.verts[v].out {
				before := 0 // steps that end at this position or before
				for k := c.verts[to].pos + 1; k > 0; k -= k & -k {
					before += tree[k]
				}
				total += passed - before
			}
			for _, to := range c.verts[v].out {
				for k := c.verts[to].pos + 1; k < len(tree); k += k & -k {
					tree[k]++
				}
				passed++
			}
		}
	}
	return total
}
