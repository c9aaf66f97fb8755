package layered

import "slices"

const (
	// sweeps is the number of passes over the layers of a small graph, and fewSweeps of others. More passes hardly improve
	// the result.
	sweeps, fewSweeps = 12, 8
	// small is the number of points up to which a graph is worth more time: of a large one a screen shows only a part of
	// each layer.
	small = 1500
	// tiny is the number of points up to which a graph is tried again from other orders, and restarts how often, if at most
	// nearlyNone lines of a component cross: perhaps none need to.
	tiny       = 150
	restarts   = 12
	nearlyNone = 4
	// mostSteps is the number of steps up to which crossings are counted.
	mostSteps = 400_000
)

// A search looks for an order in the layers with few crossings.
type search struct {
	*Layers
	// A step joins an end of a link with one at its other side. Those from point p lead to the points
	// ends[first[p]:first[p+1]]. Both are nil if there are too many steps.
	first, ends []int32
	// By point, and by side (0 = left): its links that have several ends at the other side. nil if the graph is not small.
	wide [][2][]int32

	// Buffers.
	means  []float64 // by link: mean position of its ends at one side
	keys   []uint64
	layer  []int32
	passed []int32 // a Fenwick tree
	other  ordering
}

// An ordering contains the position of each point in its layer, and the cost of each component.
type ordering struct {
	pos   []int32
	costs []int
}

// uncross searches for an order in the layers with few crossings and short vertical lines, and keeps the best one of
// each component. It starts from a walk, and for small graphs also from another one.
func (l *Layers) uncross(size int, across []float64) {
	s := &search{Layers: l, means: make([]float64, len(l.Links))}
	s.listSteps()
	s.listWide()
	l.walk(size, across, false)
	best := s.sweep()
	if len(l.Points) <= small && slices.Max(best.costs) > 0 {
		l.walk(size, across, true)
		s.improve(best, s.sweep())
	}
	for n := uint64(1); n <= restarts && len(l.Points) <= tiny && slices.Max(best.costs) > 0; n++ {
		s.restore(best)
		s.shake(n)
		other := s.sweep()
		for part, cost := range other.costs {
			if cost > 0 || best.costs[part] > nearlyNone {
				other.costs[part] = best.costs[part] // stays, so that a small change of the graph changes little
			}
		}
		s.improve(best, other)
	}
	s.restore(best)
}

// shake exchanges some neighbours of each component in each layer, the same ones for the same seed.
func (s *search) shake(seed uint64) {
	for _, layer := range s.Order {
		for k := 1; k < len(layer); k++ {
			seed = seed*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
			if a, b := layer[k-1], layer[k]; seed>>63 == 0 && s.Points[a].Part == s.Points[b].Part {
				layer[k-1], layer[k] = b, a
			}
		}
		s.number(layer)
	}
}

// listSteps sets first and ends.
func (s *search) listSteps() {
	steps := 0
	for i := range s.Links {
		steps += len(s.Links[i].Left) * len(s.Links[i].Right)
	}
	if steps > mostSteps {
		return
	}
	s.first, s.ends = make([]int32, len(s.Points)+1), make([]int32, 0, steps)
	for p := range s.Points {
		for _, n := range s.Points[p].Right {
			s.ends = append(s.ends, s.Links[n].Right...)
		}
		s.first[p+1] = int32(len(s.ends))
	}
}

// listWide sets wide.
func (s *search) listWide() {
	if len(s.Points) > small {
		return
	}
	s.wide = make([][2][]int32, len(s.Points))
	for q := range s.Points {
		for side, left := range [2]bool{true, false} {
			for _, i := range s.Points[q].LinksAt(left) {
				if len(s.Links[i].ends(left)) > 1 {
					s.wide[q][side] = append(s.wide[q][side], i)
				}
			}
		}
	}
}

// improve takes over the components that cost less in another order.
func (s *search) improve(best, other *ordering) {
	for i := range s.Points {
		if part := s.Points[i].Part; other.costs[part] < best.costs[part] {
			best.pos[i] = other.pos[i]
		}
	}
	for part, cost := range other.costs {
		best.costs[part] = min(best.costs[part], cost)
	}
}

// restore orders the layers as in o.
func (s *search) restore(o *ordering) {
	for p, pos := range o.pos {
		s.Order[s.Points[p].Layer][pos] = int32(p)
	}
	copy(s.Pos, o.pos)
}

// number stores the positions of the points of a layer.
func (s *search) number(layer []int32) {
	for pos, p := range layer {
		s.Pos[p] = int32(pos)
	}
}

// sweep improves the current order: it repeatedly moves each point to the mean position of its neighbours, alternating
// between both sides, and for small graphs exchanges neighbours. It returns the best order.
func (s *search) sweep() *ordering {
	best, most := &ordering{}, sweeps
	s.note(best)
	if len(s.Points) > small {
		most = fewSweeps
	}
	for n := 0; n < most && slices.Max(best.costs) > 0; n++ {
		if n%2 == 0 {
			for i := 1; i < len(s.Order); i++ {
				s.sort(i, true)
			}
		} else {
			for i := len(s.Order) - 2; i >= 0; i-- {
				s.sort(i, false)
			}
		}
		s.note(&s.other)
		s.improve(best, &s.other)
	}
	if len(s.Points) > small {
		return best
	}
	s.restore(best)
	s.swap()
	s.note(best)
	return best
}

// sort sorts layer i by the positions of the neighbours to its left or right. Points without neighbours on that side
// stay near their position.
func (s *search) sort(i int, left bool) {
	layer := s.Order[i]
	between := i
	if left {
		between--
	}
	for _, n := range s.Between[between] {
		ends := s.Links[n].ends(left)
		sum := 0
		for _, p := range ends {
			sum += int(s.Pos[p])
		}
		s.means[n] = float64(sum) / float64(len(ends))
	}
	s.keys = s.keys[:0]
	for _, p := range layer {
		x := &s.Points[p]
		links, wish := x.LinksAt(left), float64(s.Pos[p])
		if len(links) > 0 {
			wish = 0
			for _, n := range links {
				wish += s.means[n]
			}
			wish /= float64(len(links))
		}
		// The order is by component, then by the desired position in fractions, then by the current position.
		s.keys = append(s.keys, uint64(x.Part)<<44|uint64(wish*16)<<20|uint64(s.Pos[p]))
	}
	slices.Sort(s.keys)
	s.layer = append(s.layer[:0], layer...)
	for pos, key := range s.keys {
		layer[pos] = s.layer[key&(1<<20-1)]
	}
	s.number(layer)
}

// note stores the current order in o, with its costs: the numbers of crossings or, if there are too many steps to count
// them, the lengths of the vertical lines.
func (s *search) note(o *ordering) {
	o.pos, o.costs = append(o.pos[:0], s.Pos...), slices.Grow(o.costs[:0], s.Parts)[:s.Parts]
	clear(o.costs)
	if s.first != nil {
		for i := range len(s.Order) - 1 {
			s.countCrossings(i, o.costs)
		}
		for q := range s.wide {
			o.costs[s.Points[q].Part] += s.tangles(int32(q))
		}
		return
	}
	for i := range s.Links {
		a := &s.Links[i]
		low, high := s.Pos[a.Left[0]], s.Pos[a.Left[0]]
		for _, ends := range [2][]int32{a.Left, a.Right} {
			for _, p := range ends {
				low, high = min(low, s.Pos[p]), max(high, s.Pos[p])
			}
		}
		o.costs[s.Points[a.Left[0]].Part] += int(high - low)
	}
}

// countCrossings adds the crossing pairs of steps after layer i to the costs of their components. From top to bottom
// on the left, each step crosses the earlier steps that end further down on the right; a Fenwick tree counts them.
func (s *search) countCrossings(i int, costs []int) {
	n := len(s.Order[i+1]) + 1
	s.passed = slices.Grow(s.passed[:0], n)[:n]
	tree := s.passed
	clear(tree)
	passed := int32(0)
	for _, p := range s.Order[i] {
		ends := s.ends[s.first[p]:s.first[p+1]]
		crossings := 0
		for _, q := range ends {
			before := int32(0) // steps that end at this position or before
			for k := s.Pos[q] + 1; k > 0; k -= k & -k {
				before += tree[k]
			}
			crossings += int(passed - before)
		}
		for _, q := range ends {
			for k := s.Pos[q] + 1; int(k) < len(tree); k += k & -k {
				tree[k]++
			}
		}
		passed += int32(len(ends))
		if crossings > 0 {
			costs[s.Points[p].Part] += crossings
		}
	}
}

// swap exchanges neighbours in a layer while that removes crossings.
func (s *search) swap() {
	const rounds = 6
	for range rounds {
		better := false
		for _, layer := range s.Order {
			for k := 1; k < len(layer); k++ {
				a, b := layer[k-1], layer[k]
				if s.Points[a].Part != s.Points[b].Part {
					continue
				}
				gain := s.pairCrossings(a, b) - s.pairCrossings(b, a) + s.commonTangles(a, b)
				s.Pos[a], s.Pos[b] = s.Pos[b], s.Pos[a]
				if gain -= s.commonTangles(a, b); gain > 0 {
					layer[k-1], layer[k] = b, a
					better = true
				} else {
					s.Pos[a], s.Pos[b] = s.Pos[b], s.Pos[a]
				}
			}
		}
		if !better {
			return
		}
	}
}

// pairCrossings counts the crossings of the steps at two points of a layer, if a is above b.
func (s *search) pairCrossings(a, b int32) int {
	total := 0
	for _, left := range [2]bool{true, false} {
		for _, m := range s.Points[a].LinksAt(left) {
			for _, n := range s.Points[b].LinksAt(left) {
				for _, p := range s.Links[m].ends(left) {
					for _, q := range s.Links[n].ends(left) {
						if s.Pos[p] > s.Pos[q] {
							total++
						}
					}
				}
			}
		}
	}
	return total
}

// tangles counts the pairs of links on one side of a point whose ends at the other side are mixed: each has ends on both
// sides of one of the other. Although such links meet at the point, their lines cross before it.
func (s *search) tangles(q int32) (n int) {
	for side, left := range [2]bool{true, false} {
		links, wide := s.Points[q].LinksAt(left), s.wide[q][side]
		if len(links)*len(wide) > mostCompared {
			continue
		}
		for i, a := range wide {
			for _, b := range links {
				if !slices.Contains(wide[:i+1], b) && s.mixed(s.Links[a].ends(left), s.Links[b].ends(left)) {
					n++
				}
			}
		}
	}
	return n
}

// mostCompared is the number of pairs of links at a point up to which they are compared.
const mostCompared = 1000

// mixed reports whether a point of one list is between points of the other one.
func (s *search) mixed(a, b []int32) bool {
	between := func(a, b []int32) bool {
		low, high := s.Pos[a[0]], s.Pos[a[0]]
		for _, p := range a {
			low, high = min(low, s.Pos[p]), max(high, s.Pos[p])
		}
		return slices.ContainsFunc(b, func(p int32) bool { return low < s.Pos[p] && s.Pos[p] < high })
	}
	return between(a, b) || between(b, a)
}

// commonTangles counts the tangles at the points that are joined with both of two others.
func (s *search) commonTangles(a, b int32) (n int) {
	for _, left := range [2]bool{true, false} {
		for _, i := range s.Points[a].LinksAt(left) {
			for _, q := range s.Links[i].ends(left) {
				if (s.wide[q][0] != nil || s.wide[q][1] != nil) && s.joins(b, q, left) {
					n += s.tangles(q)
				}
			}
		}
	}
	return n
}

// joins reports whether a link joins a point with another one on one side of it.
func (s *search) joins(p, q int32, left bool) bool {
	return slices.ContainsFunc(s.Points[p].LinksAt(left), func(i int32) bool {
		return slices.Contains(s.Links[i].ends(left), q)
	})
}

// LinksAt returns the links on one side of a point.
func (p *Point) LinksAt(left bool) []int32 {
	if left {
		return p.Left
	}
	return p.Right
}

func (a *Link) ends(left bool) []int32 {
	if left {
		return a.Left
	}
	return a.Right
}
