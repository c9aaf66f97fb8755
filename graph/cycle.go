package graph

import (
	"slices"

	"wf/graph/components"
)

// FindCycle returns the edges of a cycle of blocking edges within the scope, in order, or nil if there
// is none. Of all cycles it returns the shortest one through the newest edge that is on any cycle.
// This edge, which probably closed the cycle, comes last. The time is linear.
func FindCycle(scope []*Node) []*Edge {
	if leadForward(scope) {
		return nil
	}
	s := blockingSubgraph(scope)
	component, _ := components.Of(s.first, s.targets)
	closing := int32(-1)
	for i, e := range s.edges {
		if s.within(int32(i), component) && (closing < 0 || e.Key > s.edges[closing].Key) {
			closing = int32(i)
		}
	}
	if closing < 0 {
		return nil
	}
	return append(s.shortest(s.targets[closing], s.sources[closing], component), s.edges[closing])
}

// leadForward reports whether all blocking edges lead to later nodes, as in most files. Then there is no cycle.
func leadForward(scope []*Node) bool {
	for _, n := range scope {
		for _, e := range n.Out {
			if e.Type == Blocking && e.Target.pos <= n.pos {
				return false
			}
		}
	}
	return true
}

// CyclicGroups returns the number of strongly connected components in which blocking edges form cycles.
func CyclicGroups(scope []*Node) int {
	s := blockingSubgraph(scope)
	component, _ := components.Of(s.first, s.targets)
	groups := map[int32]bool{}
	for i := range s.edges {
		if s.within(int32(i), component) {
			groups[component[s.sources[i]]] = true
		}
	}
	return len(groups)
}

// subgraph contains the blocking edges within the scope, in the compact form of Components.
type subgraph struct {
	first, targets []int32
	sources        []int32 // parallel to targets
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
	for i, n := range scope {
		for _, e := range n.Out {
			if e.Type == Blocking && e.Target.pos <= last && index[e.Target.pos] > 0 {
				s.targets = append(s.targets, index[e.Target.pos]-1)
				s.sources = append(s.sources, int32(i))
				s.edges = append(s.edges, e)
			}
		}
		s.first = append(s.first, int32(len(s.targets)))
	}
	return s
}

// within reports whether an edge is on a cycle: both its ends are in one component.
func (s subgraph) within(edge int32, component []int32) bool {
	return component[s.sources[edge]] == component[s.targets[edge]]
}

// shortest returns a shortest path between two nodes of one component, by breadth-first search.
func (s subgraph) shortest(from, to int32, component []int32) []*Edge {
	via := make([]int32, len(component)) // index plus one of the edge by which a node was found
	for queue := []int32{from}; from != to && via[to] == 0; queue = queue[1:] {
		v := queue[0]
		for i := s.first[v]; i < s.first[v+1]; i++ {
			if w := s.targets[i]; component[w] == component[from] && via[w] == 0 && w != from {
				via[w] = i + 1
				queue = append(queue, w)
			}
		}
	}
	var way []*Edge
	for v := to; v != from; v = s.sources[via[v]-1] {
		way = append(way, s.edges[via[v]-1])
	}
	slices.Reverse(way)
	return way
}
