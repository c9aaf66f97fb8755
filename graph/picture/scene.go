package picture

import (
	"cmp"
	"slices"
	"strings"
)

// texts are the texts and the size of a box, in the plan's form.
type texts struct {
	name, times string
	note        int
	w, h        int
}

// The most cells of a name, by form.
var maxName = [...]int{Card: 40, Chip: 30, Tag: 12, Dot: 0}

// text returns the texts of a box.
func (p *plan) text(b *node) texts {
	t := p.head(b)
	t.w, t.h = max(t.w, b.wide), t.h+b.rows
	return t
}

// head returns the texts and the size of a box without its rows.
func (p *plan) head(b *node) texts {
	t := texts{times: b.times, note: max(p.o.Note, b.note), h: 1}
	if n := len(b.members); n > 1 {
		t.note = countWidth(n)
	} else if p.form == Tag {
		t.note = b.note
	}
	if p.form == Dot {
		if len(b.members) == 1 {
			return texts{w: 1, h: 1}
		}
		return texts{times: b.times, note: t.note, w: 2 + b.after + t.note, h: 1}
	}
	t.name = b.name
	if b.width > maxName[p.form] {
		t.name = shorten(b.name, maxName[p.form], p.o.Measure)
	}
	line := 2 + p.o.Measure(t.name)  // the sign comes before
	if p.form == Tag && t.note > 0 { // the counts replace the number of nodes
		t.note = max(t.note, b.after)
	} else if b.after > 0 {
		line += 1 + b.after
	}
	switch {
	case p.form == Card:
		t.w, t.h = max(line, t.note)+4, 4
	case t.note > 0:
		t.w = line + 1 + t.note + 2
	default:
		t.w = line + 2
	}
	return t
}

// countWidth is the width of the counts of a stage with n nodes: "12/16 ✗3".
func countWidth(n int) int {
	digits := 1
	for ; n >= 10; n /= 10 {
		digits++
	}
	return 3*digits + 3
}

// shorten shortens a name: what comes before the last points, colons and slashes goes first.
func shorten(name string, width int, measure func(string) int) string {
	for rest := name; ; {
		i := strings.IndexAny(rest, ".:/")
		if i < 0 || i == len(rest)-1 {
			return cutMiddle(rest, width, measure)
		}
		if rest = rest[i+1:]; measure(rest) <= width {
			return rest
		}
	}
}

// cutMiddle shortens a text: names often differ at their ends.
func cutMiddle(text string, width int, measure func(string) int) string {
	if measure(text) <= width {
		return text
	}
	runes := []rune(text)
	for keep := min(len(runes), width) - 1; keep > 0; keep-- {
		head := (keep + 1) / 2
		cut := string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
		if measure(cut) <= width {
			return cut
		}
	}
	return "…"
}

// A drawer turns a plan into a scene.
type drawer struct {
	*plan
	s     *Scene
	links []pieces // by net
}

// pieces are the straight parts of a net, and where it meets boxes.
type pieces struct {
	list         []Piece
	tails, heads []End
}

func (p *plan) scene(o Options) *Scene {
	d := &drawer{plan: p, s: &Scene{W: p.w, H: p.h, Form: p.form, Down: p.down, Folded: p.folded}, links: make([]pieces, len(p.nets))}
	d.s.Fits, d.s.Choice = p.fits(o), Choice{p.steps, p.form, p.shape, true}
	for i := range p.boxes {
		d.s.Boxes = append(d.s.Boxes, Box{Members: p.boxes[i].members, Full: p.boxes[i].name, Name: p.texts[i].name,
			Times: p.texts[i].times, Note: p.texts[i].note, Rows: p.boxes[i].rows, Part: p.part[i]})
		for _, v := range p.boxes[i].members {
			for len(d.s.Box) <= v {
				d.s.Box = append(d.s.Box, 0)
			}
			d.s.Box[v] = i
		}
	}
	for _, c := range p.parts {
		d.s.Bands = max(d.s.Bands, len(c.bands))
		d.draw(c)
	}
	for i := range p.nets {
		d.track(i)
	}
	return d.s
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
		d.links[net].list = append(d.links[net].list, Piece{A: a, B: b})
	}
}

// wire adds the pieces of a wire in channel i of a band.
func (d *drawer) wire(c *part, b *band, i int, w *wire) {
	forward, rows := Right, map[int]bool{}
	if d.down {
		forward = Down
	}
	net := w.net
	for _, e := range w.lefts {
		rows[e.row] = true
		if e.point < 0 {
			continue
		}
		start := b.starts[i-1]
		if d.layers.Points[e.point].Vertex >= 0 {
			start += d.deep[e.point]
			tail := End{d.point(c, start, e.row), forward, int(e.point)}
			d.links[net].tails = append(d.links[net].tails, tail)
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
		rows[e.row] = true
		if e.point < 0 {
			continue
		}
		to := d.ahead(b, i, e)
		if d.layers.Points[e.point].Vertex >= 0 {
			d.links[net].heads = append(d.links[net].heads, End{d.point(c, to, e.row), forward, int(e.point)})
		}
		if w.bends() {
			d.add(net, d.point(c, w.at, e.row), d.point(c, to, e.row))
		}
	}
	if w.detour != nil {
		row := w.rights[0].row
		d.add(net, d.point(c, w.at, row), d.point(c, w.detour.at, row))
	}
	sorted := make([]int, 0, len(rows))
	for row := range rows {
		sorted = append(sorted, row)
	}
	slices.Sort(sorted)
	for k := 1; k < len(sorted); k++ {
		d.add(net, d.point(c, w.at, sorted[k-1]), d.point(c, w.at, sorted[k]))
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

// track turns the pieces of a net into a track.
func (d *drawer) track(i int) {
	n, l := &d.nets[i], &d.links[i]
	t := Track{Weak: n.weak, Back: n.back, When: n.when, Pieces: l.list, Tails: l.tails, Heads: l.heads}
	for _, a := range n.arcs {
		t.Arcs = append(t.Arcs, Arc{int(d.arcs[a].from), int(d.arcs[a].to), d.arcs[a].edges})
	}
	d.s.Tracks = append(d.s.Tracks, t)
	d.number(&d.s.Tracks[len(d.s.Tracks)-1])
}

// number numbers the ends of a track in the order in which a walk along its pieces reaches them.
func (d *drawer) number(t *Track) {
	if len(t.Tails) == 1 && len(t.Heads) == 1 {
		return // all pieces carry the only arc
	}
	t.order = make(map[int32]int32, len(t.Tails)+len(t.Heads))
	at := make([]meeting, 0, 2*len(t.Pieces)+len(t.Tails)+len(t.Heads))
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
		return cmp.Or(comparePoints(a.at, b.at), cmp.Compare(a.piece, b.piece), cmp.Compare(a.key, b.key))
	})
	type step struct {
		point Point
		piece int32 // by which it was reached, -1 = none
		leave bool
	}
	stack := []step{{t.Tails[0].At, -1, false}}
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
				t.order[m.key] = count
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
}

// A meeting says that a piece or an end of a track is at a point.
type meeting struct {
	at    Point
	piece int32 // -1 = an end
	key   int32 // of the end
}

func comparePoints(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) }

// pack puts components next to each other: in shelves from left to right, as wide as the pane or as the widest
// component, and not much wider than high.
func (p *plan) pack(width int) {
	size := func(c *part) (w, h int) {
		if p.down {
			return c.across, c.along
		}
		return c.along, c.across
	}
	widest, area := 0, 0
	for _, c := range p.parts {
		w, h := size(c)
		widest, area = max(widest, w), area+(w+3)*(h+1)
	}
	limit := width
	if limit == 0 {
		for limit = widest; limit*limit < 4*area; limit += 8 {
		}
	}
	const space = 3
	x, y, shelf := 0, 0, 0
	for _, c := range p.parts {
		w, h := size(c)
		if x > 0 && x+w > limit {
			x, y, shelf = 0, y+shelf+1, 0
		}
		c.corner = Point{x, y}
		x += w + space
		shelf = max(shelf, h)
		p.w, p.h = max(p.w, x-space), max(p.h, y+shelf)
	}
}

// A chooser looks for the form that fits.
type chooser struct {
	o           Options
	whole, last *level
}

// choose returns the scene of the first form of a level that fits, or nil.
func (c *chooser) choose(l *level) *Scene {
	if c.whole == nil {
		c.whole = l
	}
	c.last = l
	for _, form := range []Form{Card, Chip, Tag} {
		for _, sh := range c.shapes(form) {
			if p := c.try(l, form, sh); p != nil {
				return p.scene(c.o)
			}
		}
	}
	return nil
}

// try returns a plan if it fits. It does not arrange what cannot.
func (c *chooser) try(l *level, form Form, sh shape) *plan {
	p := newPlan(l, form, sh)
	p.w, p.h = p.least()
	if !p.fits(c.o) {
		return nil
	}
	p.w, p.h = 0, 0
	if p.arrange(c.o.Width); !p.fits(c.o) {
		return nil
	}
	return p
}

// few is the number of boxes up to which several shapes are compared although none fits.
const few = 500

// compact returns the scene of the most compact readable form, which is larger than the pane.
func (c *chooser) compact() *Scene { return c.smallest(c.last, Tag) }

// smallest returns the scene of a level in a form that exceeds the pane least.
func (c *chooser) smallest(l *level, form Form) *Scene {
	var best *plan
	least := 0
	for _, sh := range c.shapes(form) {
		p := newPlan(l, form, sh)
		p.arrange(c.o.Width)
		over := max(percent(p.w, c.o.Width), percent(p.h, c.o.Height))
		if best == nil || over < least {
			best, least = p, over
		}
		if len(l.boxes) > few {
			break
		}
	}
	return best.scene(c.o)
}

// dots returns the scene of the signs alone if it fits: of all vertices, or of the last level.
func (c *chooser) dots() *Scene {
	for _, l := range []*level{c.whole, c.last} {
		for _, sh := range c.shapes(Dot) {
			if p := c.try(l, Dot, sh); p != nil {
				return p.scene(c.o)
			}
		}
	}
	return nil
}

// shapes lists the shapes to try, in the order of preference.
func (c *chooser) shapes(form Form) []shape {
	shapes := []shape{{}}
	if form == Card {
		shapes = append(shapes, shape{snug: true})
	}
	shapes = append(shapes, shape{down: true})
	if c.o.Width > 0 {
		shapes = append(shapes, shape{limit: c.o.Width})
	}
	if c.o.Height > 0 {
		shapes = append(shapes, shape{down: true, limit: c.o.Height})
	}
	return shapes
}

func percent(n, of int) int {
	if of == 0 {
		return 0
	}
	return 100 * n / of
}
