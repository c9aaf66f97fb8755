package picture

// A Zoom is how large nodes are drawn. Only with Fit the drawing depends on the size of the pane; otherwise it may be
// larger.
type Zoom uint8

// The zooms.
const (
	Fit    Zoom = iota // the largest form that fits
	Cards              // a card for each node
	Chips              // a chip for each node
	Tags               // a tag for each node
	Dots               // a sign for each node
	Stages             // a chip for each stage
)

// A Choice says how a scene was drawn: how much was folded, and in which form and shape.
type Choice struct {
	steps   int // folds that were tried
	reduced bool
	size    size
	shape   shape
	made    bool
}

// Chips returns the choice with chips instead of cards.
func (c Choice) Chips() Choice {
	if c.size.form == Card {
		c.size.form = Chip
	}
	return c
}

// As draws a graph like a scene of the same graph, although more stages may be open and boxes may have other rows. So
// the other boxes stay near where they were. The drawing may be larger than the pane.
func As(like Choice, vertices []Vertex, edges []Edge, o Options) *Scene {
	if !like.made {
		return New(vertices, edges, o)
	}
	o.complete()
	c := chooser{o: o}
	var last *level
	for l := range levels(vertices, edges, &o) {
		if l.steps > like.steps {
			break
		}
		if last == nil || last.steps < l.steps || like.reduced {
			last = l
		}
	}
	last.lay()
	p := newPlan(last, like.size, like.shape)
	p.arrange(o.Width)
	return p.scene(c.o)
}

// zoomed draws the graph in the form of the options' zoom.
func (c *chooser) zoomed(vertices []Vertex, edges []Edge) *Scene {
	z := [...]size{Cards: {Card, 40}, Chips: {Chip, 30}, Tags: {Tag, 12}, Dots: {Dot, 0}, Stages: {Chip, 30}}[c.o.Zoom]
	l := newLevel(vertices, edges, &c.o)
	if c.o.Zoom == Stages {
		f := &folder{vertices: vertices, edges: edges, o: &c.o}
		l = groupedLevel(vertices, edges, &c.o, f.stages())
		if l.steps = 1; l.reduced() != nil {
			l = l.reduced()
		}
	}
	for _, sh := range c.shapes(z.form) {
		sh.carried = mostCarriedOfStages
		if p := c.try(l, z, sh); p != nil {
			return p.scene(c.o)
		}
	}
	return c.smallest(l, z)
}

// StagesOf returns the number of the stage of each vertex. Two vertices have the same number if opening one of them
// opens the other, too.
func StagesOf(vertices []Vertex, edges []Edge) []int {
	f := &folder{vertices: vertices, edges: edges, o: &Options{}}
	of := make([]int, len(vertices))
	for i, g := range f.stages() {
		for _, v := range g.members {
			of[v] = i
		}
	}
	return of
}

// across returns the places of the boxes in their layers that the options ask for: the mean of their vertices.
func (l *level) across() []float64 {
	if l.o.Across == nil {
		return nil
	}
	across := make([]float64, len(l.boxes))
	for i := range l.boxes {
		for _, v := range l.boxes[i].members {
			across[i] += l.o.Across[v] / float64(len(l.boxes[i].members))
		}
	}
	return across
}
