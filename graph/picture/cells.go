package picture

// A Canvas is a scene as cells: what the painter of a terminal needs of the lines. Texts and frames of boxes are the
// painter's.
type Canvas struct {
	W, H  int
	Cells []Cell // by row
}

// A Cell is what lines do in a cell.
type Cell struct {
	Arms  uint8 // the sides at which the line leaves the cell: 1 << Direction
	Head  bool  // an arrowhead, which points
	Into  Direction
	Weak  bool
	Cross bool  // another line passes below from left to right
	Track int32 // -1 = empty
	Piece int32 // of the track; -1 = an end without a piece
	Under int32 // track of the line below, if Cross
}

// At returns a cell, which is empty outside of the canvas.
func (c *Canvas) At(p Point) Cell {
	if p.X < 0 || p.Y < 0 || p.X >= c.W || p.Y >= c.H {
		return Cell{Track: -1}
	}
	return c.Cells[p.Y*c.W+p.X]
}

// Paint computes the cells of the lines.
func (s *Scene) Paint() *Canvas {
	c := &Canvas{W: s.W, H: s.H, Cells: make([]Cell, s.W*s.H)}
	for i := range c.Cells {
		c.Cells[i].Track = -1
	}
	for i := range s.Tracks {
		t := &s.Tracks[i]
		for k := range t.Pieces {
			c.piece(int32(i), int32(k), t)
		}
		for _, e := range t.Tails {
			c.arm(e.At, opposite(e.Into), int32(i), -1, t)
		}
		for _, e := range t.Heads {
			c.arm(e.At, e.Into, int32(i), -1, t)
			x := &c.Cells[e.At.Y*c.W+e.At.X]
			x.Head, x.Into = true, e.Into
		}
	}
	return c
}

func opposite(d Direction) Direction { return (d + 2) % 4 }

func (c *Canvas) piece(track, number int32, t *Track) {
	p := &t.Pieces[number]
	a, b := p.A, p.B
	if b.X < a.X || b.Y < a.Y {
		a, b = b, a
	}
	ahead, step := Right, Point{1, 0}
	if a.X == b.X {
		ahead, step = Down, Point{0, 1}
	}
	for at := a; ; at = (Point{at.X + step.X, at.Y + step.Y}) {
		if at != a {
			c.arm(at, opposite(ahead), track, number, t)
		}
		if at == b {
			return
		}
		c.arm(at, ahead, track, number, t)
	}
}

// arm adds an arm to a cell. Where two tracks cross, the one from top to bottom is on top.
func (c *Canvas) arm(at Point, d Direction, track, piece int32, t *Track) {
	x := &c.Cells[at.Y*c.W+at.X]
	switch {
	case x.Track < 0:
		*x = Cell{Track: track, Piece: piece, Weak: t.Weak}
	case x.Track != track && (d == Up || d == Down): // this one is on top
		if !x.Cross {
			*x = Cell{Track: track, Piece: piece, Weak: t.Weak, Cross: true, Under: x.Track}
		}
	case x.Track != track:
		x.Cross, x.Under = true, track
		return
	}
	x.Arms |= 1 << d
	if x.Piece < 0 {
		x.Piece = piece
	}
}
