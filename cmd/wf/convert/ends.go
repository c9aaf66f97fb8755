package convert

import "wf/api"

// Expand returns the edges of a graph between nodes that run. An edge to a group (a container that repeats
// nothing) leads to those of its nodes that have no predecessor in it, and an edge from a group starts at
// those that have no successor in it; if all nodes of the group form one loop, all of them count.
func Expand(g *api.Graph) []api.GraphEdge {
	f := groupEnds{g: g, runs: map[string]bool{}, known: map[string][]string{}}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; !n.Container || n.SubFlow != "" {
			f.runs[n.ID] = true
		}
	}
	edges := make([]api.GraphEdge, 0, len(g.Edges))
	for _, e := range g.Edges {
		if f.runs[e.Source] && f.runs[e.Target] {
			edges = append(edges, e)
			continue
		}
		for _, source := range f.of(e.Source, false) {
			for _, target := range f.of(e.Target, true) {
				e.Source, e.Target = source, target
				edges = append(edges, e)
			}
		}
	}
	return edges
}

// groupEnds finds the nodes that the ends of edges mean, by their ids.
type groupEnds struct {
	g     *api.Graph
	runs  map[string]bool
	known map[string][]string // of groups, "<" or ">" before the id
}

func (f *groupEnds) of(id string, entries bool) []string {
	if f.runs[id] {
		return []string{id}
	}
	key := ">" + id
	if entries {
		key = "<" + id
	}
	ends, known := f.known[key]
	if !known {
		ends = f.find(id, entries)
		f.known[key] = ends
	}
	return ends
}

func (f *groupEnds) find(group string, entries bool) []string {
	inner, members := map[string]bool{group: true}, map[string]bool{} // inner: this group and its nested groups
	var order, ends []string
	for i := range f.g.Nodes { // children come after their containers
		n := &f.g.Nodes[i]
		switch {
		case n.Parent == "" || !inner[n.Parent]:
		case f.runs[n.ID]:
			members[n.ID] = true
			order = append(order, n.ID)
		default:
			inner[n.ID] = true
		}
	}
	led := map[string]bool{}
	for i := range f.g.Edges {
		e := &f.g.Edges[i]
		if e.Source == e.Target || !members[e.Source] || !members[e.Target] {
			continue
		}
		if entries {
			led[e.Target] = true
		} else {
			led[e.Source] = true
		}
	}
	for _, id := range order {
		if !led[id] {
			ends = append(ends, id)
		}
	}
	if ends == nil {
		return order
	}
	return ends
}
