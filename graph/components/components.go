// Package components finds the components of a graph: strongly connected ones, whose nodes reach each other, and those
// that are connected if the direction of edges does not matter. It works on numbers, so that it serves workflows, stages,
// drawings and schedules alike.
package components

// Of finds the components of a graph given as compact arrays: the successors of node v are
// targets[first[v]:first[v+1]]. It returns the component of each node and the number of components. A component has a
// higher number than those it leads to. The time is linear. It uses no recursion, so chains may be long.
func Of(first, targets []int32) (component []int32, count int) {
	n := len(first) - 1
	t := tarjan{
		first: first, targets: targets,
		component: make([]int32, n), order: make([]int32, n), low: make([]int32, n), next: make([]int32, n),
	}
	for v := range t.component {
		t.component[v] = -1
	}
	for v := range int32(n) {
		if t.order[v] == 0 {
			t.visit(v)
		}
	}
	return t.component, int(t.count)
}

// tarjan is the state of Tarjan's algorithm (Depth-first search and linear graph algorithms,
// 1972) with the recursion turned into the slice path.
type tarjan struct {
	first, targets []int32

	component []int32
	order     []int32 // when the node was first seen, from 1; 0 = not yet
	low       []int32 // the earliest node on the stack that the node is known to reach
	next      []int32 // index in targets of the edge to follow next

	path  []int32 // from the root of the search to the current node
	stack []int32 // seen nodes that have no component yet
	seen  int32
	count int32
}

func (t *tarjan) visit(root int32) {
	t.enter(root)
	for len(t.path) > 0 {
		v := t.path[len(t.path)-1]
		if w, ok := t.follow(v); ok {
			t.enter(w)
			continue
		}
		t.leave(v)
	}
}

func (t *tarjan) enter(v int32) {
	t.seen++
	t.order[v], t.low[v], t.next[v] = t.seen, t.seen, t.first[v]
	t.path = append(t.path, v)
	t.stack = append(t.stack, v)
}

// follow follows the remaining edges of v until one leads to a node not seen before.
func (t *tarjan) follow(v int32) (next int32, ok bool) {
	for t.next[v] < t.first[v+1] {
		w := t.targets[t.next[v]]
		t.next[v]++
		if t.order[w] == 0 {
			return w, true
		}
		if t.component[w] < 0 {
			t.low[v] = min(t.low[v], t.order[w])
		}
	}
	return 0, false
}

// leave ends the visit of v. If v reaches no earlier node it is the root of a component, which
// contains v and everything above it on the stack.
func (t *tarjan) leave(v int32) {
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		parent := t.path[len(t.path)-1]
		t.low[parent] = min(t.low[parent], t.low[v])
	}
	if t.low[v] != t.order[v] {
		return
	}
	for {
		w := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.component[w] = t.count
		if w == v {
			break
		}
	}
	t.count++
}
