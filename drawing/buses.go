package drawing

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// A group is the rows that the same rows lead to: one line can serve all these edges at once.
type group struct {
	sources, targets []int32 // rows, ascending; every source is above every target
	weak, via        bool
	cost             int32 // rows that its line passes
	bus              bool  // it has a line of its own; else it hangs on those of its sources
}

// An outlet is the out-edges of one row, of one kind.
type outlet struct {
	groups []int32
	cost   int32
	own    bool // it has a line of its own; else its edges join the buses of their targets
}

// kind of an arc as far as lines of it can be shared: 0 to 3.
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

// lanesOf decides which edges share a line. An edge can leave by the line of its source, which
// all of the source's edges share, or by the bus of its target, which all edges to that target, and
// to those with the same sources, share. The fewest and shortest lines that serve every edge are a
// vertex cover of least cost; this finds one that is at most twice as long as the best.
func lanesOf(w *web, place []int32) []lane {
	groups := groupsOf(w, place)
	outlets := make([][4]outlet, w.size)
	for i := range groups {
		g := &groups[i]
		for _, s := range g.sources {
			o := &outlets[s][g.kind()]
			o.groups = append(o.groups, int32(i))
			o.cost = max(o.cost, g.targets[len(g.targets)-1]-s)
			o.own = o.own || len(g.sources) == 1
		}
	}
	cover(groups, outlets)
	var all []lane
	for r := range outlets {
		for kind := range outlets[r] {
			if o := &outlets[r][kind]; o.own {
				all = appendOutlet(all, groups, o, int32(r))
			}
		}
	}
	for i := range groups {
		if g := &groups[i]; g.bus {
			joined := slices.DeleteFunc(slices.Clone(g.sources), func(s int32) bool { return outlets[s][g.kind()].own })
			all = append(all, lane{sources: joined, targets: g.targets, weak: g.weak, via: g.via, edge: -1})
		}
	}
	single := singleEdges(w, place)
	for i := range all {
		if a := &all[i]; len(a.sources) == 1 && len(a.targets) == 1 {
			a.edge = single[[2]int32{a.sources[0], a.targets[0]}]
		}
	}
	slices.SortStableFunc(all, func(a, b lane) int { return cmp.Compare(a.first(), b.first()) })
	return all
}

// singleEdges are the edges of the graph between two rows.
func singleEdges(w *web, place []int32) map[[2]int32]int32 {
	edges := make(map[[2]int32]int32, len(w.arcs))
	for i := range w.arcs {
		a := &w.arcs[i]
		edges[[2]int32{place[a.from], place[a.to]}] = a.edge
	}
	return edges
}

func (g *group) kind() int { return (&arc{weak: g.weak, via: g.via}).kind() }

// appendOutlet appends the line out of row r: to the targets of all its groups.
func appendOutlet(all []lane, groups []group, o *outlet, r int32) []lane {
	l := lane{sources: []int32{r}, weak: groups[o.groups[0]].weak, via: groups[o.groups[0]].via, edge: -1}
	for _, i := range o.groups {
		l.targets = append(l.targets, groups[i].targets...)
	}
	slices.Sort(l.targets)
	return append(all, l)
}

// groupsOf puts the targets with the same sources into groups, from top to bottom.
func groupsOf(w *web, place []int32) []group {
	row := make([]int32, w.size) // vertex by row
	for v, r := range place {
		row[r] = int32(v)
	}
	var groups []group
	known := map[string]int{}
	var sources []int32
	var key []byte
	for r, v := range row {
		for kind := range 4 {
			sources, key = sources[:0], append(key[:0], byte(kind))
			for _, i := range w.in[v] {
				if a := &w.arcs[i]; !a.back && a.kind() == kind {
					sources = append(sources, place[a.from])
				}
			}
			if len(sources) == 0 {
				continue
			}
			slices.Sort(sources)
			for _, s := range sources {
				key = binary.BigEndian.AppendUint32(key, uint32(s))
			}
			i, found := known[string(key)]
			if !found {
				i = len(groups)
				known[string(key)] = i
				groups = append(groups, group{sources: slices.Clone(sources), weak: kind&1 != 0, via: kind&2 != 0})
			}
			groups[i].targets = append(groups[i].targets, int32(r))
			groups[i].cost = int32(r) - groups[i].sources[0]
		}
	}
	return groups
}

// cover decides which groups and outlets have lines so that each pair of them has at least one. Each
// edge makes both its ends pay until one can pay no more; that one gets a line. Then lines that are not
// needed any more are given up, the longest first.
func cover(groups []group, outlets [][4]outlet) {
	for i := range groups {
		g := &groups[i]
		left := g.cost
		for _, s := range g.sources {
			o := &outlets[s][g.kind()]
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
		g.bus = slices.ContainsFunc(g.sources, func(s int32) bool { return !outlets[s][g.kind()].own })
	}
	for r := range outlets {
		for kind := range outlets[r] {
			o := &outlets[r][kind]
			o.own = o.own && slices.ContainsFunc(o.groups, func(i int32) bool { return !groups[i].bus })
		}
	}
}
