// Package stages folds the nodes of a workflow into stages: nodes that do the same for different inputs. It is the one
// rule for reports and drawings. A vertex is a number from 0 on, in file order.
package stages

import (
	"cmp"
	"slices"

	"wf/graph/components"
	"wf/graph/layered"
)

// A Node is what stages depend on.
type Node struct {
	Name, Group, Command string
	In                   int32 // what contains it: nodes in different ones are of different kinds
}

// A Stage is a set of nodes of the same kind (see kinds). None of them leads to another one, and no two stages lead to
// each other.
type Stage struct {
	Nodes []int32 // in file order
	key   string  // what its nodes have in common
}

// Fold folds nodes into stages, of which each comes before those that follow it, and chains stay together. arcs lead
// from nodes to others; layered.MarkBack has marked those that lead back. of is the stage of each node.
func Fold(nodes []Node, arcs []layered.Arc) (stages []Stage, of []int32) {
	rank := layered.Rank(len(nodes), arcs)
	of, keys := kinds(nodes, rank)
	of, keys = straighten(of, keys, arcs, rank)
	order := layered.Rows(len(keys), between(arcs, of))
	place := make([]int32, len(order))
	stages = make([]Stage, len(order))
	for i, s := range order {
		place[s] = int32(i)
		stages[i].key = keys[s]
	}
	for v, s := range of {
		of[v] = place[s]
		stages[place[s]].Nodes = append(stages[place[s]].Nodes, int32(v))
	}
	return stages, of
}

// straighten divides kinds that lead to themselves or in a circle to each other: their nodes in each layer become a
// stage. Arcs lead from layer to layer, so no circle remains.
func straighten(of []int32, keys []string, arcs []layered.Arc, rank []int32) (straight []int32, straightKeys []string) {
	circular := circles(of, len(keys), arcs)
	type part struct{ kind, layer int32 }
	known := map[part]int32{}
	straight = make([]int32, len(of))
	for v, kind := range of {
		p := part{kind: kind}
		if circular[kind] {
			p.layer = rank[v]
		}
		s, found := known[p]
		if !found {
			s = int32(len(straightKeys))
			known[p] = s
			straightKeys = append(straightKeys, keys[kind])
		}
		straight[v] = s
	}
	return straight, straightKeys
}

// circles returns which kinds are on a circle of arcs that do not lead back.
func circles(of []int32, kinds int, arcs []layered.Arc) []bool {
	circular := make([]bool, kinds)
	first, targets := make([]int32, kinds+1), make([]int32, 0, len(arcs))
	for _, a := range arcs {
		if !a.Back {
			first[of[a.From]+1]++
			circular[of[a.From]] = circular[of[a.From]] || of[a.From] == of[a.To]
		}
	}
	for k := range kinds {
		first[k+1] += first[k]
	}
	targets = targets[:first[kinds]]
	next := slices.Clone(first)
	for _, a := range arcs {
		if !a.Back {
			targets[next[of[a.From]]] = of[a.To]
			next[of[a.From]]++
		}
	}
	component, count := components.Of(first, targets)
	size := make([]int32, count)
	for _, c := range component {
		size[c]++
	}
	for k, c := range component {
		circular[k] = circular[k] || size[c] > 1
	}
	return circular
}

// between returns the arcs between stages that the arcs between nodes make, each once. An arc within a stage, and one
// that leads back, is left out.
func between(arcs []layered.Arc, of []int32) []layered.Arc {
	links := make([]layered.Arc, 0, len(arcs))
	for _, a := range arcs {
		if from, to := of[a.From], of[a.To]; from != to && !a.Back {
			links = append(links, layered.Arc{From: from, To: to})
		}
	}
	slices.SortFunc(links, func(a, b layered.Arc) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return slices.Compact(links)
}
