package runview

// A cycleCheck is the result of the latest search for a cycle of blocking edges. Runs that contain such a cycle are
// refused.
type cycleCheck struct {
	structure int // of the workfile that was searched
	known     bool
	nodes     []int // see cycle
}

// Cycle returns the nodes of a cycle of blocking edges, the first one also as the last, or nil.
func (f *Workfile) Cycle() []int {
	if c := &f.cycles; !c.known || c.structure != f.Structure {
		*c = cycleCheck{f.Structure, true, f.findCycle()}
	}
	return f.cycles.nodes
}

// findCycle returns the nodes of a cycle of blocking edges, the first one also as the last, or nil.
func (f *Workfile) findCycle() []int {
	const entered, left = 1, 2
	state, next := make([]uint8, len(f.Nodes)), make([]int, len(f.Nodes))
	for root := range f.Nodes {
		if state[root] != 0 {
			continue
		}
		path := []int{root}
		state[root] = entered
		for len(path) > 0 {
			v := path[len(path)-1]
			if next[v] == len(f.Out[v]) {
				state[v], path = left, path[:len(path)-1]
				continue
			}
			e := &f.Edges[f.Out[v][next[v]]]
			next[v]++
			switch {
			case e.NonBlocking || state[e.To] == left:
			case state[e.To] == entered:
				for i, n := range path {
					if n == e.To {
						return append(path[i:], e.To)
					}
				}
			default:
				state[e.To], path = entered, append(path, e.To)
			}
		}
	}
	return nil
}
