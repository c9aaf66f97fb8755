package drawing

import "slices"

// A bundle is a share in a layered drawing. A long bundle passes the layers in between only once, for all its edges.
type bundle struct {
	share
	first, links int32 // its links, one per layer that it passes
}

// A point is a position in a layer: of a vertex, or of a passing bundle.
type point struct {
	vertex      int32 // -1 = a passing bundle
	layer       int32
	pos         int32   // position in its layer
	row         int32   // of the drawing
	part        int32   // number of its component
	left, right []int32 // links that end here from the left, and start here to the right
}

// A link is the part of a bundle between two neighbouring layers. It joins each left end with each right end.
type link struct {
	bundle      int32
	layer       int32   // of its left ends
	left, right []int32 // points
	track       int32   // of its vertical line, from the left; -1 = it is straight
	merges      []int32 // right ends in whose rows it joins another line
	hubs        []int32 // right ends in whose rows all lines belong together
	top, bottom int32   // rows of the outermost ends

	top2, bottom2 int32 // rows of the ends next to them
}

// layers is the layered drawing of a web in abstract units: layers, rows and tracks.
type layers struct {
	web     *web
	bundles []bundle
	of      []int32 // bundle by arc
	points  []point // the points of vertices come first
	links   []link
	order   [][]int32 // points by layer, from top to bottom
	between [][]int32 // links by the layer of their left ends
	tracks  []int     // number of tracks to the right of each layer
	rows    int
	bottoms []int32   // last rows of the components
	cross   []float64 // by vertex: position in the file across the edges; nil = not known
}

// newLayers computes the layout of a web: layers, their order, rows and tracks (the method of Sugiyama).
func newLayers(w *web, cross []float64) *layers {
	l := &layers{web: w, cross: cross}
	if w.size == 0 {
		return l
	}
	rank := l.rank()
	deepest := slices.Max(rank)
	l.order, l.between = make([][]int32, deepest+1), make([][]int32, deepest+1)
	l.points = make([]point, w.size, 2*w.size)
	for v, layer := range rank {
		l.points[v] = point{vertex: int32(v), layer: layer}
	}
	l.bundle(rank)
	for i := range l.bundles {
		l.stretch(int32(i))
	}
	l.components()
	l.walk()
	l.uncross()
	l.straighten()
	l.route()
	return l
}

// rank puts each vertex into the layer after its last source. Vertices without sources move to the layer before their
// first target, which keeps lines short.
func (l *layers) rank() []int32 {
	w := l.web
	rank := make([]int32, w.size)
	for _, v := range w.rows() {
		for _, i := range w.out[v] {
			if a := &w.arcs[i]; !a.back {
				rank[a.to] = max(rank[a.to], rank[v]+1)
			}
		}
	}
	for v := range rank {
		nearest := int32(-1)
		for _, i := range w.out[v] {
			if a := &w.arcs[i]; !a.back && (nearest < 0 || rank[a.to] < nearest) {
				nearest = rank[a.to]
			}
		}
		forward := func(i int32) bool { return !w.arcs[i].back }
		if nearest > 0 && !slices.ContainsFunc(w.in[v], forward) {
			rank[v] = nearest - 1
		}
	}
	return rank
}

// bundle decides which arcs share a line.
func (l *layers) bundle(rank []int32) {
	l.of = make([]int32, len(l.web.arcs))
	for i, s := range shares(l.web, rank) {
		l.bundles = append(l.bundles, bundle{share: s})
		for _, a := range s.arcs {
			l.of[a] = int32(i)
		}
	}
}

// stretch creates the links of a bundle, and its points in the layers that it passes.
func (l *layers) stretch(i int32) {
	b := &l.bundles[i]
	first, last := l.points[b.sources[0]].layer, int32(0)
	for _, s := range b.sources {
		first = min(first, l.points[s].layer)
	}
	for _, t := range b.targets {
		last = max(last, l.points[t].layer)
	}
	links := int32(len(l.links))
	b.first, b.links = links, last-first
	for layer := first; layer < last; layer++ {
		l.links = append(l.links, link{bundle: i, layer: layer, track: -1})
		l.between[layer] = append(l.between[layer], links+layer-first)
	}
	joinLeft := func(p, layer int32) {
		n := links + layer - first
		l.links[n].left = append(l.links[n].left, p)
		l.points[p].right = append(l.points[p].right, n)
	}
	joinRight := func(p, layer int32) {
		n := links + layer - 1 - first
		l.links[n].right = append(l.links[n].right, p)
		l.points[p].left = append(l.points[p].left, n)
	}
	for _, s := range b.sources {
		joinLeft(s, l.points[s].layer)
	}
	for _, t := range b.targets {
		joinRight(t, l.points[t].layer)
	}
	for layer := first + 1; layer < last; layer++ {
		p := int32(len(l.points))
		l.points = append(l.points, point{vertex: -1, layer: layer})
		joinRight(p, layer)
		joinLeft(p, layer)
	}
}

// components numbers the connected parts in the order of their first vertices.
func (l *layers) components() {
	for i := range l.points {
		l.points[i].part = -1
	}
	part := int32(0)
	seen := make([]bool, len(l.links))
	var stack []int32
	reach := func(points []int32) {
		for _, q := range points {
			if l.points[q].part < 0 {
				l.points[q].part = part
				stack = append(stack, q)
			}
		}
	}
	for v := range int32(l.web.size) {
		if l.points[v].part >= 0 {
			continue
		}
		reach([]int32{v})
		for len(stack) > 0 {
			p := &l.points[stack[len(stack)-1]]
			stack = stack[:len(stack)-1]
			for _, links := range [2][]int32{p.left, p.right} {
				for _, n := range links {
					if !seen[n] {
						seen[n] = true
						reach(l.links[n].left)
						reach(l.links[n].right)
					}
				}
			}
		}
		part++
	}
}

// walk puts the points into their layers in the order of a depth-first walk along the links, which keeps connected
// points near each other.
func (l *layers) walk() {
	seen, passed := make([]bool, len(l.points)), make([]bool, len(l.links))
	var roots []int32
	for v := range int32(l.web.size) {
		if len(l.points[v].left) == 0 {
			roots = append(roots, v)
		}
	}
	l.sortByFile(roots)
	slices.SortStableFunc(roots, func(a, b int32) int { return int(l.points[a].part) - int(l.points[b].part) })
	var stack, next []int32
	for _, root := range roots {
		stack = append(stack[:0], root)
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[v] {
				continue
			}
			seen[v] = true
			p := &l.points[v]
			p.pos = int32(len(l.order[p.layer]))
			l.order[p.layer] = append(l.order[p.layer], v)
			next = next[:0]
			for _, n := range p.right {
				if !passed[n] {
					passed[n] = true
					next = append(next, l.links[n].right...)
				}
			}
			l.sortByFile(next)
			slices.Reverse(next)
			stack = append(stack, next...)
		}
	}
}

// sortByFile sorts the points of vertices by their positions in the file, if these are known.
func (l *layers) sortByFile(points []int32) {
	if l.cross == nil {
		return
	}
	slices.SortStableFunc(points, func(a, b int32) int {
		switch {
		case int(a) >= l.web.size || int(b) >= l.web.size || l.cross[a] == l.cross[b]:
			return 0
		case l.cross[a] < l.cross[b]:
			return -1
		}
		return 1
	})
}
