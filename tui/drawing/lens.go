package drawing

import kernel "wf/graph/picture"

// A lens lights the path of the selection: all that leads to it and all that follows it. Everything else is faint.
type lens struct {
	on     bool
	center Item
	vertex []bool // by vertex of the kernel: it is on the path
	edge   []bool
	pieces [][2]int // the tracks and pieces that carry an edge on the path
}

// focus computes the path of the selection, unless it has not changed.
func (c *chart) focus() {
	center := c.seen(c.graph.owner(c.look.Selected))
	if !c.look.Lens || center == Nothing {
		c.lens = lens{}
		return
	}
	if c.lens.on && c.lens.center == center {
		return
	}
	c.lens = lens{on: true, center: center, vertex: make([]bool, len(c.node)), edge: make([]bool, len(c.edge))}
	members := c.scene.Boxes[c.boxOf(center)].Members
	c.light(members, true)
	c.light(members, false)
	for i := range c.scene.Tracks {
		c.lightPieces(i)
	}
}

// light follows edges from vertices, forward or against their direction. Edges that lead back are lit only at the
// selection, because everything follows everything else in a loop.
func (c *chart) light(start []int, forward bool) {
	around := make([][]int32, len(c.node))
	for i := range c.input.edges {
		e := &c.input.edges[i]
		from, to := e.From, e.To
		if !forward {
			from, to = to, from
		}
		around[from] = append(around[from], int32(i))
	}
	center := map[int]bool{}
	for _, v := range start {
		center[v], c.lens.vertex[v] = true, true
	}
	stack := append([]int(nil), start...)
	seen := make([]bool, len(c.node))
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, i := range around[v] {
			to := c.input.edges[i].To
			if !forward {
				to = c.input.edges[i].From
			}
			if c.back[i] && !center[v] {
				continue
			}
			c.lens.edge[i], c.lens.vertex[to] = true, true
			if !seen[to] && !c.back[i] {
				seen[to] = true
				stack = append(stack, to)
			}
		}
	}
}

// lightPieces lists the pieces of a track that carry an edge on the path.
func (c *chart) lightPieces(track int) {
	t := &c.scene.Tracks[track]
	var lit []*kernel.Arc
	for i := range t.Arcs {
		for _, e := range t.Arcs[i].Edges {
			if c.lens.edge[e] {
				lit = append(lit, &t.Arcs[i])
				break
			}
		}
	}
	if len(lit) > 0 && len(t.Pieces) == 0 {
		c.lens.pieces = append(c.lens.pieces, [2]int{track, -1})
	}
	for k := range t.Pieces {
		for _, a := range lit {
			if t.Carries(&t.Pieces[k], a) {
				c.lens.pieces = append(c.lens.pieces, [2]int{track, k})
				break
			}
		}
	}
}

// lit reports whether a box is on the path, or whether there is no lens.
func (c *chart) lit(box int) bool {
	if !c.lens.on {
		return true
	}
	for _, v := range c.scene.Boxes[box].Members {
		if c.lens.vertex[v] {
			return true
		}
	}
	return false
}
