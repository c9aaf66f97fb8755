package runview

// Names returns the names of nodes, as a selector.
func (f *Workfile) Names(nodes []int) []string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = f.Nodes[n].Name
	}
	return names
}

// IDs returns the ids of nodes.
func (f *Workfile) IDs(nodes []int) []string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = f.Nodes[n].ID
	}
	return list
}

// Find returns the nodes with these ids that still exist. Dialogs keep ids because numbers change with edits.
func (f *Workfile) Find(ids []string) []int {
	var nodes []int
	for _, id := range ids {
		if i, known := f.Index[id]; known {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// Touching returns the edges of nodes, each once.
func (f *Workfile) Touching(nodes []int) (edges []int) {
	seen := map[int]bool{}
	for _, n := range nodes {
		for _, list := range [][]int{f.In[n], f.Out[n]} {
			for _, e := range list {
				if !seen[e] {
					seen[e] = true
					edges = append(edges, e)
				}
			}
		}
	}
	return edges
}
