package drawing

import "slices"

// sweeps is the number of passes over the layers. More passes hardly improve the result.
const sweeps = 8

// uncross searches for an order in the layers with few crossings and short vertical lines. It repeatedly moves each
// point to the mean position of its neighbours, alternating between both sides, and keeps the best order.
func (l *layers) uncross() {
	best := make([]int32, len(l.points))
	keep := func() {
		for i := range l.points {
			best[i] = l.points[i].pos
		}
	}
	keep()
	least := l.cost()
	var keys []uint64
	for sweep := 0; sweep < sweeps && least > 0; sweep++ {
		if sweep%2 == 0 {
			for i := 1; i < len(l.order); i++ {
				keys = l.sortLayer(i, true, keys)
			}
		} else {
			for i := len(l.order) - 2; i >= 0; i-- {
				keys = l.sortLayer(i, false, keys)
			}
		}
		if cost := l.cost(); cost < least {
			least = cost
			keep()
		}
	}
	for _, layer := range l.order {
		slices.SortFunc(layer, func(a, b int32) int { return int(best[a]) - int(best[b]) })
		l.number(layer)
	}
	l.swap()
}

// number stores the positions of the points of a layer.
func (l *layers) number(layer []int32) {
	for pos, p := range layer {
		l.points[p].pos = int32(pos)
	}
}

// sortLayer sorts a layer by the positions of the neighbours to its left or right. Points without neighbours on that
// side stay near their position. keys is a buffer; it is returned for reuse.
func (l *layers) sortLayer(i int, left bool, keys []uint64) []uint64 {
	layer := l.order[i]
	between := i
	if left {
		between--
	}
	mean := func(n int32) float64 {
		a := &l.links[n]
		ends := a.right
		if left {
			ends = a.left
		}
		sum := 0
		for _, p := range ends {
			sum += int(l.points[p].pos)
		}
		return float64(sum) / float64(len(ends))
	}
	means := make(map[int32]float64, len(l.between[between]))
	for _, n := range l.between[between] {
		means[n] = mean(n)
	}
	keys = keys[:0]
	for _, p := range layer {
		x := &l.points[p]
		links, wish := x.right, float64(x.pos)
		if left {
			links = x.left
		}
		if len(links) > 0 {
			wish = 0
			for _, n := range links {
				wish += means[n]
			}
			wish /= float64(len(links))
		}
		// The order is by component, then by the desired position in fractions, then by the current position.
		keys = append(keys, uint64(x.part)<<44|uint64(wish*16)<<20|uint64(x.pos))
	}
	slices.Sort(keys)
	old := slices.Clone(layer)
	for pos, key := range keys {
		layer[pos] = old[key&(1<<20-1)]
	}
	l.number(layer)
	return keys
}

// cost returns the cost of an order: the number of crossings or, if counting them would take too long, the lengths of
// the vertical lines.
func (l *layers) cost() int {
	const most = 4000
	pairs := 0
	for i := range l.links {
		pairs += len(l.links[i].left) * len(l.links[i].right)
	}
	total := 0
	if pairs <= most {
		for i := range l.between {
			total += l.crossings(i)
		}
		return total
	}
	for i := range l.links {
		a := &l.links[i]
		low, high := l.points[a.left[0]].pos, l.points[a.left[0]].pos
		for _, ends := range [2][]int32{a.left, a.right} {
			for _, p := range ends {
				low, high = min(low, l.points[p].pos), max(high, l.points[p].pos)
			}
		}
		total += int(high - low)
	}
	return total
}

// crossings counts the crossing pairs of steps after layer i. From top to bottom on the left, each step crosses the
// earlier steps that end further down on the right; a Fenwick tree counts them.
func (l *layers) crossings(i int) int {
	if i+1 >= len(l.order) {
		return 0
	}
	tree := make([]int, len(l.order[i+1])+1)
	passed, total := 0, 0
	for _, p := range l.order[i] {
		for _, n := range l.points[p].right {
			for _, q := range l.links[n].right {
				before := 0
				for k := int(l.points[q].pos) + 1; k > 0; k -= k & -k {
					before += tree[k]
				}
				total += passed - before
			}
		}
		for _, n := range l.points[p].right {
			for _, q := range l.links[n].right {
				for k := int(l.points[q].pos) + 1; k < len(tree); k += k & -k {
					tree[k]++
				}
				passed++
			}
		}
	}
	return total
}

// swap exchanges neighbours in a layer while that removes crossings. Only small graphs are worth the time: of a large
// one a screen shows only a part of each layer.
func (l *layers) swap() {
	const most, rounds = 1500, 6
	if len(l.points) > most {
		return
	}
	for range rounds {
		better := false
		for _, layer := range l.order {
			for k := 1; k < len(layer); k++ {
				a, b := layer[k-1], layer[k]
				if l.points[a].part == l.points[b].part && l.pairCrossings(a, b) > l.pairCrossings(b, a) {
					layer[k-1], layer[k] = b, a
					l.points[a].pos, l.points[b].pos = l.points[b].pos, l.points[a].pos
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// pairCrossings counts the crossings of the steps at two points of a layer, if a is above b.
func (l *layers) pairCrossings(a, b int32) int {
	total := 0
	for _, left := range [2]bool{true, false} {
		for _, m := range l.linksAt(a, left) {
			for _, n := range l.linksAt(b, left) {
				for _, p := range l.farEnds(m, left) {
					for _, q := range l.farEnds(n, left) {
						if l.points[p].pos > l.points[q].pos {
							total++
						}
					}
				}
			}
		}
	}
	return total
}

func (l *layers) linksAt(p int32, left bool) []int32 {
	if left {
		return l.points[p].left
	}
	return l.points[p].right
}

func (l *layers) farEnds(n int32, left bool) []int32 {
	if left {
		return l.links[n].left
	}
	return l.links[n].right
}
