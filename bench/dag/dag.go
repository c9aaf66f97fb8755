// Package dag makes and converts the graphs of the benchmarks: shapes from a seed, recorded workflows,
// workfiles. It writes each as a workfile, a ninja file or a makefile that do the same work in the same
// order. It runs nothing and measures nothing.
package dag

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Graph is a workflow without loops.
type Graph struct {
	Wrapper string // of the workfile; the other formats have no wrapper
	Nodes   []Node
}

// Node is one command.
type Node struct {
	ID      string
	Command string
	After   []int // indices of its predecessors
}

// Edges returns the number of edges.
func (g *Graph) Edges() int {
	n := 0
	for i := range g.Nodes {
		n += len(g.Nodes[i].After)
	}
	return n
}

// SetCommand sets the command of every node.
func (g *Graph) SetCommand(command string) {
	for i := range g.Nodes {
		g.Nodes[i].Command = command
	}
}

// A shape returns the predecessors of node i of n, called for i = 0, 1, …
type shape func(i int) []int

// shapes by name; each call starts a new graph.
var shapes = map[string]func(n int, random *rand.Rand) shape{
	"flat":    flat,
	"chain":   chain,
	"layered": layered,
	"fan":     fan,
}

// Shapes returns the names of shapes, sorted.
func Shapes() []string {
	var names []string
	for name := range shapes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New makes a graph of n nodes that all run command. The same arguments give the same graph.
//
//	flat     no edges
//	chain    one after the other
//	fan      one, then all but two at once, then one
//	layered  layers of 10 to 100 nodes, each node after two or three of the layer before
func New(name string, n int, command string, seed uint64) (*Graph, error) {
	begin, known := shapes[name]
	if !known {
		return nil, fmt.Errorf("no shape %q: there are %s", name, strings.Join(Shapes(), ", "))
	}
	if n < 1 {
		return nil, fmt.Errorf("a graph of %d nodes cannot be made", n)
	}
	after := begin(n, rand.New(rand.NewPCG(seed, uint64(n))))
	g := &Graph{Nodes: make([]Node, n)}
	for i := range g.Nodes {
		g.Nodes[i] = Node{ID: fmt.Sprintf("n%06d", i), Command: command, After: after(i)}
	}
	return g, nil
}

func flat(int, *rand.Rand) shape {
	return func(int) []int { return nil }
}

func chain(int, *rand.Rand) shape {
	return func(i int) []int {
		if i == 0 {
			return nil
		}
		return []int{i - 1}
	}
}

func fan(n int, _ *rand.Rand) shape {
	return func(i int) []int {
		switch {
		case i == 0:
			return nil
		case i < n-1 || n == 2:
			return []int{0}
		}
		all := make([]int, 0, n-2)
		for k := 1; k < n-1; k++ {
			all = append(all, k)
		}
		return all
	}
}

// Widths of the layers of a layered graph.
const minWidth, maxWidth = 10, 100

func layered(_ int, random *rand.Rand) shape {
	width := func() int { return minWidth + random.IntN(maxWidth-minWidth+1) }
	before, begin, end := 0, 0, width() // the previous layer starts at before, this one is begin…end
	return func(i int) []int {
		if i == end {
			before, begin, end = begin, end, end+width()
		}
		if begin == before {
			return nil // the first layer
		}
		picked := random.Perm(begin - before)[:2+random.IntN(2)]
		for k := range picked {
			picked[k] += before
		}
		slices.Sort(picked)
		return picked
	}
}

// levels returns the length of the longest path to each node. Predecessors may come later in the list, as
// in recorded workflows.
func (g *Graph) levels() ([]int, error) {
	level, waiting := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	next := make([][]int, len(g.Nodes))
	var ready []int
	for i := range g.Nodes {
		waiting[i] = len(g.Nodes[i].After)
		if waiting[i] == 0 {
			ready = append(ready, i)
		}
		for _, p := range g.Nodes[i].After {
			next[p] = append(next[p], i)
		}
	}
	for k := 0; k < len(ready); k++ {
		for _, i := range next[ready[k]] {
			level[i] = max(level[i], level[ready[k]]+1)
			if waiting[i]--; waiting[i] == 0 {
				ready = append(ready, i)
			}
		}
	}
	if len(ready) < len(g.Nodes) {
		return nil, fmt.Errorf("%d nodes wait for each other in a cycle", len(g.Nodes)-len(ready))
	}
	return level, nil
}
