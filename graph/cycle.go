package graph

import "slices"

// FindCycle returns a cycle of blocking edges that lies within the scope, edge after edge, nil if
// there is none. It looks for a short one: the shortest through one node of the smallest
// strongly connected component. The time is linear.
func FindCycle(scope []*Node) []*Edge {
	s := blockingSubgraph(scope)
	component, count := Components(s.first, s.targets)
	for _, e := range s.edges {
		if e.Source == e.Target {
			return []*Edge{e}
		}
	}
	start := smallestLoop(component, count)
	if start < 0 {
		return nil
	}
	return s.shortest(start, component)
}

// subgraph is the in-scope blocking edges in the compact form of Components.
type subgraph struct {
	first, targets []int32
	edges          []*Edge // parallel to targets
}

func blockingSubgraph(scope []*Node) subgraph {
	// Index in scope plus one, by position in the graph.
	last := int32(0)
	for _, n := range scope {
		last = max(last, n.pos)
	}
	index := make([]int32, last+1)
	for i, n := range scope {
		index[n.pos] = int32(i) + 1
	}
	s := subgraph{first: make([]int32, 1, len(scope)+1)}
	for _, n := range scope {
		for _, e := range n.Out {
			if e.Type == Blocking && e.Target.pos <= last && index[e.Target.pos] > 0 {
				s.targets = append(s.targets, index[e.Target.pos]-1)
				s.edges = append(s.edges, e)
			}
		}
		s.first = append(s.first, int32(len(s.targets)))
	}
	return s
}

// smallestLoop returns the first node of the smallest component of several nodes, -1 if none.
func smallestLoop(component []int32, count int) int {
	size := make([]int32, count)
	for _, c := range component {
		size[c]++
	}
	best := -1
	for v, c := range component {
		if size[c] > 1 && (best < 0 || size[c] < size[component[best]]) {
			best = v
		}
	}
	return best
}

// shortest searches breadth first from start until it is back. start lies on a cycle of its
// component, so it will be.
func (s subgraph) shortest(start int, component []int32) []*Edge {
	via := make([]int32, len(component)) // index plus one of the edge by which a node was found
	from := make([]int32, len(component))
	queue := []int32{int32(start)}
	for via[start] == 0 {
		v := queue[0]
		queue = queue[1:]
		for i := s.first[v]; i < s.first[v+1]; i++ {
			w := s.targets[i]
			if component[w] == component[start] && via[w] == 0 {
				via[w], from[w] = i+1, v
				queue = append(queue, w)
			}
		}
	}
	var cycle []*Edge
	for v := int32(start); ; {
		cycle = append(cycle, s.edges[via[v]-1])
		if v = from[v]; v == int32(start) {
			break
		}
	}
	slices.Reverse(cycle)
	return cycle
}
