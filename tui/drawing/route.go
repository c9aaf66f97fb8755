package drawing

import "slices"

// maxTracks is the most vertical lines side by side between two layers; more share them.
const maxTracks = 12

// trackPitch is how many columns a track takes: there is room for a sign between two of them.
const trackPitch = 2

// route gives the vertical lines between the layers their tracks.
func (l *layers) route() {
	l.tracks = make([]int, len(l.between))
	for i := range l.between {
		c := channel{layers: l}
		l.tracks[i] = c.route(l.between[i])
	}
}

// A channel is the space between two layers.
type channel struct {
	*layers
	links  []int32         // with a vertical line
	after  [][]int32       // by index in links: those that must be further right
	before []int           // how many must be further left, and have no track yet
	tracks [][]interval    // taken, by track, from top to bottom
	index  map[int32]int32 // of a link
	low    int             // links before it have tracks
}

type interval struct{ top, bottom int32 }

// route gives tracks to links and returns how many there are.
//
// Where a line leaves the left layer in the same row as another one enters the right layer, the first
// must turn off before the second comes in, or the two could not be told apart. So links are taken in
// an order that respects this, and each gets the first track where it fits. Where two exchange their
// rows there is no such order, and the one that fewest should precede goes first.
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
	least := make([]int32, len(c.links)) // the first track that is allowed
	for range c.links {
		k := c.next(done)
		done[k] = true
		track := c.place(&c.layers.links[c.links[k]], least[k])
		for _, j := range c.after[k] {
			least[j] = max(least[j], track+1)
			c.before[j]--
		}
	}
	passes := map[int32]int32{} // the last track to which a line of the left layer goes, by row
	for _, n := range c.links {
		for _, p := range c.layers.links[n].left {
			row := c.points[p].row
			passes[row] = max(passes[row], c.layers.links[n].track)
		}
	}
	for _, n := range c.links {
		c.merge(n, passes)
	}
	return len(c.tracks)
}

// merge finds out what becomes of a vertical line where it meets the line of a row that goes on to the
// right. Without a sign it is the row that branches off into the vertical line. The other case, that the
// vertical line joins the row, gets a sign to the right; and where both is true, as in links of several
// ends on both sides, all lines are one.
func (c *channel) merge(n int32, passes map[int32]int32) {
	a := &c.layers.links[n]
	for _, q := range a.right {
		row := c.points[q].row
		fromLeft := func(m int32) bool { return m != n && c.layers.links[m].track < a.track }
		switch own := slices.ContainsFunc(a.left, func(p int32) bool { return c.points[p].row == row }); {
		case own && len(a.left) > 1 && len(a.right) > 1:
			a.hubs = append(a.hubs, q)
		case own && len(a.left) > 1, !own && (passes[row] > a.track || slices.ContainsFunc(c.points[q].left, fromLeft)):
			a.merges = append(a.merges, q)
		}
	}
}

// constrain finds out which links must be left of which others. Besides, where lines of others join one
// of several lines out of a node, that one turns off last: what joins it does not seem to go on.
func (c *channel) constrain() {
	c.after, c.before = make([][]int32, len(c.links)), make([]int, len(c.links))
	enters := map[int32]int32{} // points of the right layer by row
	for _, n := range c.links {
		for _, q := range c.layers.links[n].right {
			enters[c.points[q].row] = q
		}
	}
	follow := func(k int, m int32) {
		if j, bends := c.index[m]; bends && int(j) != k {
			c.after[k] = append(c.after[k], j)
			c.before[j]++
		}
	}
	for k, n := range c.links {
		for _, p := range c.layers.links[n].left {
			if len(c.layers.links[n].left) == 1 {
				for _, m := range c.points[p].right {
					if len(c.layers.links[m].left) > 1 {
						follow(k, m)
					}
				}
			}
			q, found := enters[c.points[p].row]
			if !found {
				continue
			}
			for _, m := range c.points[q].left {
				follow(k, m)
			}
		}
	}
}

// next is the first link that nothing must precede any more, or of those in a circle the one that
// fewest must precede.
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

// place puts a link into the first track from least on where it touches no other.
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
