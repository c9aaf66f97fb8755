package drawing

import "slices"

// contract makes a web of the nodes that are not hidden and returns them, by vertex, and the vertex
// of each node, -1 for hidden ones.
func contract(g *Graph, hidden []bool) (w *web, nodes, vertex []int32) {
	vertex = make([]int32, len(g.Nodes))
	for v := range g.Nodes {
		vertex[v] = -1
		if hidden == nil || !hidden[v] {
			nodes = append(nodes, int32(v))
		}
	}
	slices.SortStableFunc(nodes, g.byPlace)
	for i, v := range nodes {
		vertex[v] = int32(i)
	}
	return newWeb(len(nodes), contractArcs(g, nodes, vertex)), nodes, vertex
}

// byPlace orders nodes as in the file.
func (g *Graph) byPlace(a, b int32) int { return int(a) - int(b) }

// contractArcs lists the edges between shown nodes, and the paths between them through hidden ones.
func contractArcs(g *Graph, nodes, vertex []int32) []arc {
	arcs := make([]arc, 0, len(g.Edges))
	through := make([][]int32, len(g.Nodes)) // edges out of a node where either end is hidden
	for i, e := range g.Edges {
		from, to := vertex[e.From], vertex[e.To]
		if from >= 0 && to >= 0 {
			arcs = append(arcs, arc{from: from, to: to, edge: int32(i), weak: e.NonBlocking})
		} else {
			through[e.From] = append(through[e.From], int32(i))
		}
	}
	seen := make([]int32, len(g.Nodes)) // by which walk, from 1
	for walk, v := range nodes {
		stack := slices.Clone(through[v])
		for len(stack) > 0 {
			e := &g.Edges[stack[len(stack)-1]]
			stack = stack[:len(stack)-1]
			if seen[e.To] == int32(walk)+1 {
				continue
			}
			seen[e.To] = int32(walk) + 1
			if to := vertex[e.To]; to < 0 {
				stack = append(stack, through[e.To]...)
			} else if to != vertex[v] {
				arcs = append(arcs, arc{from: vertex[v], to: to, edge: -1, via: true})
			}
		}
	}
	return arcs
}
