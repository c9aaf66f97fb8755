package drawing

import (
	"cmp"
	"encoding/binary"
	"slices"

	"wf/graph/layered"
)

// A share is a bundle of arcs that are drawn as one line with branches. Its vertices are in ascending order.
type share struct {
	layered.Bundle
	arcs      []int32
	weak, via bool
}

// A group is a set of vertices with the same sources. One line can serve all arcs to them.
type group struct {
	sources, targets []int32
	kind             int
	cost             int32 // length of its line
	bus              bool  // it has its own line; otherwise it uses the lines of its sources
}

// An outlet is the set of arcs of one kind from a vertex.
type outlet struct {
	groups []int32
	cost   int32
	own    bool // it has its own line; otherwise its arcs use the lines of their targets
}

// kinds is the number of kinds of arcs that cannot share a line: weak and via are its bits.
const kinds = 4

func (a *arc) kind() int {
	k := 0
	if a.weak {
		k |= 1
	}
	if a.via {
		k |= 2
	}
	return k
}

// shares decides which arcs share a line. An arc can use the line of its source, which all arcs of the source share,
// or the line (bus) of its target, which all arcs to that target and to targets with the same sources share. The
// fewest and shortest lines that serve every arc are a vertex cover of minimum cost; shares finds one that costs at
// most twice the minimum. at contains the positions of the vertices: rows of a list, or layers.
func shares(w *web, at []int32) []share {
	groups := groupsOf(w, at)
	outlets := make([][kinds]outlet, w.size)
	for i := range groups {
		g := &groups[i]
		for _, s := range g.sources {
			o := &outlets[s][g.kind]
			o.groups = append(o.groups, int32(i))
			for _, t := range g.targets {
				o.cost = max(o.cost, at[t]-at[s])
			}
			o.own = o.own || len(g.sources) == 1
		}
	}
	cover(groups, outlets)
	all := outletShares(groups, outlets)
	for i := range groups {
		if g := &groups[i]; g.bus {
			joined := slices.DeleteFunc(slices.Clone(g.sources), func(s int32) bool { return outlets[s][g.kind].own })
			all = append(all, newShare(joined, g.targets, g.kind))
		}
	}
	for i := range all {
		all[i].find(w)
	}
	return all
}

func newShare(sources, targets []int32, kind int) share {
	return share{Bundle: layered.Bundle{Sources: sources, Targets: targets}, weak: kind&1 != 0, via: kind&2 != 0}
}

// find lists the arcs of a share.
func (s *share) find(w *web) {
	kind := (&arc{weak: s.weak, via: s.via}).kind()
	for _, v := range s.Sources {
		for _, i := range w.out[v] {
			a := &w.arcs[i]
			if _, found := slices.BinarySearch(s.Targets, a.to); found && !a.back && a.kind() == kind {
				s.arcs = append(s.arcs, i)
			}
		}
	}
}

// outletShares creates shares for the outlets with their own lines. Outlets to the same targets become one share.
func outletShares(groups []group, outlets [][kinds]outlet) []share {
	var all []share
	known := map[string]int{}
	var targets []int32
	var key []byte
	for v := range outlets {
		for kind := range kinds {
			o := &outlets[v][kind]
			if !o.own {
				continue
			}
			targets, key = targets[:0], append(key[:0], byte(kind))
			for _, i := range o.groups {
				targets = append(targets, groups[i].targets...)
			}
			slices.Sort(targets)
			key = appendNumbers(key, targets)
			i, found := known[string(key)]
			if !found {
				i = len(all)
				known[string(key)] = i
				all = append(all, newShare(nil, slices.Clone(targets), kind))
			}
			all[i].Sources = append(all[i].Sources, int32(v))
		}
	}
	return all
}

func appendNumbers(key []byte, numbers []int32) []byte {
	for _, n := range numbers {
		key = binary.BigEndian.AppendUint32(key, uint32(n))
	}
	return key
}

// groupsOf puts the targets with the same sources into groups.
func groupsOf(w *web, at []int32) []group {
	var groups []group
	known := map[string]int{}
	var sources []int32
	var key []byte
	for v := range int32(w.size) {
		for kind := range kinds {
			sources = sources[:0]
			for _, i := range w.in[v] { // ascending, like the arcs
				if a := &w.arcs[i]; !a.back && a.kind() == kind {
					sources = append(sources, a.from)
				}
			}
			if len(sources) == 0 {
				continue
			}
			key = appendNumbers(append(key[:0], byte(kind)), sources)
			i, found := known[string(key)]
			if !found {
				i = len(groups)
				known[string(key)] = i
				groups = append(groups, group{sources: slices.Clone(sources), kind: kind})
			}
			g := &groups[i]
			g.targets = append(g.targets, v)
			for _, s := range g.sources {
				g.cost = max(g.cost, at[v]-at[s])
			}
		}
	}
	return groups
}

// cover decides which groups and outlets have lines, so that each connected pair has at least one. Each arc
// charges both its ends until one of them has paid its cost; that end gets a line (the primal-dual method for vertex
// covers). Then unnecessary lines are removed, the
// longest first.
func cover(groups []group, outlets [][kinds]outlet) {
	for i := range groups {
		g := &groups[i]
		left := g.cost
		for _, s := range g.sources {
			o := &outlets[s][g.kind]
			if o.own || left == 0 {
				continue
			}
			paid := min(left, o.cost)
			left -= paid
			o.cost -= paid
			o.own = o.cost == 0
		}
		g.bus = left == 0
	}
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(groups[b].cost, groups[a].cost) })
	for _, i := range order {
		g := &groups[i]
		g.bus = slices.ContainsFunc(g.sources, func(s int32) bool { return !outlets[s][g.kind].own })
	}
	for v := range outlets {
		for kind := range kinds {
			o := &outlets[v][kind]
			o.own = o.own && slices.ContainsFunc(o.groups, func(i int32) bool { return !groups[i].bus })
		}
	}
}
