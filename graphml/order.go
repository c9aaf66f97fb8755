package graphml

import (
	"cmp"
	"slices"
)

// A place is the position of a node among those of its container: an offset in the text, and whether it is inserted there
// or is the text there.
type place struct {
	offset int32
	text   int // 0 for an insertion at the offset, 1 for the text there
	rank   int
	number int32
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.text, b.text), cmp.Compare(a.rank, b.rank), cmp.Compare(a.number, b.number))
}

// An arrangement finds the order of elements in the file as it would be saved now.
type arrangement struct{ *Document }

// placeOf returns the place of a node, also of a removed one.
func (d arrangement) placeOf(number, parent int32) place {
	s, ok := d.spotOf(number)
	if !ok || d.inPlace(number) {
		return place{d.nodes[number].start, 1, 0, number}
	}
	p := place{0, 0, s.Rank, number}
	l := layout{text: d.text}
	switch {
	case s.Near != none && s.Behind:
		p.offset = d.nodes[s.Near].end
	case s.Near != none:
		p.offset = d.nodes[s.Near].start - int32(len(l.before(d.nodes[s.Near].start)))
	case parent != none && d.nodes[parent].start == added:
	default:
		g := int32(0)
		if parent != none {
			g = d.graphIn(parent)
		}
		switch {
		case g == none:
			p.offset = d.nodes[parent].end
		case d.graphs[g].lastNode != none:
			p.offset = d.nodes[d.graphs[g].lastNode].end
		default:
			p.offset = d.graphs[g].end
		}
	}
	return p
}

// allNodes returns the numbers of all nodes in the order of the file. Removed nodes are where undo would restore them.
func (d arrangement) allNodes() []int32 {
	gone := map[string]int32{}
	for i := range d.nodes {
		if d.edits.nodes[i].gone() {
			gone[d.nodeID(int32(i))] = int32(i)
		}
	}
	inside := map[int32][]place{}
	for i := range d.nodes {
		number := int32(i)
		parent := d.parentOf(number)
		if s, ok := d.spotOf(number); ok && parent == none && s.Parent != "" {
			if removed, known := gone[s.Parent]; known {
				parent = removed
			}
		}
		inside[parent] = append(inside[parent], d.placeOf(number, parent))
	}
	list := make([]int32, 0, len(d.nodes))
	var visit func(parent int32)
	visit = func(parent int32) {
		nodes := inside[parent]
		slices.SortFunc(nodes, comparePlaces)
		for _, p := range nodes {
			list = append(list, p.number)
			visit(p.number)
		}
	}
	visit(none)
	return list
}

// allEdges returns the numbers of all edges in the order of the file. A removed edge follows the one before it in the text.
func (d arrangement) allEdges() []int32 {
	list := make([]int32, 0, len(d.edges))
	goneFrom := func(i int32) {
		for ; int(i) < len(d.edges) && d.edits.edges[i].gone(); i++ {
			list = append(list, i)
		}
	}
	goneFrom(0)
	put := func(i int32) {
		list = append(list, i)
		goneFrom(i + 1)
	}
	if !d.edits.structural() {
		for i := range d.edges {
			if !d.edits.edges[i].gone() {
				put(int32(i))
			}
		}
		return list
	}
	old := d.edges[:d.lastOldEdge()+1]
	for _, o := range newRenderer(d.Document).all() {
		if o.edge != none {
			put(o.edge)
		}
		if o.text != nil {
			continue
		}
		i, _ := slices.BinarySearchFunc(old, o.from, func(e element, from int32) int { return cmp.Compare(e.start, from) })
		for ; i < len(old) && old[i].start < o.to; i++ {
			if !d.edits.edges[i].gone() {
				put(int32(i))
			}
		}
	}
	return list
}

// NewKeys are the keys that Reorder has given to nodes and edges, by their former keys.
type NewKeys struct {
	nodes, edges       map[int]int
	NextNode, NextEdge int // the lowest keys that are not used
}

// Node returns the new key of a node, -1 if it has none.
func (k *NewKeys) Node(key int) int { return numberOf(k.nodes, key) }

// Edge is Node for edges.
func (k *NewKeys) Edge(key int) int { return numberOf(k.edges, key) }

// Reorder gives all nodes and edges new keys, in the order in which the file has them. Graphs number elements in the order of
// their keys, but a moved element has the key of an earlier place.
func (d *Document) Reorder() NewKeys {
	k := NewKeys{map[int]int{}, map[int]int{}, len(d.nodes), len(d.edges)}
	nodeKeys, edgeKeys := make([]int, len(d.nodes)), make([]int, len(d.edges))
	for key, number := range (arrangement{d}).allNodes() {
		k.nodes[d.keyOf(ref{ofNode, number})], nodeKeys[number] = key, key
	}
	for key, number := range (arrangement{d}).allEdges() {
		k.edges[d.keyOf(ref{ofEdge, number})], edgeKeys[number] = key, key
	}
	d.useKeys(nodeKeys, edgeKeys)
	return k
}

// useKeys gives each element a key, by its number.
func (d *Document) useKeys(nodes, edges []int) {
	d.nodeKeys, d.edgeKeys = nodes, edges
	clear(d.newNodes)
	clear(d.newEdges)
	for number, key := range nodes {
		d.newNodes[key] = int32(number)
		if e := d.edits.nodes[number]; e != nil && e.New != nil {
			e.New.key = key
		}
	}
	for number, key := range edges {
		d.newEdges[key] = int32(number)
		if e := d.edits.edges[number]; e != nil && e.New != nil {
			e.New.key = key
		}
	}
}

// setKeys gives keys to a node and the nodes in it, in the order of their present keys.
func (d *Document) setKeys(number int32, keys []int) {
	if len(keys) == 1 && d.keyOf(ref{ofNode, number}) == keys[0] {
		return
	}
	if d.nodeKeys == nil {
		nodes, edges := make([]int, len(d.nodes)), make([]int, len(d.edges))
		for i := range nodes {
			nodes[i] = d.keyOf(ref{ofNode, int32(i)})
		}
		for i := range edges {
			edges[i] = d.keyOf(ref{ofEdge, int32(i)})
		}
		d.useKeys(nodes, edges)
	}
	moved := []int32{number}
	if len(keys) > 1 {
		for _, other := range d.nodeNumber {
			if other != number && d.within(other, number) {
				moved = append(moved, other)
			}
		}
	}
	if len(moved) != len(keys) {
		panic("internal error: graphml: keys of a moved node do not fit")
	}
	key := func(number int32) int { return d.keyOf(ref{ofNode, number}) }
	slices.SortFunc(moved, func(a, b int32) int { return cmp.Compare(key(a), key(b)) })
	for _, n := range moved {
		delete(d.newNodes, key(n))
	}
	for i, n := range moved {
		d.newNodes[keys[i]] = n
		if e := d.edits.nodes[n]; e != nil && e.New != nil {
			e.New.key = keys[i]
			continue
		}
		d.nodeKeys[n] = keys[i]
	}
}
