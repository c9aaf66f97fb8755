package layered

import (
	"math"
	"slices"
)

// placer computes the positions of points across the layers.
type placer struct {
	*Layers
	Options
	across []float64 // by point
}

// place returns the position of every point across the layers, from 0 in each component, and the sizes of the
// components. Alternating from both sides, it moves each layer as near to the middle of its neighbours as its order
// and the space between nodes allow.
func (l *Layers) place(o Options) (across []float64, sizes []Position) {
	p := &placer{l, o, make([]float64, len(l.Points))}
	for _, layers := range l.byComponent() {
		for _, layer := range layers {
			for k, v := range layer[1:] {
				p.across[v] = p.across[layer[k]] + p.apart(layer[k], v)
			}
		}
		for range 6 {
			for _, layer := range layers[1:] {
				p.settle(layer, true)
			}
			for i := len(layers) - 2; i >= 0; i-- {
				p.settle(layers[i], false)
			}
		}
		sizes = append(sizes, p.align(layers))
	}
	return p.across, sizes
}

// byComponent returns the layers of each component.
func (l *Layers) byComponent() [][][]int32 {
	parts := make([][][]int32, l.Parts)
	for _, layer := range l.Order {
		for len(layer) > 0 {
			part := l.Points[layer[0]].Part
			n := slices.IndexFunc(layer, func(p int32) bool { return l.Points[p].Part != part })
			if n < 0 {
				n = len(layer)
			}
			parts[part] = append(parts[part], layer[:n])
			layer = layer[n:]
		}
	}
	return parts
}

// apart returns the distance between the middles of neighbours in a layer. Points of passing arcs need less space.
func (p *placer) apart(a, b int32) float64 {
	width := func(v int32) float64 {
		if p.Points[v].Vertex < 0 {
			return p.Space / 2
		}
		return p.Width
	}
	return (width(a)+width(b))/2 + p.Space
}

// settle moves the points of a layer as near to their desired positions as possible: it minimizes the weighted sum of
// squared deviations for this order and these distances. This is isotonic regression: neighbours that would overlap
// become a block, which is put at the weighted mean of their positions.
func (p *placer) settle(layer []int32, left bool) {
	type block struct {
		wish, weight float64
		size         int
	}
	var blocks []block
	offsets := make([]float64, len(layer)) // from the first of the layer, tightly packed
	for k, v := range layer {
		if k > 0 {
			offsets[k] = offsets[k-1] + p.apart(layer[k-1], v)
		}
		wish, weight := p.middle(v, left)
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
			p.across[layer[k]] = b.wish + offsets[k]
			k++
		}
	}
}

// middle returns the desired position of a point, the median of its neighbours on one side, and its weight, which is
// large for the points of a long arc to keep it straight.
func (p *placer) middle(v int32, left bool) (wish, weight float64) {
	x := &p.Points[v]
	links := x.LinksAt(left)
	if len(links) == 0 {
		return p.across[v], 0.1
	}
	places := make([]float64, len(links))
	for i, n := range links {
		places[i] = p.across[p.Links[n].ends(left)[0]]
	}
	slices.Sort(places)
	wish = (places[(len(places)-1)/2] + places[len(places)/2]) / 2
	if x.Vertex < 0 {
		return wish, 8
	}
	return wish, 1
}

// align moves a component so that nothing is negative and returns its size.
func (p *placer) align(layers [][]int32) Position {
	least, most := math.Inf(1), math.Inf(-1)
	for _, layer := range layers {
		least, most = min(least, p.across[layer[0]]), max(most, p.across[layer[len(layer)-1]])
	}
	for _, layer := range layers {
		for _, v := range layer {
			p.across[v] -= least
		}
	}
	n := float64(len(layers))
	return Position{n*p.Length + (n-1)*p.Gap, most - least + p.Width}
}

// pack puts components next to each other and returns their corners nearest to the origin, and the total size.
// Shelves along the direction of the arcs follow each other across it. Short components may share a shelf, so that
// many small ones make a block and not a line.
func pack(sizes []Position, o Options) (corners []Position, far Position) {
	length, area := 0.0, 0.0
	for _, s := range sizes {
		length = max(length, s.Along)
		area += (s.Along + o.Gap) * (s.Across + o.Space)
	}
	length = max(length, math.Sqrt(area))
	var at Position
	shelf := 0.0 // width of the current one
	for _, s := range sizes {
		if at.Along > 0 && at.Along+s.Along > length {
			at, shelf = Position{0, at.Across + shelf + o.Space}, 0
		}
		corners = append(corners, at)
		far = Position{max(far.Along, at.Along+s.Along), max(far.Across, at.Across+s.Across)}
		shelf = max(shelf, s.Across)
		at.Along += s.Along + o.Gap
	}
	return corners, far
}
