package drawing

// A Stage is a stage of a graph, as tests look at it.
type Stage struct {
	Name  string
	Nodes []int // in file order
	After []int // the stages right before it; all of them come earlier
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
