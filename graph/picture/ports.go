package picture

import (
	"cmp"
	"slices"
)

// A port is where a net meets a box.
type port struct {
	net   int32
	at    int // across
	order float64
	wish  int
	gap   int // to the next port
}

// ports decides where the lines of each box begin and end. Each net has a port of its own, so that lines of different
// nets never share a cell. Where possible, a line is straight.
func (c *part) ports() {
	for _, layer := range c.layers {
		for _, q := range layer {
			if c.level.layers.Points[q].Vertex >= 0 {
				c.outs[q] = c.outPorts(q)
			}
		}
	}
	for _, layer := range c.layers {
		for _, q := range layer {
			if c.level.layers.Points[q].Vertex >= 0 {
				c.ins[q] = c.inPorts(q)
			}
		}
	}
}

// far is a place beyond all rows.
const far = 1 << 20

func (c *part) outPorts(q int32) []port {
	lo, hi := c.reach(q)
	layer := c.layerOf(q)
	leaves := c.bands[c.bandOf(layer)].last == layer+1 // the links lead to the next band
	links := c.level.layers.Points[q].Right
	ports := c.memory.ports.take(len(links) + len(c.level.out[q]))[:0]
	for _, n := range links {
		link := &c.level.layers.Links[n]
		p := port{net: link.Bundle, order: far, wish: c.at[q] + c.anchor[q], gap: c.portGap(c.labelOf(link.Bundle))}
		if !leaves {
			p.order = c.mean(link.Right)
			p.wish = c.straight(q, link.Right, int(p.order))
		}
		ports = append(ports, p)
	}
	for i, n := range c.level.out[q] {
		ports = append(ports, port{net: n, order: far + float64(i), wish: c.at[q] + c.anchor[q], gap: c.portGap(c.labelOf(n))})
	}
	sortPorts(ports)
	if c.down && c.labelled(q) > 0 { // the conditions need the room
		for i := range ports {
			ports[i].wish = lo
		}
		hi -= ports[len(ports)-1].gap
	}
	return spread(ports, lo, hi)
}

func (c *part) inPorts(q int32) []port {
	lo, hi := c.reach(q)
	layer := c.layerOf(q)
	begins := c.bands[c.bandOf(layer)].first == layer
	links := c.level.layers.Points[q].Left
	ports := c.memory.ports.take(len(links) + len(c.level.in[q]))[:0]
	for _, n := range links {
		link := &c.level.layers.Links[n]
		p := port{net: link.Bundle, order: -far, wish: c.at[q] + c.anchor[q], gap: c.portGap(0)}
		if !begins {
			p.order = c.mean(link.Left)
			if len(link.Left) == 1 {
				if row := c.rowOut(link.Left[0], link.Bundle); row >= lo && row <= hi {
					p.wish = row
				}
			}
		}
		ports = append(ports, p)
	}
	for i, n := range c.level.in[q] {
		ports = append(ports, port{net: n, order: far + float64(i), wish: c.at[q] + c.anchor[q], gap: c.portGap(0)})
	}
	sortPorts(ports)
	return spread(ports, lo, hi)
}

func sortPorts(ports []port) {
	slices.SortStableFunc(ports, func(a, b port) int { return cmp.Compare(a.order, b.order) })
}

// reach returns the first and the last cell across at which lines meet a box.
func (c *part) reach(q int32) (lo, hi int) {
	lo, hi = c.at[q], c.at[q]+c.wide[q]-1
	if c.form == Card || c.down && c.form != Dot {
		lo, hi = lo+1, hi-1
	}
	return lo, hi
}

func (c *part) portGap(label int) int {
	switch {
	case c.down && label > 0:
		return label + 2
	case c.down:
		return 2
	}
	return 1
}

// straight returns where a line that leaves a box would be straight to one of its ends, or else the middle of the box.
func (c *part) straight(q int32, ends []int32, near int) int {
	lo, hi := c.reach(q)
	middle := c.at[q] + c.anchor[q]
	best, found := middle, false
	for _, e := range ends {
		from, to := c.at[e], c.at[e]
		if c.level.layers.Points[e].Vertex >= 0 {
			from, to = c.reach(e)
		}
		from, to = max(lo, from), min(hi, to)
		if from > to {
			continue
		}
		row := min(max((middle+near)/2, from), to)
		if !found || distance(row, middle) < distance(best, middle) {
			best, found = row, true
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

func (c *part) mean(points []int32) float64 {
	sum := 0
	for _, q := range points {
		sum += c.at[q] + c.anchor[q]
	}
	return float64(sum) / float64(len(points))
}

// rowOut returns where a net leaves a point, and rowIn where it enters it.
func (c *part) rowOut(q, n int32) int { return c.row(q, n, c.outs) }
func (c *part) rowIn(q, n int32) int  { return c.row(q, n, c.ins) }

func (c *part) row(q, n int32, all [][]port) int {
	if c.level.layers.Points[q].Vertex < 0 {
		return c.at[q]
	}
	for i := range all[q] {
		if all[q][i].net == n {
			return all[q][i].at
		}
	}
	panic("internal error: a box has no end of a line")
}

// spread gives the ports places between lo and hi that are as near to their wishes as their gaps allow.
func spread(ports []port, lo, hi int) []port {
	next := lo
	for i := range ports {
		p := &ports[i]
		p.at = max(p.wish, next)
		next = p.at + p.gap
	}
	for i := len(ports) - 1; i >= 0; i-- {
		ports[i].at = min(ports[i].at, hi)
		if i > 0 {
			hi = ports[i].at - ports[i-1].gap
		}
	}
	return ports
}
