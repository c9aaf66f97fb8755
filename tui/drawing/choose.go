package drawing

// New computes the layout of a graph. The graph itself is laid out by Show, because it depends on the size of the pane.
func New(g *Graph, o Options) *Layout {
	l := &Layout{graph: g}
	if o.View == Chart {
		l.view = newChart(g, o)
	} else {
		l.view = newList(g, o)
	}
	return l
}

// MostNodes is the maximum number of nodes of a workflow that is drawn as a graph unless the user asks for it.
const MostNodes = 10_000

// First computes the first layout of a workflow for a pane of this size, and returns its view: the graph if it is not
// much larger than the pane, otherwise the list.
func First(g *Graph, o Options, width, height int) (*Layout, View) {
	if len(g.Nodes) <= MostNodes && width > 0 && height > 0 {
		o.View = Chart
		l := New(g, o)
		l.Show(Look{Width: width, Height: height})
		if w, h := l.Size(); w <= 2*width && h <= 2*height {
			return l, Chart
		}
	}
	o.View = List
	return New(g, o), List
}
