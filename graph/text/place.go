package text

import (
	"math"
	"strconv"

	"wf/graph"
)

// Distances between a new node and its neighbours, in the units of positions in workfiles.
const (
	apart   = 200 // along an edge
	below   = 80  // to the next node with the same neighbour
	overlap = 40  // nearer than that, two nodes overlap
)

// A point is a position in a drawing.
type point struct{ x, y float64 }

// place gives positions to new nodes if existing nodes have some: to the right of the nodes that they wait for, to the left
// of the nodes that wait for them, or below the nodes of their container.
func (l *layer) place(specs []graph.NodeSpec, at map[*Node]int) {
	var fresh []*Node
	for _, n := range l.wf.Nodes {
		if l.was[n] == nil {
			fresh = append(fresh, n)
		}
	}
	if len(fresh) == 0 {
		return
	}
	p := &placer{points: map[*Node]point{}, sources: map[*Node][]*Node{}, targets: map[*Node][]*Node{}, cells: map[[2]int][]point{},
		corners: map[*Node]point{}}
	for n, was := range l.was {
		if x, y, ok := was.Position(); ok {
			p.put(n, point{x, y})
		}
	}
	if len(p.points) == 0 {
		return
	}
	for _, e := range l.wf.Edges {
		p.sources[e.Target] = append(p.sources[e.Target], e.Source)
		p.targets[e.Source] = append(p.targets[e.Source], e.Target)
	}
	p.all(fresh)
	for _, n := range fresh {
		spec := &specs[at[n]]
		spec.X, spec.Y = formatNumber(p.points[n].x), formatNumber(p.points[n].y)
	}
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// A placer finds positions for new nodes.
type placer struct {
	points           map[*Node]point
	sources, targets map[*Node][]*Node
	cells            map[[2]int][]point // placed nodes by square
	corners          map[*Node]point    // the place below the nodes of each container, nil = below all nodes
}

// put notes the position of a node.
func (p *placer) put(n *Node, at point) {
	p.points[n] = at
	cell := cellOf(at)
	p.cells[cell] = append(p.cells[cell], at)
	p.extend(nil, at)
	if n.Parent != nil {
		p.extend(n.Parent, at)
	}
}

func (p *placer) extend(container *Node, at point) {
	corner, known := p.corners[container]
	if !known {
		corner = point{at.x, at.y + below}
	}
	p.corners[container] = point{min(corner.x, at.x), max(corner.y, at.y+below)}
}

func cellOf(at point) [2]int {
	return [2]int{int(math.Floor(at.x / overlap)), int(math.Floor(at.y / overlap))}
}

// all gives a position to each node, those with placed neighbours first.
func (p *placer) all(left []*Node) {
	for len(left) > 0 {
		rest := left[:0:0]
		for _, n := range left {
			if at, ok := p.beside(n); ok {
				p.put(n, p.free(at))
			} else {
				rest = append(rest, n)
			}
		}
		if len(rest) == len(left) {
			at, inside := p.corners[rest[0].Parent]
			if !inside {
				at = p.corners[nil]
			}
			p.put(rest[0], p.free(at))
			rest = rest[1:]
		}
		left = rest
	}
}

// beside returns a place beside the neighbours of a node.
func (p *placer) beside(n *Node) (at point, ok bool) {
	for _, source := range p.sources[n] {
		if s, placed := p.points[source]; placed && (!ok || s.x+apart > at.x) {
			at, ok = point{s.x + apart, s.y}, true
		}
	}
	if ok {
		return at, true
	}
	for _, target := range p.targets[n] {
		if t, placed := p.points[target]; placed && (!ok || t.x-apart < at.x) {
			at, ok = point{t.x - apart, t.y}, true
		}
	}
	return at, ok
}

// free moves a place down until no other node is there.
func (p *placer) free(at point) point {
	for p.occupied(at) {
		at.y += below
	}
	return at
}

func (p *placer) occupied(at point) bool {
	cell := cellOf(at)
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for _, q := range p.cells[[2]int{cell[0] + dx, cell[1] + dy}] {
				if math.Abs(q.x-at.x) < overlap && math.Abs(q.y-at.y) < overlap {
					return true
				}
			}
		}
	}
	return false
}
