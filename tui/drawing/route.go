package drawing

import "slices"

// maxTracks is the maximum number of vertical lines between two layers. Additional lines share tracks.
const maxTracks = 12

// trackPitch is the width of a track: there is room for a sign between two tracks.
const trackPitch = 2

// route assigns tracks to the vertical lines between the layers.
func (l *layers) route() {
	l.tracks = make([]int, len(l.Between))
	for i := range l.Between {
		c := channel{layers: l}
		l.tracks[i] = c.route(l.Between[i])
	}
}

// A channel is the space between two layers.
type channel struct {
	*layers
	links  []int32         // with a vertical line
	after  [][]int32       // by index in links: links that must be further right
	before []int           // number of links without a track that must be further left
	tracks [][]interval    // occupied parts of each track, from top to bottom
	index  map[int32]int32 // of a link
	low    int             // all links before this one have tracks
}

type interval struct{ top, bottom int32 }

// route gives tracks to links and returns how many there are.
//
// If one line leaves the left layer in the row in which another one enters the right layer, the first line
// must turn before the second one arrives; otherwise they would overlap. So route processes links in an order
// that respects this, and gives each link the first track in which it fits. If two links exchange their rows,
// there is no such order, and the link with the fewest required predecessors goes first.
func (c *channel) route(links []int32) int {
	for _, n := range links {
		if c.layers.links[n].top < c.layers.links[n].bottom {
			c.links = append(c.links, n)
		}
	}
	slices.SortStableFunc(c.links, func(m, n int32) int { return int(c.layers.links[m].top) - int(c.layers.links[n].top) })
	c.index = make(map[int32]int32, len(c.links))
	for k, n := range c.links {
		c.index[n] = int32(k)
	}
	c.constrain()
	done := make([]bool, len(c.links))
	least := make([]int32, len(c.links)) // the first allowed track
	for range c.links {
		k := c.next(done)
		done[k] = true
		track := c.place(&c.layers.links[c.links[k]], least[k])
		for _, j := range c.after[k] {
			least[j] = max(least[j], track+1)
			c.before[j]--
		}
	}
	passes := map[int32]int32{} // by row: the last track that a line of the left layer reaches
	for _, n := range c.links {
		for _, p := range c.layers.links[n].Left {
			row := c.row[p]
			passes[row] = max(passes[row], c.layers.links[n].track)
		}
	}
	for _, n := range c.links {
		c.merge(n, passes)
	}
	return len(c.tracks)
}

// merge decides how a vertical line meets the line of a row that continues to the right. Without a sign, the row
// branches off into the vertical line. If the vertical line joins the row instead, the cell to the right gets a sign.
// If both are true, as in links with several ends on both sides, all lines belong together.
func (c *channel) merge(n int32, passes map[int32]int32) {
	a := &c.layers.links[n]
	for _, q := range a.Right {
		row := c.row[q]
		fromLeft := func(m int32) bool { return m != n && c.layers.links[m].track < a.track }
		switch own := slices.ContainsFunc(a.Left, func(p int32) bool { return c.row[p] == row }); {
		case own && len(a.Left) > 1 && len(a.Right) > 1:
			a.hubs = append(a.hubs, q)
		case own && len(a.Left) > 1, !own && (passes[row] > a.track || slices.ContainsFunc(c.Points[q].Left, fromLeft)):
			a.merges = append(a.merges, q)
		}
	}
}

// constrain decides which links must be left of others. If other lines join one of several lines out of a node, that
// line turns off last; otherwise the joining line would seem to continue.
func (c *channel) constrain() {
	c.after, c.before = make([][]int32, len(c.links)), make([]int, len(c.links))
	enters := map[int32]int32{} // by row: points of the right layer
	for _, n := range c.links {
		for _, q := range c.layers.links[n].Right {
			enters[c.row[q]] = q
		}
	}
	follow := func(k int, m int32) {
		if j, bends := c.index[m]; bends && int(j) != k {
			c.after[k] = append(c.after[k], j)
			c.before[j]++
		}
	}
	for k, n := range c.links {
		for _, p := range c.layers.links[n].Left {
			if len(c.layers.links[n].Left) == 1 {
				for _, m := range c.Points[p].Right {
					if len(c.layers.links[m].Left) > 1 {
						follow(k, m)
					}
				}
			}
			q, found := enters[c.row[p]]
			if !found {
				continue
			}
			for _, m := range c.Points[q].Left {
				follow(k, m)
			}
		}
	}
}

// next returns the first link without remaining predecessors or, in a cycle, the link with the fewest.
func (c *channel) next(done []bool) int {
	best := -1
	for c.low < len(done) && done[c.low] {
		c.low++
	}
	for k := c.low; k < len(done); k++ {
		if done[k] {
			continue
		}
		if c.before[k] <= 0 {
			return k
		}
		if best < 0 || c.before[k] < c.before[best] {
			best = k
		}
	}
	return best
}

// place puts a link into the first track, starting at least, where it touches no other link.
func (c *channel) place(a *link, least int32) int32 {
	for t := min(least, maxTracks-1); ; t++ {
		for int(t) >= len(c.tracks) {
			c.tracks = append(c.tracks, nil)
		}
		taken := c.tracks[t]
		at, _ := slices.BinarySearchFunc(taken, a.top, func(i interval, row int32) int { return int(i.bottom) - int(row) })
		if free := at == len(taken) || taken[at].top > a.bottom; !free && t < maxTracks-1 {
			continue
		}
		c.tracks[t] = slices.Insert(taken, at, interval{a.top, a.bottom})
		a.track = t
		return t
	}
}
