package drawing

// A Stage describes a stage of a graph for tests.
type Stage struct {
	Name  string
	Nodes []int // in file order
	After []int // its direct predecessors, which are all earlier stages
}

// Fold returns the stages of a graph, in the order in which the view Stages shows them.
func Fold(g *Graph) []Stage {
	w, nodes, _ := contract(g, nil)
	f := newFolded(g, w, nodes)
	stages := make([]Stage, len(f.stages))
	for i, s := range f.stages {
		stages[i] = Stage{Name: s.name}
		for _, v := range s.nodes {
			stages[i].Nodes = append(stages[i].Nodes, int(v))
		}
		for _, a := range f.web.in[i] {
			if !f.web.arcs[a].back {
				stages[i].After = append(stages[i].After, int(f.web.arcs[a].from))
			}
		}
	}
	return stages
}

// NewGrid returns a grid of blanks.
func NewGrid(width, height int) *Grid {
	g := &Grid{}
	g.Resize(width, height)
	return g
}
