package tui

// A cycleCheck is the result of the latest search for a cycle of blocking edges, which every run that covers
// it refuses.
type cycleCheck struct {
	structure int // of the flow that was looked at
	known     bool
	text      string // "" = there is none
}

// cycle returns the names of a cycle of blocking edges, or "".
func (f *flow) cycle() string {
	if c := &f.cycles; !c.known || c.structure != f.structure {
		*c = cycleCheck{structure: f.structure, known: true}
		if path := f.findCycle(); path != nil {
			c.text = cycleText(f, path)
		}
	}
	return f.cycles.text
}

// findCycle returns the nodes of a cycle of blocking edges, the first one also as the last, or nil.
func (f *flow) findCycle() []int {
	const entered, left = 1, 2
	state, next := make([]uint8, len(f.nodes)), make([]int, len(f.nodes))
	for root := range f.nodes {
		if state[root] != 0 {
			continue
		}
		path := []int{root}
		state[root] = entered
		for len(path) > 0 {
			v := path[len(path)-1]
			if next[v] == len(f.out[v]) {
				state[v], path = left, path[:len(path)-1]
				continue
			}
			e := &f.edges[f.out[v][next[v]]]
			next[v]++
			switch {
			case e.nonBlocking || state[e.to] == left:
			case state[e.to] == entered:
				for i, n := range path {
					if n == e.to {
						return append(path[i:], e.to)
					}
				}
			default:
				state[e.to], path = entered, append(path, e.to)
			}
		}
	}
	return nil
}
