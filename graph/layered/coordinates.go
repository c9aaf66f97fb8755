package layered

import (
	"math"
	"slices"
)

// place computes the position of every vertex across the direction. Alternating from both sides, each layer
// is moved as near to the middle of its neighbours as its order and the space between nodes allow.
func (c *component) place(o Options) {
	for _, layer := range c.layers {
		at := 0.0
		for k, v := range layer {
			if k > 0 {
				at += c.apart(layer[k-1], v, o)
			}
			c.verts[v].across = at
		}
	}
	for range sweeps / 2 {
		for i := 1; i < len(c.layers); i++ {
			c.settle(c.layers[i], func(v *vertex) []int { return v.in }, o)
		}
		for i := len(c.layers) - 2; i >= 0; i-- {
			c.settle(c.layers[i], func(v *vertex) []int { return v.out }, o)
		}
	}
	c.align()
}

// apart returns the distance between the middles of neighbours in a layer. Points of edges need less space.
func (c *component) apart(a, b int, o Options) float64 {
	width := func(v int) float64 {
		if c.verts[v].node < 0 {
			return o.Space / 2
		}
		return o.Width
	}
	return (width(a)+width(b))/2 + o.Space
}

// settle moves the vertices of a layer as near to their desired positions as possible: it minimizes the
// weighted sum of squared deviations for this order and these distances. This is isotonic regression:
// neighbours that would overlap become a block, which is put at the weighted mean of their positions.
func (c *component) settle(layer []int, side func(*vertex) []int, o Options) {
	type block struct {
		wish, weight float64
		size         int
	}
	var blocks []block
	offsets := make([]float64, len(layer)) // from the first of the layer, tightly packed
	for k, i := range layer {
		v := &c.verts[i]
		if k > 0 {
			offsets[k] = offsets[k-1] + c.apart(layer[k-1], i, o)
		}
		wish, weight := c.middle(v, side(v))
		b := block{wish - offsets[k], weight, 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].wish >= b.wish {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			sum := last.weight + b.weight
			b = block{(last.wish*last.weight + b.wish*b.weight) / sum, sum, last.size + b.size}
		}
		blocks = append(blocks, b)
	}
	k := 0
	for _, b := range blocks {
		for range b.size {
			c.verts[layer[k]].across = b.wish + offsets[k]
			k++
		}
	}
}

// middle returns the desired position of a vertex, the median of its neighbours, and its weight, which is
// large for the points of a long edge to keep it straight.
func (c *component) middle(v *vertex, near []int) (wish, weight float64) {
	if len(near) == 0 {
		return v.across, 0.1
	}
	places := make([]float64, len(near))
	for i, u := range near {
		places[i] = c.verts[u].across
	}
	slices.Sort(places)
	wish = (places[(len(places)-1)/2] + places[len(places)/2]) / 2
	if v.straight {
		return wish, 8
	}
	return wish, 1
}

// align moves the component so that nothing is negative.
func (c *component) align() {
	least := math.Inf(1)
	for i := range c.verts {
		least = min(least, c.verts[i].across)
	}
	for i := range c.verts {
		c.verts[i].across -= least
	}
}

// size returns the size of a component.
func (c *component) size(o Options) Point {
	most := 0.0
	for i := range c.verts {
		most = max(most, c.verts[i].across)
	}
	layers := float64(len(c.layers))
	return Point{layers*o.Length + (layers-1)*o.Gap, most + o.Width}
}

// copyTo writes the positions of the component into a drawing, as if it were alone.
func (c *component) copyTo(d *Drawing, o Options) {
	along := func(v *vertex) float64 { return float64(v.layer) * (o.Length + o.Gap) }
	for i := range c.verts {
		if v := &c.verts[i]; v.node >= 0 {
			d.Nodes[v.node] = Point{along(v), v.across}
			d.Layer[v.node] = v.layer
		}
	}
	for _, i := range c.links {
		var points []Point
		path := c.routes[i]
		for k, at := range path {
			v := &c.verts[at]
			middle := v.across + o.Width/2
			if k > 0 {
				points = append(points, Point{along(v), middle})
			}
			if k < len(path)-1 {
				points = append(points, Point{along(v) + o.Length, middle})
			}
		}
		if c.g.links[i].turned {
			slices.Reverse(points)
		}
		d.Edges[c.g.links[i].edge] = points
	}
}

// A packer puts components next to each other, in shelves along the direction of the edges.
type packer struct{ parts []part }

type part struct {
	nodes, edges []int
	size         Point
}

func (p *packer) add(nodes, edges []int, size Point) {
	p.parts = append(p.parts, part{nodes, edges, size})
}

// pack moves the components to their positions and returns the total size. Shelves follow each other across
// the direction. Short components may share a shelf, so that many small ones make a block and not a line.
func (p *packer) pack(d *Drawing, o Options) Point {
	length, area := 0.0, 0.0
	for _, c := range p.parts {
		length = max(length, c.size.Along)
		area += (c.size.Along + o.Gap) * (c.size.Across + o.Space)
	}
	length = max(length, math.Sqrt(area))
	var at, far Point
	shelf := 0.0 // width of the current one
	for _, c := range p.parts {
		if at.Along > 0 && at.Along+c.size.Along > length {
			at, shelf = Point{0, at.Across + shelf + o.Space}, 0
		}
		for _, v := range c.nodes {
			d.Nodes[v].Along += at.Along
			d.Nodes[v].Across += at.Across
		}
		for _, e := range c.edges {
			for i := range d.Edges[e] {
				d.Edges[e][i].Along += at.Along
				d.Edges[e][i].Across += at.Across
			}
		}
		far = Point{max(far.Along, at.Along+c.size.Along), max(far.Across, at.Across+c.size.Across)}
		shelf = max(shelf, c.size.Across)
		at.Along += c.size.Along + o.Gap
	}
	return far
}
