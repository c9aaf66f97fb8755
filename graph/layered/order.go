package layered

import "slices"

// An Arc leads from one vertex to another one. A vertex is a number from 0. A weak arc stands for non-blocking edges
// only. MarkBack sets Back.
type Arc struct {
	From, To   int32
	Weak, Back bool
}

// outOf returns the numbers of the arcs that leave each vertex: those of v are list[first[v]:first[v+1]].
func outOf(size int, arcs []Arc) (first, list []int32) {
	first, list = make([]int32, size+1), make([]int32, len(arcs))
	for _, a := range arcs {
		first[a.From+1]++
	}
	for v := range size {
		first[v+1] += first[v]
	}
	next := slices.Clone(first)
	for i, a := range arcs {
		list[next[a.From]] = int32(i)
		next[a.From]++
	}
	return first, list
}

// MarkBack puts the vertices into a sequence and marks the arcs that lead back in it. A vertex follows the sources of
// its strong arcs, and if possible those of its weak ones. If no vertex qualifies, as in a cycle of strong arcs, the
// first remaining vertex is next. No arc may lead from a vertex to itself.
func MarkBack(size int, arcs []Arc) {
	strong, weak := make([]int32, size), make([]int32, size)
	for _, a := range arcs {
		if a.Weak {
			weak[a.To]++
		} else {
			strong[a.To]++
		}
	}
	place := make([]int32, size)
	for v := range place {
		place[v] = -1
	}
	var free, almost []int32 // all sources are in the sequence; all except those of weak arcs
	sort := func(v int32) {
		if strong[v] == 0 && weak[v] == 0 {
			free = append(free, v)
		} else if strong[v] == 0 {
			almost = append(almost, v)
		}
	}
	for v := range int32(size) {
		sort(v)
	}
	from, out := outOf(size, arcs)
	count, first := int32(0), int32(0)
	for int(count) < size {
		var v int32
		switch {
		case len(free) > 0:
			v, free = free[0], free[1:]
		case len(almost) > 0:
			v, almost = almost[0], almost[1:]
		default:
			for place[first] >= 0 {
				first++
			}
			v = first
		}
		if place[v] >= 0 {
			continue
		}
		place[v] = count
		count++
		for _, i := range out[from[v]:from[v+1]] {
			a := &arcs[i]
			if a.Weak {
				weak[a.To]--
			} else {
				strong[a.To]--
			}
			sort(a.To)
		}
	}
	for i := range arcs {
		arcs[i].Back = place[arcs[i].From] > place[arcs[i].To]
	}
}

// Rows returns an order of the vertices in which every arc leads down, except those that lead back. If possible, the
// target of an arc comes directly after its source, so that chains stay together.
func Rows(size int, arcs []Arc) []int32 {
	missing := make([]int32, size)
	for _, a := range arcs {
		if !a.Back {
			missing[a.To]++
		}
	}
	stack := make([]int32, 0, size)
	for v := int32(size) - 1; v >= 0; v-- {
		if missing[v] == 0 {
			stack = append(stack, v)
		}
	}
	from, out := outOf(size, arcs)
	order := make([]int32, 0, size)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		order = append(order, v)
		for _, i := range slices.Backward(out[from[v]:from[v+1]]) {
			if arcs[i].Back {
				continue
			}
			to := arcs[i].To
			if missing[to]--; missing[to] == 0 {
				stack = append(stack, to)
			}
		}
	}
	return order
}

// Rank returns the layer of each vertex: the one after its last source. Vertices without sources are in the layer
// before their first target, which keeps lines short. Arcs that lead back have no effect.
func Rank(size int, arcs []Arc) []int32 {
	rank := make([]int32, size)
	from, out := outOf(size, arcs)
	inner := make([]bool, size) // has a source
	for _, v := range Rows(size, arcs) {
		for _, i := range out[from[v]:from[v+1]] {
			if a := &arcs[i]; !a.Back {
				rank[a.To] = max(rank[a.To], rank[v]+1)
				inner[a.To] = true
			}
		}
	}
	nearest := make([]int32, size) // layer of the first target, 0 if there is none
	for _, a := range arcs {
		if !a.Back && (nearest[a.From] == 0 || rank[a.To] < nearest[a.From]) {
			nearest[a.From] = rank[a.To]
		}
	}
	for v := range rank {
		if !inner[v] && nearest[v] > 0 {
			rank[v] = nearest[v] - 1
		}
	}
	return rank
}
