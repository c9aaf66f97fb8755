package picture

import "slices"

// A plan is a level drawn in one form and direction. Its coordinates are along the direction of the edges and across
// it, until scene turns them into cells.
type plan struct {
	*level
	size
	shape

	texts  []texts // by box
	deep   []int   // by point: cells along
	wide   []int   // by point: cells across
	anchor []int   // by point: where lines prefer to meet it, from its start
	at     []int   // by point: its start across
	ins    [][]port
	outs   [][]port
	parts  []*part
	frames []Frame
	w, h   int

	// Buffers.
	float  []float64 // by point: positions across
	middle []float64 // by link
	seen   []int     // by link: the last round in which it was listed
	round  int
	memory memory
}

// A shape is how a plan uses its room.
type shape struct {
	down    bool // layers follow each other downwards
	snug    bool // no space between cards
	limit   int  // the most cells along, after which layers are wrapped; 0 = unlimited
	carried int  // the most lines from one band to the next
}

// A part is a component. Its coordinates begin at 0.
type part struct {
	*plan
	number        int
	layers        [][]int32
	bands         []*band
	margin        int // columns before the first layer for loops over several bands
	along, across int
	corner        Point // in the scene
	lanes         []lane
}

// A band is a row of layers; a component that is too long is wrapped into several.
type band struct {
	first, last int // layers, the last excluded
	top, height int // across: of the boxes
	spare       int // rows that detours need, below the boxes
	lanes       int // rows below these: for loops, and for lines to the next band
	used        int // of lanes
	channels    []*channel
	starts      []int // along, by layer of the band
	along       int
}

// A lane is a line along the direction of the layers at a row of its own, from a wire or a column to another wire.
type lane struct {
	net      int32
	row      int
	from, to *wire
	column   int // instead of one of the wires, if that is nil
}

// minGap returns the space across between two neighbouring points of a layer.
func (p *plan) minGap(a, b int32) int {
	boxes := number(p.layers.Points[a].Vertex >= 0) + number(p.layers.Points[b].Vertex >= 0)
	switch {
	case p.down && boxes == 2:
		return 2
	case p.down:
		return 1
	case p.form == Card && boxes == 2 && !p.snug:
		return 1
	}
	return 0
}

// lanePitch is the distance of lanes.
func (p *plan) lanePitch() int {
	if p.down {
		return 2
	}
	return 1
}

func newPlan(l *level, z size, sh shape) *plan {
	p := &plan{level: l, size: z, shape: sh}
	p.sizes()
	for i, layers := range l.parts {
		p.parts = append(p.parts, &part{plan: p, number: i, layers: layers})
	}
	return p
}

// arrange computes all positions.
func (p *plan) arrange(width int) {
	p.at = make([]int, len(p.layers.Points))
	p.float, p.middle, p.seen = make([]float64, len(p.layers.Points)), make([]float64, len(p.layers.Links)), make([]int, len(p.layers.Links))
	p.ins, p.outs = make([][]port, len(p.boxes)), make([][]port, len(p.boxes))
	for i, c := range p.parts {
		c.bands = []*band{{first: 0, last: len(c.layers)}}
		c.arrange()
		if p.limit > 0 && c.along > c.room() {
			if bands := c.wrap(); len(bands) > 1 && c.followed(bands) {
				c.bands = bands
				c.arrange()
			}
		}
		c.grow(max(0, width-frameWidth*number(p.inside[i] > 0)))
	}
	p.pack(width)
}

// sizes computes the texts and sizes of all boxes, with room for the ends of their lines.
func (p *plan) sizes() {
	n := len(p.layers.Points)
	p.texts = make([]texts, len(p.boxes))
	p.deep, p.wide, p.anchor = make([]int, n), make([]int, n), make([]int, n)
	names := p.level.names(p.size.names)
	for i := range p.layers.Points {
		v := p.layers.Points[i].Vertex
		if v < 0 {
			p.wide[i] = 1
			continue
		}
		t := p.text(&p.boxes[v], names[v])
		p.texts[v] = t
		in, out := len(p.layers.Points[i].Left)+len(p.level.in[v]), len(p.layers.Points[i].Right)+len(p.level.out[v])
		ends := max(in, out)
		if p.down {
			p.deep[i], p.wide[i] = t.h, max(t.w, 2*ends-1+2*number(p.form != Dot))
			p.wide[i] = max(p.wide[i], p.labelled(v))
		} else {
			p.deep[i], p.wide[i] = t.w, max(t.h, ends+2*number(p.form == Card))
		}
		p.anchor[i] = (p.wide[i] - 1) / 2
		if p.down && p.form != Dot && p.labelled(v) > 0 {
			p.anchor[i] = 1 // its lines leave there, with their conditions beside them
		}
		if rows := p.boxes[v].rows; !p.down && rows > 0 {
			p.anchor[i] = (t.h - rows - 1) / 2
		}
	}
	if p.form == Card && !p.down {
		for _, layers := range p.level.parts {
			for _, layer := range layers {
				most := 0
				for _, q := range layer {
					if v := p.layers.Points[q].Vertex; v >= 0 && p.boxes[v].rows == 0 {
						most = max(most, p.deep[q])
					}
				}
				p.alike(layer, most)
			}
		}
	}
}

// labelled returns the width that a box needs for the conditions of its lines below it.
func (p *plan) labelled(v int32) int {
	width, any := 2, false
	for _, n := range p.netsOut(v) {
		width += 2 + p.labelOf(n)
		any = any || p.labelOf(n) > 0
	}
	if !any {
		return 0
	}
	return width
}

// maxLabel is the most cells of a condition.
const maxLabel = 18

func (l *level) labelOf(n int32) int { return min(l.nets[n].label, maxLabel) }

// netsOut returns the nets that leave a box, and netsIn those that enter it.
func (l *level) netsOut(v int32) []int32 {
	var nets []int32
	for _, n := range l.layers.Points[v].Right {
		nets = append(nets, l.layers.Links[n].Bundle)
	}
	return append(nets, l.out[v]...)
}

// least returns a lower bound of the size of the plan, to skip hopeless ones.
func (p *plan) least() (w, h int) {
	area := 0
	for _, c := range p.parts {
		along, across := 0, 0
		for i, layer := range c.layers {
			deep, wide := 0, 0
			for k, q := range layer {
				deep, wide = max(deep, p.deep[q]), wide+p.wide[q]
				area += p.deep[q] * p.wide[q]
				if k > 0 {
					wide += p.minGap(layer[k-1], q)
				}
			}
			across = max(across, wide)
			along += deep
			if i > 0 {
				along++
			}
		}
		if p.limit > 0 && along > p.limit {
			along, across = 0, 0
		}
		if p.down {
			along, across = across, along
		}
		w, h = max(w, along), max(h, across)
	}
	if w > 0 {
		h = max(h, area/max(w, p.o.Width, 1))
	}
	return w, h
}

// room returns the most cells along of a component that is wrapped.
func (c *part) room() int {
	switch {
	case c.inside[c.number] == 0:
		return c.limit
	case c.down:
		return max(1, c.limit-frameHeight)
	}
	return max(1, c.limit-frameWidth)
}

// wrap divides the layers into bands that are not longer than the limit.
func (c *part) wrap() []*band {
	b := c.bands[0]
	var bands []*band
	const ends = 6 // for the lines at both ends of a band
	first := 0
	for i := 1; i <= len(c.layers); i++ {
		length := 0
		if i < len(c.layers) {
			length = b.starts[i] + c.depth(i) - b.starts[first] + ends
		}
		if i == len(c.layers) || length > c.room() && i > first {
			bands = append(bands, &band{first: first, last: i})
			first = i
		}
	}
	return bands
}

// followed reports whether few lines lead from each band to the next one, and none back.
func (c *part) followed(bands []*band) bool {
	for _, b := range bands[:len(bands)-1] {
		carried := 0
		c.links(b.last-1, func(int32) { carried++ })
		if carried > c.carried {
			return false
		}
	}
	return true
}

// depth returns the cells along of a layer.
func (c *part) depth(layer int) int {
	most := 0
	for _, q := range c.layers[layer] {
		most = max(most, c.deep[q])
	}
	return most
}

// arrange places the boxes of a component and routes its lines. If a detour finds no free row, its band gets one more.
func (c *part) arrange() {
	c.countLanes()
	c.settle()
	for {
		c.place()
		c.ports()
		c.wires()
		if c.route() {
			break
		}
	}
	c.measure()
}

// bandOf returns the band of a layer.
func (c *part) bandOf(layer int) int {
	i, found := slices.BinarySearchFunc(c.bands, layer, func(b *band, layer int) int { return b.first - layer })
	if !found {
		i--
	}
	return i
}

// layerOf returns the layer of a box within its component.
func (c *part) layerOf(v int32) int {
	first := c.layers[0][0]
	return int(c.level.layers.Points[v].Layer - c.level.layers.Points[first].Layer)
}

// links calls f for every link that leaves a layer.
func (c *part) links(layer int, f func(n int32)) {
	c.round++
	for _, q := range c.layers[layer] {
		for _, n := range c.level.layers.Points[q].Right {
			if c.seen[n] != c.round {
				c.seen[n] = c.round
				f(n)
			}
		}
	}
}

// countLanes counts the lines that need a row of their own.
func (c *part) countLanes() {
	for i, b := range c.bands {
		b.lanes = 0
		if i+1 < len(c.bands) {
			c.links(b.last-1, func(int32) { b.lanes++ })
		}
	}
	c.margin = 0
	for _, n := range c.loops() {
		from, to := c.bandOf(c.layerOf(c.nets[n].sources[0])), c.bandOf(c.layerOf(c.nets[n].targets[0]))
		c.bands[from].lanes++
		if from != to {
			c.bands[to].lanes++
			c.margin += 2
		}
	}
}

// loops returns the nets of the component that lead back, the shortest first.
func (c *part) loops() []int32 {
	var loops []int32
	for i := range c.nets {
		if n := &c.nets[i]; n.back && c.part[n.sources[0]] == c.number {
			loops = append(loops, int32(i))
		}
	}
	span := func(n int32) int { return c.layerOf(c.nets[n].sources[0]) - c.layerOf(c.nets[n].targets[0]) }
	slices.SortStableFunc(loops, func(a, b int32) int { return span(a) - span(b) })
	return loops
}
