package graph

import (
	"cmp"
	"slices"

	"wf/graph/layered"
	"wf/graph/stages"
)

// A Stage is a set of nodes that do the same at the same place of a workflow. See package stages.
type Stage struct {
	Name  string
	Nodes []*Node // in file order, without containers
	After []int   // indexes of the directly preceding stages, ascending; all are smaller than its own
}

// foldFrom is the minimum number of commands of a graph whose nodes are folded into stages. In smaller
// graphs each node is its own stage.
const foldFrom = 20

// Stages folds the nodes of a graph into stages. Chains stay together; otherwise stages are in file order. The time is
// linear except for sorting.
func Stages(g *Graph, table *HandleTable) []Stage {
	nodes, at := commands(g)
	arcs := arcsBetween(g, at)
	described := make([]stages.Node, len(nodes))
	for i, n := range nodes {
		described[i] = stages.Node{Name: table.Of(n), Group: n.Group, Command: n.Label}
	}
	layered.MarkBack(len(nodes), arcs)
	var folded []stages.Stage
	var of []int32
	var names []string
	if len(nodes) >= foldFrom {
		folded, of = stages.Fold(described, arcs)
		names = stages.Names(folded, described)
	} else {
		folded, of, names = unfolded(described, layered.Rows(len(nodes), arcs))
	}
	list := make([]Stage, len(folded))
	for i, s := range folded {
		list[i].Name = names[i]
		for _, v := range s.Nodes {
			list[i].Nodes = append(list[i].Nodes, nodes[v])
		}
	}
	for _, a := range arcs {
		if from, to := of[a.From], of[a.To]; from < to {
			list[to].After = append(list[to].After, int(from))
		}
	}
	for i := range list {
		slices.Sort(list[i].After)
		list[i].After = slices.Compact(list[i].After)
	}
	return list
}

// unfolded makes each node a stage, in the given order.
func unfolded(nodes []stages.Node, order []int32) (list []stages.Stage, of []int32, names []string) {
	of = make([]int32, len(nodes))
	for i, v := range order {
		list, names = append(list, stages.Stage{Nodes: []int32{v}}), append(names, nodes[v].Name)
		of[v] = int32(i)
	}
	return list, of, names
}

// commands returns the commands of a graph, in file order, and for each node of the graph its index in them, or -1.
func commands(g *Graph) (nodes []*Node, at []int32) {
	at = make([]int32, len(g.nodes.list))
	for i, n := range g.nodes.list {
		at[i] = -1
		if n.Runnable() {
			at[i] = int32(len(nodes))
			nodes = append(nodes, n)
		}
	}
	return nodes, at
}

// arcsBetween returns the edges between commands. An edge from a command to itself is left out.
func arcsBetween(g *Graph, at []int32) []layered.Arc {
	arcs := make([]layered.Arc, 0, len(g.edges.list))
	for _, e := range g.edges.list {
		if from, to := at[e.Source.pos], at[e.Target.pos]; from >= 0 && to >= 0 && from != to {
			arcs = append(arcs, layered.Arc{From: from, To: to, Weak: e.Type != Blocking})
		}
	}
	slices.SortStableFunc(arcs, func(a, b layered.Arc) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return arcs
}
