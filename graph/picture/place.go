package picture

import (
	"math"
	"slices"
)

// A placer computes the positions of the points of a band across its layers. Alternating from both sides, it moves each
// layer as near to the middle of its neighbours as its order and the space between boxes allow.
type placer struct {
	*part
	layers [][]int32
	first  int32     // number of the first layer
	across []float64 // of the anchors, by point
	middle []float64 // by link: of its ends at one side

	// Buffers.
	blocks  []block
	offsets []float64 // by place in a layer: from the first point, tightly packed
	places  []float64
}

// A block is neighbours in a layer that touch. They are where their mean wish is.
type block struct {
	wish, weight float64
	size         int
}

// settle computes at, from 0 in each band, and the height of the boxes of the bands.
func (c *part) settle() {
	for _, b := range c.bands {
		p := &placer{part: c, layers: c.layers[b.first:b.last], first: c.level.layers.Points[c.layers[b.first][0]].Layer, across: c.float, middle: c.middle}
		p.settleAll()
		across := c.float
		least, most := math.Inf(1), math.Inf(-1)
		for _, layer := range p.layers {
			for _, q := range layer {
				start := math.Floor(across[q]+0.5) - float64(c.anchor[q])
				least, most = min(least, start), max(most, start+float64(c.wide[q]))
				c.at[q] = int(start)
			}
		}
		for _, layer := range p.layers {
			for _, q := range layer {
				c.at[q] -= int(least)
			}
		}
		b.top, b.height = 0, int(most-least)
	}
}

// place puts the bands below each other.
func (c *part) place() {
	top := 0
	for _, b := range c.bands {
		for _, layer := range c.layers[b.first:b.last] {
			for _, q := range layer {
				c.at[q] += top - b.top
			}
		}
		b.top = top
		top += b.height + b.spare
		if b.lanes > 0 {
			top += b.lanes*c.lanePitch() + number(c.down)
		}
		if b != c.bands[len(c.bands)-1] {
			top += 1 + number(c.down)
		}
	}
	c.across = top
}

// manyPoints is the number of points from which more rounds would take longer than they are worth.
const manyPoints = 3000

func (p *placer) settleAll() {
	for _, layer := range p.layers {
		for k, q := range layer[1:] {
			p.across[q] = p.across[layer[k]] + float64(p.apart(layer[k], q))
		}
	}
	rounds := 6
	if len(p.across) > manyPoints {
		rounds = 2
	}
	for range rounds {
		for _, layer := range p.layers[1:] {
			p.settle(layer, true)
		}
		for i := len(p.layers) - 2; i >= 0; i-- {
			p.settle(p.layers[i], false)
		}
	}
}

// apart returns the least distance between the anchors of neighbours in a layer.
func (p *placer) apart(a, b int32) int {
	return p.wide[a] - p.anchor[a] + p.minGap(a, b) + p.anchor[b]
}

// settle moves the points of a layer as near to their desired positions as possible: it minimizes the weighted sum of
// squared deviations for this order and these distances. This is isotonic regression: neighbours that would overlap
// become a block, which is put at the weighted mean of their positions.
func (p *placer) settle(layer []int32, left bool) {
	p.findMiddles(layer, left)
	blocks, offsets := p.blocks[:0], p.offsets[:0]
	for k, q := range layer {
		offset := 0.0
		if k > 0 {
			offset = offsets[k-1] + float64(p.apart(layer[k-1], q))
		}
		offsets = append(offsets, offset)
		wish, weight := p.wish(q, left)
		b := block{wish - offset, weight, 1}
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
	p.blocks, p.offsets = blocks, offsets
}

// inside reports whether the layer on one side of a point belongs to the band.
func (p *placer) inside(q int32, left bool) bool {
	layer := p.level.layers.Points[q].Layer - p.first
	if left {
		return layer > 0
	}
	return int(layer) < len(p.layers)-1
}

// findMiddles computes the middles of the links at one side of a layer.
func (p *placer) findMiddles(layer []int32, left bool) {
	last := int32(-1)
	for _, q := range layer {
		for _, n := range p.level.layers.Points[q].LinksAt(left) {
			if n == last {
				continue
			}
			last = n
			ends := p.level.layers.Links[n].Left
			if !left {
				ends = p.level.layers.Links[n].Right
			}
			sum := 0.0
			for _, e := range ends {
				sum += p.across[e]
			}
			p.middle[n] = sum / float64(len(ends))
		}
	}
}

// near returns the mean position of what a point is joined with on one side, or its own if that is nothing.
func (p *placer) near(q int32, left bool) float64 {
	links := p.level.layers.Points[q].LinksAt(left)
	if len(links) == 0 || !p.inside(q, left) {
		return p.across[q]
	}
	sum, n := 0.0, 0
	for _, link := range links {
		ends := p.level.layers.Links[link].Left
		if !left {
			ends = p.level.layers.Links[link].Right
		}
		for _, e := range ends {
			sum += p.across[e]
			n++
		}
	}
	return sum / float64(n)
}

// wish returns the desired position of a point, the median of its links on one side, and its weight, which is large for
// the points of a long line to keep it straight.
func (p *placer) wish(q int32, left bool) (wish, weight float64) {
	x := &p.level.layers.Points[q]
	links := x.LinksAt(left)
	if len(links) == 0 || !p.inside(q, left) {
		return p.near(q, !left), 0.1
	}
	if len(links) == 1 {
		wish = p.middle[links[0]]
	} else {
		places := p.places[:0]
		for _, n := range links {
			places = append(places, p.middle[n])
		}
		slices.Sort(places)
		p.places = places
		wish = places[(len(places)-1)/2] // of two middle ones the upper, so that one line is straight
	}
	if x.Vertex < 0 {
		return wish, 8
	}
	return wish, 1
}
