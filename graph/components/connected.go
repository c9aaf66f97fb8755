package components

import "iter"

// Connected finds the parts of a graph that are connected if the direction of edges does not matter. It returns the
// component of each node and the number of components, which are numbered in the order of their first nodes. The time is
// nearly linear.
func Connected(size int, edges iter.Seq2[int32, int32]) (component []int32, count int) {
	parent := make([]int32, size) // a node before it in the same component; the first node is its own
	for v := range parent {
		parent[v] = int32(v)
	}
	first := func(v int32) int32 {
		for parent[v] != v {
			parent[v] = parent[parent[v]]
			v = parent[v]
		}
		return v
	}
	for a, b := range edges {
		if a, b = first(a), first(b); a < b {
			parent[b] = a
		} else {
			parent[a] = b
		}
	}
	for v, p := range parent { // p is before v, so its component is known
		if int(p) == v {
			parent[v] = int32(count)
			count++
		} else {
			parent[v] = parent[p]
		}
	}
	return parent, count
}
