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

// Choose returns the first view of a workflow for a pane of this size: the graph if it is not much larger than the pane,
// otherwise the list.
func Choose(g *Graph, width, height int) View {
	if len(g.Nodes) > MostNodes || width <= 0 || height <= 0 {
		return List
	}
	l := New(g, Options{View: Chart})
	l.Show(Look{Width: width, Height: height})
	if w, h := l.Size(); w > 2*width || h > 2*height {
		return List
	}
	return Chart
}
