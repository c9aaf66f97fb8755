package picture

import (
	"cmp"
	"slices"
)

// A drawer turns a plan into a scene.
type drawer struct {
	*plan
	s    *Scene
	rows []int // buffer of wire

	// Buffers of number.
	at    []meeting
	stack []step
	order []int32 // by key: numbers of the ends
}

func (p *plan) scene(o Options) *Scene {
	d := &drawer{plan: p, s: &Scene{W: p.w, H: p.h, Form: p.form, Down: p.down, Folded: p.folded, Implied: p.implied, Frames: p.frames}, order: make([]int32, 2*len(p.boxes))}
	d.s.Fits, d.s.Choice = p.fits(o), Choice{p.steps, len(p.implied) > 0, p.size, p.shape, true}
	d.s.Boxes, d.s.Box = make([]Box, 0, len(p.boxes)), make([]int, len(p.vertices))
	for i := range p.boxes {
		d.s.Boxes = append(d.s.Boxes, Box{Members: p.boxes[i].members, Full: p.boxes[i].name, Name: p.texts[i].name,
			Times: p.texts[i].times, Note: p.texts[i].note, Rows: p.boxes[i].rows, Part: p.part[i]})
		for _, v := range p.boxes[i].members {
			d.s.Box[v] = i
		}
	}
	d.tracks()
	for _, c := range p.parts {
		d.s.Bands = max(d.s.Bands, len(c.bands))
		d.draw(c)
	}
	for i := range d.s.Tracks {
		if t := &d.s.Tracks[i]; !t.single() {
			d.number(t)
		}
	}
	return d.s
}

// tracks makes the tracks of all nets, without pieces and ends, but with room for them.
func (d *drawer) tracks() {
	arcs, ends := 0, 0
	for i := range d.nets {
		n := &d.nets[i]
		arcs, ends = arcs+len(n.arcs), ends+len(n.sources)+len(n.targets)
	}
	pieces, all := d.countPieces()
	freeArcs, freeEnds, freePieces := make([]Arc, arcs), make([]End, ends), make([]Piece, all)
	d.s.Tracks = make([]Track, len(d.nets))
	for i := range d.nets {
		n, t := &d.nets[i], &d.s.Tracks[i]
		t.Weak, t.Back, t.When = n.weak, n.back, n.when
		t.Pieces, freePieces = freePieces[:0:pieces[i]], freePieces[pieces[i]:]
		t.Tails, freeEnds = freeEnds[:0:len(n.sources)], freeEnds[len(n.sources):]
		t.Heads, freeEnds = freeEnds[:0:len(n.targets)], freeEnds[len(n.targets):]
		t.Arcs, freeArcs = freeArcs[:len(n.arcs):len(n.arcs)], freeArcs[len(n.arcs):]
		for k, a := range n.arcs {
			t.Arcs[k] = Arc{From: int(d.arcs[a].from), To: int(d.arcs[a].to), Edges: d.arcs[a].edges}
		}
	}
}

// countPieces returns how many pieces each net has at most, and the sum.
func (d *drawer) countPieces() (pieces []int, all int) {
	pieces = make([]int, len(d.nets))
	add := func(net int32, n int) { pieces[net], all = pieces[net]+n, all+n }
	for _, c := range d.parts {
		for _, b := range c.bands {
			for _, ch := range b.channels {
				for _, w := range ch.wires {
					if w.bends() {
						add(w.net, 2*(len(w.lefts)+len(w.rights))-1) // one to each end, and those between
					} else {
						add(w.net, len(w.lefts)*len(w.rights))
					}
				}
			}
		}
		for _, l := range c.lanes {
			add(l.net, 2)
		}
	}
	return pieces, all
}

func (p *plan) fits(o Options) bool {
	return (o.Width == 0 || p.w <= o.Width) && (o.Height == 0 || p.h <= o.Height)
}

// point returns the cell of a place in a component.
func (d *drawer) point(c *part, along, across int) Point {
	if d.down {
		along, across = across, along
	}
	return Point{c.corner.X + along, c.corner.Y + across}
}

func (d *drawer) draw(c *part) {
	for _, b := range c.bands {
		for i := b.first; i < b.last; i++ {
			for _, q := range c.layers[i] {
				if d.layers.Points[q].Vertex >= 0 {
					corner := d.point(c, b.starts[i-b.first], c.at[q])
					r := Rect{corner.X, corner.Y, d.deep[q], d.wide[q]}
					if d.down {
						r.W, r.H = r.H, r.W
					}
					d.s.Boxes[q].Rect = r
				}
			}
		}
		for i, ch := range b.channels {
			for _, w := range ch.wires {
				d.wire(c, b, i, w)
			}
		}
	}
	turns := map[int32]int{}
	for _, l := range c.lanes {
		from, to := l.from.at, l.column
		if l.to != nil {
			to = l.to.at
		}
		d.add(l.net, d.point(c, from, l.row), d.point(c, to, l.row))
		if l.to == nil {
			if row, found := turns[l.net]; found {
				d.add(l.net, d.point(c, to, row), d.point(c, to, l.row))
			}
			turns[l.net] = l.row
		}
	}
}

func (d *drawer) add(net int32, a, b Point) {
	if a != b {
		t := &d.s.Tracks[net]
		t.Pieces = append(t.Pieces, Piece{A: a, B: b})
	}
}

// wire adds the pieces of a wire in channel i of a band.
func (d *drawer) wire(c *part, b *band, i int, w *wire) {
	forward, rows := Right, d.rows[:0]
	if d.down {
		forward = Down
	}
	net := w.net
	for _, e := range w.lefts {
		rows = append(rows, e.row)
		if e.point < 0 {
			continue
		}
		start := b.starts[i-1]
		if d.layers.Points[e.point].Vertex >= 0 {
			start += d.deep[e.point]
			tail := End{d.point(c, start, e.row), forward, int(e.point)}
			d.s.Tracks[net].Tails = append(d.s.Tracks[net].Tails, tail)
			d.label(net, tail.At)
		}
		if w.bends() {
			d.add(net, d.point(c, start, e.row), d.point(c, w.at, e.row))
			continue
		}
		for _, r := range w.rights {
			d.add(net, d.point(c, start, e.row), d.point(c, d.ahead(b, i, r), r.row))
		}
	}
	for _, e := range w.rights {
		rows = append(rows, e.row)
		if e.point < 0 {
			continue
		}
		to := d.ahead(b, i, e)
		if d.layers.Points[e.point].Vertex >= 0 {
			d.s.Tracks[net].Heads = append(d.s.Tracks[net].Heads, End{d.point(c, to, e.row), forward, int(e.point)})
		}
		if w.bends() {
			d.add(net, d.point(c, w.at, e.row), d.point(c, to, e.row))
		}
	}
	if w.detour != nil {
		row := w.rights[0].row
		d.add(net, d.point(c, w.at, row), d.point(c, w.detour.at, row))
	}
	slices.Sort(rows)
	d.rows = rows
	rows = slices.Compact(rows)
	for k := 1; k < len(rows); k++ {
		d.add(net, d.point(c, w.at, rows[k-1]), d.point(c, w.at, rows[k]))
	}
}

// ahead returns where a line that enters a layer ends: before a box, or at the beginning of the layer.
func (d *drawer) ahead(b *band, i int, e end) int {
	if d.layers.Points[e.point].Vertex >= 0 {
		return b.starts[i] - 1
	}
	return b.starts[i]
}

// label puts the condition of a net next to a tail: on its line, or right of it if it leads down.
func (d *drawer) label(net int32, at Point) {
	width := d.labelOf(net)
	if width == 0 {
		return
	}
	text := d.nets[net].when
	if d.nets[net].label > width {
		text = cutMiddle(text, width, d.o.Measure)
	}
	d.s.Labels = append(d.s.Labels, Label{Rect{at.X + 1, at.Y, d.o.Measure(text), 1}, text, int(net)})
}

// number numbers the ends of a track in the order in which a walk along its pieces reaches them.
func (d *drawer) number(t *Track) {
	at := d.at[:0]
	for k, p := range t.Pieces {
		at = append(at, meeting{p.A, int32(k), -1}, meeting{p.B, int32(k), -1})
	}
	for _, e := range t.Tails {
		at = append(at, meeting{e.At, -1, source(e.Box)})
	}
	for _, e := range t.Heads {
		at = append(at, meeting{e.At, -1, target(e.Box)})
	}
	slices.SortFunc(at, func(a, b meeting) int {
		if c := comparePoints(a.at, b.at); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.piece, b.piece), cmp.Compare(a.key, b.key))
	})
	d.at = at
	stack := append(d.stack[:0], step{t.Tails[0].At, -1, false})
	count := int32(0)
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x.leave {
			t.Pieces[x.piece].last = count
			continue
		}
		if x.piece >= 0 {
			t.Pieces[x.piece].first = count
		}
		i, _ := slices.BinarySearchFunc(at, x.point, func(m meeting, p Point) int { return comparePoints(m.at, p) })
		for ; i < len(at) && at[i].at == x.point; i++ {
			m := &at[i]
			switch {
			case m.piece < 0:
				d.order[m.key] = count
				count++
			case m.piece != x.piece:
				p := &t.Pieces[m.piece]
				next := p.B
				if next == x.point {
					next = p.A
				}
				stack = append(stack, step{next, m.piece, true}, step{next, m.piece, false})
			}
		}
	}
	d.stack = stack
	for i := range t.Arcs {
		a := &t.Arcs[i]
		a.tail, a.head = d.order[source(a.From)], d.order[target(a.To)]
	}
}

// A step of the walk along a track goes to a point or, with leave, back from it.
type step struct {
	point Point
	piece int32 // by which it was reached, -1 = none
	leave bool
}

// The keys of ends: a box may be a source and a target of the same track.
func source(box int) int32 { return int32(2 * box) }
func target(box int) int32 { return int32(2*box + 1) }

// A meeting says that a piece or an end of a track is at a point.
type meeting struct {
	at    Point
	piece int32 // -1 = an end
	key   int32 // of the end
}

func comparePoints(a, b Point) int {
	if a.X != b.X {
		return a.X - b.X
	}
	return a.Y - b.Y
}
