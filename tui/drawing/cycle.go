package drawing

// findCycles marks the arcs that lead back and belong to a cycle of blocking edges. No run accepts such a cycle; a
// loop contains a non-blocking edge.
func (w *web) findCycles() {
	strongBack := false
	for i := range w.arcs {
		strongBack = strongBack || w.arcs[i].back && !w.arcs[i].weak
	}
	if !strongBack {
		return
	}
	component := w.components()
	for i := range w.arcs {
		a := &w.arcs[i]
		a.cycle = a.back && !a.weak && component[a.from] == component[a.to]
	}
}

// components numbers the strongly connected components over the blocking arcs (Tarjan's algorithm without
// recursion).
func (w *web) components() []int32 {
	component, low, number := make([]int32, w.size), make([]int32, w.size), make([]int32, w.size)
	var stack, path []int32
	next := make([]int, w.size)
	count, found := int32(0), int32(0)
	for root := range int32(w.size) {
		if number[root] > 0 {
			continue
		}
		path = append(path[:0], root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if number[v] == 0 {
				count++
				number[v], low[v] = count, count
				stack = append(stack, v)
			}
			if to, more := w.nextStrong(v, &next[v]); more {
				if number[to] == 0 {
					path = append(path, to)
				} else if component[to] == 0 {
					low[v] = min(low[v], number[to])
				}
				continue
			}
			if path = path[:len(path)-1]; len(path) > 0 {
				u := path[len(path)-1]
				low[u] = min(low[u], low[v])
			}
			if low[v] != number[v] {
				continue
			}
			found++
			for top := int32(-1); top != v; {
				top = stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				component[top] = found
			}
		}
	}
	return component
}

// nextStrong returns the target of the next blocking arc of a vertex, starting at arc number at.
func (w *web) nextStrong(v int32, at *int) (to int32, more bool) {
	for *at < len(w.out[v]) {
		a := w.arcs[w.out[v][*at]]
		*at++
		if !a.weak {
			return a.to, true
		}
	}
	return 0, false
}
