package drawing

import (
	"cmp"
	"slices"

	"github.com/charmbracelet/x/ansi"

	kernel "wf/graph/picture"
	"wf/tui/painter"
)

// A plot is all that follows from the structure of a graph, the pane and what is open. It never changes.
type plot struct {
	of    size
	plain *kernel.Scene // without rows and opened stages
	scene *kernel.Scene
	paint *painter.Painter
	item  []Item // by box
	boxes []int  // in the order of the flow: layer by layer
	back  []bool // by edge of the kernel: it leads back
}

// A size is what a plot depends on besides the structure.
type size struct {
	width, height int
	open          string
	rows          string
}

// A plotting is a plot that is being computed in the background.
type plotting struct {
	of   size
	done chan struct{} // closed when plot is set
	plot *plot
}

// mostAtOnce is the number of nodes and edges up to which a plot is computed before the next picture. For more it is
// computed in the background, and the one before stays until then.
const mostAtOnce = 500

// mostFirst is the number of nodes and edges up to which the first plot is computed at once, too. For more the drawing
// is empty until it is there.
const mostFirst = 20_000

// build computes the plot, unless nothing that it depends on has changed.
func (c *chart) build(look Look) {
	open, rows := c.opened(look.Expanded), c.rowCounts()
	now := size{look.Width, look.Height, keyOf(open), keyOf(rows)}
	if c.next != nil {
		select {
		case <-c.next.done:
			if c.next.of == now {
				c.use(c.next.plot)
			}
			c.next = nil
		default:
		}
	}
	if c.plot != nil && c.plain != nil && c.of == now || c.next != nil {
		return // one at a time: what is needed after it is computed then
	}
	var plain *kernel.Scene
	if c.plot != nil && c.of.width == now.width && c.of.height == now.height {
		plain = c.plain
	}
	size := len(c.input.vertices) + len(c.input.edges)
	if size <= mostAtOnce || c.plot == nil && size <= mostFirst {
		c.use(c.newPlot(now, open, rows, plain))
		return
	}
	if c.plot == nil {
		empty := &kernel.Scene{}
		c.use(&plot{scene: empty, paint: painter.New(empty, false)})
	}
	next := &plotting{of: now, done: make(chan struct{})}
	c.next = next
	go func() {
		next.plot = c.newPlot(now, open, rows, plain)
		close(next.done)
	}()
}

func (c *chart) use(p *plot) { c.plot, c.lens = p, lens{} }

// rowCounts lists the nodes with rows, each followed by their number.
func (c *chart) rowCounts() (rows []int32) {
	for from := 0; from < len(c.graph.Rows); {
		node := c.graph.Rows[from].Node
		to := from
		for to < len(c.graph.Rows) && c.graph.Rows[to].Node == node {
			to++
		}
		rows = append(rows, int32(node), int32(to-from))
		from = to
	}
	return rows
}

// newPlot computes a plot. It may run in another goroutine: of the chart it reads only what never changes. plain is the
// scene without rows and opened stages, if it is known.
func (c *chart) newPlot(of size, open []int, rows []int32, plain *kernel.Scene) *plot {
	o := kernel.Options{Width: of.width, Height: of.height, Note: noteWidth, Zoom: kernel.Zoom(c.o.Zoom), Measure: ansi.StringWidth, Across: c.input.across}
	if plain == nil {
		plain = kernel.New(c.input.vertices, c.input.edges, o)
	}
	p := &plot{of: of, plain: plain, scene: plain}
	if o.Open = open; len(open) > 0 {
		p.scene = kernel.New(c.input.vertices, c.input.edges, o)
		if !p.scene.Fits || p.scene.Form == kernel.Dot {
			p.scene = c.like(plain.Choice, c.input.vertices, o)
		}
	}
	if len(rows) > 0 {
		p.scene = c.like(p.scene.Choice, c.withRows(rows), o)
	}
	p.index(c.node, len(c.edge))
	return p
}

// like draws the graph like another scene, but with chips if cards are further from fitting.
func (c *chart) like(choice kernel.Choice, vertices []kernel.Vertex, o kernel.Options) *kernel.Scene {
	s := kernel.As(choice, vertices, c.input.edges, o)
	if s.Fits || s.Form != kernel.Card || c.o.Zoom != Fit {
		return s
	}
	chips := kernel.As(choice.Chips(), vertices, c.input.edges, o)
	over := func(s *kernel.Scene) int { return max(100*s.W/max(o.Width, 1), 100*s.H/max(o.Height, 1)) }
	if chips.Fits || over(chips) < over(s) {
		return chips
	}
	return s
}

// withRows returns the vertices with room for the rows below them.
func (c *chart) withRows(rows []int32) []kernel.Vertex {
	vertices := slices.Clone(c.input.vertices)
	for i := 0; i < len(rows); i += 2 {
		if v := c.vertex[rows[i]]; v >= 0 {
			vertices[v].Rows, vertices[v].Wide = int(rows[i+1]), rowsWidth
		}
	}
	return vertices
}

// keyOf returns numbers as a key of a map.
func keyOf[N int | int32](numbers []N) string {
	var key []byte
	for _, n := range numbers {
		key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return string(key)
}

// index prepares what follows from the scene. node contains the node of each vertex.
func (p *plot) index(node []int32, edges int) {
	s := p.scene
	p.paint = painter.New(s, false)
	p.item, p.boxes = make([]Item, len(s.Boxes)), make([]int, len(s.Boxes))
	for i := range s.Boxes {
		b := &s.Boxes[i]
		p.item[i] = Item{ANode, node[b.Members[0]]}
		if len(b.Members) > 1 {
			p.item[i].Kind = AStage
		}
		p.boxes[i] = i
	}
	rank := ranks(s)
	slices.SortFunc(p.boxes, func(i, j int) int {
		a, b := &s.Boxes[i], &s.Boxes[j]
		return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(rank[i], rank[j]), cmp.Compare(p.paint.Text(i), p.paint.Text(j)), cmp.Compare(a.X, b.X))
	})
	p.back = make([]bool, edges)
	for i := range s.Tracks {
		for k := range s.Tracks[i].Arcs {
			for _, e := range s.Tracks[i].Arcs[k].Edges {
				p.back[e] = s.Tracks[i].Back
			}
		}
	}
}

// ranks returns, by box, the number of boxes on the longest way to it.
func ranks(s *kernel.Scene) []int {
	rank, before := make([]int, len(s.Boxes)), make([]int, len(s.Boxes))
	after := make([][]int, len(s.Boxes))
	for i := range s.Tracks {
		if s.Tracks[i].Back {
			continue
		}
		for k := range s.Tracks[i].Arcs {
			a := &s.Tracks[i].Arcs[k]
			after[a.From] = append(after[a.From], a.To)
			before[a.To]++
		}
	}
	var ready []int
	for i, n := range before {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, to := range after[i] {
			rank[to] = max(rank[to], rank[i]+1)
			if before[to]--; before[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return rank
}
