package stages

import "slices"

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

// Back puts the vertices into a sequence and returns which arcs lead back in it. A vertex comes when the sources of its
// strong arcs have come, and if possible those of its weak ones. Where nothing fits, as in a loop of strong arcs, which
// cannot run, the first vertex that is left comes.
func Back(size int, arcs []Arc) []bool {
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
	var free, almost []int32
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
	back := make([]bool, len(arcs))
	for i, a := range arcs {
		back[i] = place[a.From] > place[a.To]
	}
	return back
}

// Rows puts the vertices into an order in which every arc that does not lead back leads down, and what follows a vertex
// comes right after it where that is possible: chains stay together.
func Rows(size int, arcs []Arc, back []bool) []int32 {
	missing := make([]int32, size)
	for i, a := range arcs {
		if !back[i] {
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
			if back[i] {
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
