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
	steps int // folds that were tried
	form  Form
	shape shape
	made  bool
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
		last = l
	}
	p := newPlan(last, like.form, like.shape)
	p.arrange(o.Width)
	return p.scene(c.o)
}

// zoomed draws the graph in the form of the options' zoom.
func (c *chooser) zoomed(vertices []Vertex, edges []Edge) *Scene {
	form := [...]Form{Cards: Card, Chips: Chip, Tags: Tag, Dots: Dot, Stages: Chip}[c.o.Zoom]
	l := newLevel(vertices, edges, &c.o)
	if c.o.Zoom == Stages {
		f := &folder{vertices: vertices, edges: edges, o: &c.o}
		l = groupedLevel(vertices, edges, &c.o, f.stages())
		l.steps = 1
	}
	for _, sh := range c.shapes(form) {
		if p := c.try(l, form, sh); p != nil {
			return p.scene(c.o)
		}
	}
	return c.smallest(l, form)
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
