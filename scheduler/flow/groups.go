package flow

import (
	"slices"

	"wf/graph"
	"wf/graph/components"
)

// isGroup reports whether a node is a group: a container whose nodes belong to the flow around it.
func isGroup(n *graph.Node) bool { return n.Container && !n.SubFlow() }

// ends are the nodes for which a group stands at the end of an edge.
type ends struct {
	entries, exits []*graph.Node
	entry          map[*graph.Node]bool // the entries
	waitsFor       int                  // number of sources of blocking edges to the group; -1 = not counted yet
}

// Expand returns the sources and targets of an edge: its ends, and for an end that is a group the nodes in
// it that nothing else in it leads to (targets), or that lead to nothing else in it (sources). These are
// the nodes with which a run of the group alone would start or end; of a loop, the nodes without a blocking
// in-edge or out-edge. Both are in file order.
func (f *Flow) Expand(e *graph.Edge) (sources, targets []*graph.Node) {
	sources, targets = []*graph.Node{e.Source}, []*graph.Node{e.Target}
	if isGroup(e.Source) {
		sources = f.ends(e.Source).exits
	}
	if isGroup(e.Target) {
		targets = f.ends(e.Target).entries
	}
	return sources, targets
}

// ends computes the ends of a group once. Edges in it may lead to groups in it.
func (f *Flow) ends(group *graph.Node) *ends {
	if known := f.groups[group]; known != nil {
		return known
	}
	members := f.within(group)
	var nodes []*graph.Node
	index := map[*graph.Node]int32{}
	for _, n := range members {
		if !isGroup(n) {
			index[n] = int32(len(nodes))
			nodes = append(nodes, n)
		}
	}
	// Set before the edges are visited, so that an edge from a node to a group around it, which is
	// an error, does not recurse.
	found := &ends{entry: map[*graph.Node]bool{}, waitsFor: -1}
	f.groups[group] = found
	w := &innerEdges{index: index, out: make([][]int32, len(nodes)), blockingIn: make([]bool, len(nodes)), blockingOut: make([]bool, len(nodes))}
	for _, n := range members {
		for _, e := range n.Out {
			w.add(f, e)
		}
	}
	entered, left, component := borders(w.out)
	for i, n := range nodes {
		if !entered[component[i]] && !w.blockingIn[i] {
			found.entries, found.entry[n] = append(found.entries, n), true
		}
		if !left[component[i]] && !w.blockingOut[i] {
			found.exits = append(found.exits, n)
		}
	}
	return found
}

// innerEdges are the edges among the nodes of a group. An edge that stands for several has its own vertex
// between all its sources and all its targets, so that the number of edges does not exceed the number of ends in the
// file.
type innerEdges struct {
	index                   map[*graph.Node]int32
	out                     [][]int32
	blockingIn, blockingOut []bool // of nodes
}

func (w *innerEdges) add(f *Flow, e *graph.Edge) {
	sources, targets := f.Expand(e)
	from, to := w.inside(sources), w.inside(targets)
	if len(from) == 0 || len(to) == 0 {
		return
	}
	if e.Type == graph.Blocking {
		for _, a := range from {
			w.blockingOut[a] = true
		}
		for _, b := range to {
			w.blockingIn[b] = true
		}
	}
	if len(from) == 1 {
		w.out[from[0]] = append(w.out[from[0]], to...)
		return
	}
	vertex := int32(len(w.out))
	w.out = append(w.out, to)
	for _, a := range from {
		w.out[a] = append(w.out[a], vertex)
	}
}

func (w *innerEdges) inside(nodes []*graph.Node) []int32 {
	var list []int32
	for _, n := range nodes {
		if i, ok := w.index[n]; ok {
			list = append(list, i)
		}
	}
	return list
}

// borders finds the strongly connected components that an edge from another one leads to, and those that
// an edge leads from.
func borders(out [][]int32) (entered, left []bool, component []int32) {
	component, count := componentsOf(out)
	entered, left = make([]bool, count), make([]bool, count)
	for a, list := range out {
		for _, b := range list {
			if component[a] != component[b] {
				left[component[a]], entered[component[b]] = true, true
			}
		}
	}
	return entered, left, component
}

// componentsOf is components.Of for a list of successors per vertex.
func componentsOf(out [][]int32) (component []int32, count int) {
	first := make([]int32, 1, len(out)+1)
	for _, list := range out {
		first = append(first, first[len(first)-1]+int32(len(list)))
	}
	return components.Of(first, slices.Concat(out...))
}

// maxGroupWork is how many nodes are visited for all groups at ends of edges. A node in nested groups counts for each of
// them.
const maxGroupWork = 20_000_000

// within returns the nodes that belong to the same flow as the group, including those of groups in it, in
// file order.
func (f *Flow) within(group *graph.Node) []*graph.Node {
	if f.children == nil {
		f.children = map[*graph.Node][]*graph.Node{}
		for _, n := range f.g.Nodes() {
			if n.Parent != nil {
				f.children[n.Parent] = append(f.children[n.Parent], n)
			}
		}
	}
	if f.work > maxGroupWork {
		return nil
	}
	all := slices.Clone(f.children[group])
	for i := 0; i < len(all); i++ {
		if isGroup(all[i]) {
			all = append(all, f.children[all[i]]...)
		}
	}
	f.work += len(all)
	slices.SortFunc(all, func(a, b *graph.Node) int { return a.Pos() - b.Pos() })
	return all
}

// blockingIn counts the blocking edges that a node waits for, those of groups around it included.
func (f *Flow) blockingIn(n *graph.Node) int {
	number := f.blocking(n.In)
	for p := n.Parent; p != nil && isGroup(p); p = p.Parent {
		known := f.ends(p)
		if known.waitsFor < 0 {
			known.waitsFor = f.blocking(p.In)
		}
		if known.entry[n] {
			number += known.waitsFor
		}
	}
	return number
}

// blocking counts the sources of the blocking edges among some edges.
func (f *Flow) blocking(edges []*graph.Edge) int {
	number := 0
	for _, e := range edges {
		if e.Type == graph.Blocking {
			sources, _ := f.Expand(e)
			number += len(sources)
		}
	}
	return number
}
