package drawing

// New computes the layout of a graph.
func New(g *Graph, o Options) *Layout {
	l := &Layout{graph: g}
	switch {
	case o.View == Stages:
		l.view = newStagesView(g, o)
	case o.View == Layers && o.Zoom == Map:
		l.view = newMap(g, o)
	case o.View == Layers:
		l.view = newPicture(g, o)
	default:
		l.view = newList(g, o)
	}
	return l
}

// MostNodes is the maximum number of nodes in the graph, unless the user asks for more. Larger graphs are not
// readable.
const MostNodes = 2000

// Choose returns the first view of a workflow for a pane of this size: the graph if it is not much larger than the
// pane; stages if there are far fewer stages than nodes; otherwise the list.
func Choose(g *Graph, width, height int) View {
	if len(g.Nodes) <= MostNodes {
		if w, h := New(g, Options{View: Layers}).Size(); w <= 2*width && h <= 2*height {
			return Layers
		}
	}
	w, nodes, _ := contract(g, nil)
	if folded := newFolded(g, w, nodes); 3*len(folded.stages) <= 2*len(g.Nodes) {
		return Stages
	}
	return List
}

// Fit returns o with the nearest zoom at which the whole graph fits into a pane of this size, or with the map if none
// does.
func Fit(g *Graph, o Options, width, height int) Options {
	for _, o.Zoom = range [...]Zoom{Box, Timed, Chip} {
		if w, h := New(g, o).Size(); w <= width && h <= height {
			return o
		}
	}
	o.Zoom = Map
	return o
}
