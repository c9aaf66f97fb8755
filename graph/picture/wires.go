package picture

import "slices"

// A channel is the space before, between or after layers, where lines change their rows.
type channel struct {
	wires  []*wire
	start  int // along
	lead   int // cells before the first track, for conditions
	tracks int
	width  int
}

// A wire is the part of a net in a channel: lines from the ends on its left to a track, and from there to the ends on
// its right. If all ends are in one row, it has no track.
type wire struct {
	net           int32
	lefts, rights []end
	top, bottom   int
	track         int
	before        int     // wires without a track that must be further left
	after         []*wire // wires that must be further right
	least         int     // the first allowed track
	cost          int     // crossings if this wire is left of all that have no track yet
	index         int     // in the order
	routed        bool
	at            int   // along: of the track
	detour        *wire // the second half of a wire that takes a detour
}

// An end is where a wire meets something else.
type end struct {
	row   int
	point int32 // of the level; -1 = a lane or a detour
}

func (w *wire) bends() bool { return w.top < w.bottom }

// wires lists the wires of all channels, and the lanes.
func (c *part) wires() {
	c.lanes = c.lanes[:0]
	for _, b := range c.bands {
		b.channels = make([]*channel, b.last-b.first+1)
		for i := range b.channels {
			b.channels[i] = &channel{}
		}
		b.used = 0
	}
	for _, n := range c.loops() { // first, so that their lanes are the nearest
		c.loop(n)
	}
	for i, b := range c.bands {
		for layer := b.first; layer < b.last; layer++ {
			var carried []int32
			c.links(layer, func(n int32) {
				if layer+1 < b.last {
					c.link(n, b.channels[layer+1-b.first])
				} else {
					carried = append(carried, n)
				}
			})
			lowest := func(n int32) int {
				row := 0
				for _, e := range c.rightEnds(n) {
					row = max(row, e.row)
				}
				return row
			}
			slices.SortStableFunc(carried, func(m, n int32) int { return lowest(n) - lowest(m) }) // so their lines are nested
			for _, n := range carried {
				c.carry(n, b, c.bands[i+1])
			}
		}
	}
}

// newRow returns a free row below a band.
func (c *part) newRow(b *band) int {
	row := b.top + b.height + b.spare + b.used*c.lanePitch() + number(c.down)
	b.used++
	return row
}

// wire adds a wire of a net to a channel.
func (c *part) wire(ch *channel, net int32) *wire {
	w := &c.memory.wires.take(1)[0]
	w.net = net
	ch.wires = append(ch.wires, w)
	return w
}

// leftEnds returns the ends of a link on its left, and rightEnds those on its right.
func (c *part) leftEnds(n int32) []end {
	link := &c.level.layers.Links[n]
	ends := c.memory.ends.take(len(link.Left))
	for i, q := range link.Left {
		ends[i] = end{c.rowOut(q, link.Bundle), q}
	}
	return ends
}

func (c *part) rightEnds(n int32) []end {
	link := &c.level.layers.Links[n]
	ends := c.memory.ends.take(len(link.Right))
	for i, q := range link.Right {
		ends[i] = end{c.rowIn(q, link.Bundle), q}
	}
	return ends
}

// link adds the wire of a link between two layers of a band.
func (c *part) link(n int32, ch *channel) {
	w := c.wire(ch, c.level.layers.Links[n].Bundle)
	w.lefts, w.rights = c.leftEnds(n), c.rightEnds(n)
}

// carry adds the wires of a link to the next band: to a lane below the band, and from there to the first layer of the
// next one.
func (c *part) carry(n int32, b, next *band) {
	net, row := c.level.layers.Links[n].Bundle, c.newRow(b)
	from, to := c.wire(b.channels[len(b.channels)-1], net), c.wire(next.channels[0], net)
	from.lefts, to.rights = append(c.leftEnds(n), end{row, -1}), append(c.rightEnds(n), end{row, -1})
	c.lanes = append(c.lanes, lane{net: net, row: row, from: from, to: to})
}

// loop adds the wires and lanes of a net that leads back.
func (c *part) loop(n int32) {
	s, t := c.nets[n].sources[0], c.nets[n].targets[0]
	ls, lt := c.layerOf(s), c.layerOf(t)
	bs, bt := c.bands[c.bandOf(ls)], c.bands[c.bandOf(lt)]
	row := c.newRow(bs)
	leave, enter := c.wire(bs.channels[ls-bs.first+1], n), c.wire(bt.channels[lt-bt.first], n)
	leave.lefts, enter.rights = []end{{c.rowOut(s, n), s}, {row, -1}}, []end{{c.rowIn(t, n), t}}
	if bs == bt {
		enter.rights = append(enter.rights, end{row, -1})
		c.lanes = append(c.lanes, lane{net: n, row: row, from: leave, to: enter})
		return
	}
	column := 0
	for i := range c.lanes {
		if c.lanes[i].to == nil {
			column++ // two lanes for each
		}
	}
	above := c.newRow(bt)
	enter.lefts = append(enter.lefts, end{above, -1})
	c.lanes = append(c.lanes, lane{net: n, row: row, from: leave, column: column}, lane{net: n, row: above, from: enter, column: column})
}

// route assigns tracks in every channel, and reports whether all detours found a row. If not, the band gets one more.
func (c *part) route() bool {
	for _, b := range c.bands {
		for _, ch := range b.channels {
			r := router{part: c, channel: ch, band: b}
			if !r.route() {
				b.spare++
				return false
			}
		}
	}
	return true
}

// measure computes where layers, channels and tracks are along the band.
func (c *part) measure() {
	c.along = 0
	for _, b := range c.bands {
		b.starts = make([]int, b.last-b.first)
		x := c.margin
		for i, ch := range b.channels {
			ch.start = x
			c.widen(b, i)
			for _, w := range ch.wires {
				w.at = ch.start + ch.lead + w.track*c.trackPitch()
			}
			x += ch.width
			if i < len(b.starts) {
				b.starts[i] = x
				x += c.depth(b.first + i)
			}
		}
		b.along = x
		c.along = max(c.along, x)
	}
}

// trackPitch is the distance of tracks.
func (p *plan) trackPitch() int {
	if p.down || p.form >= Tag {
		return 1
	}
	return 2
}

// widen computes the width of a channel.
func (c *part) widen(b *band, i int) {
	ch := b.channels[i]
	if len(ch.wires) == 0 {
		return
	}
	ch.lead = 0
	tail := 1
	if !c.down {
		tail = 2
		if i > 0 {
			ch.lead = 1
		}
	}
	if i == len(b.channels)-1 {
		tail = 0
	}
	for _, w := range ch.wires {
		for _, e := range w.lefts {
			if e.point < 0 || c.level.layers.Points[e.point].Vertex < 0 || c.labelOf(w.net) == 0 {
				continue
			}
			if c.down {
				ch.lead = max(ch.lead, 1)
			} else {
				ch.lead = max(ch.lead, c.labelOf(w.net)+2-(c.depth(b.first+i-1)-c.deep[e.point]))
			}
		}
	}
	ch.width = ch.lead + tail
	if ch.tracks > 0 {
		ch.width += (ch.tracks-1)*c.trackPitch() + 1
	} else if !c.down && c.form < Tag {
		ch.width++
	}
}
