package drawing

// NewGrid returns a grid of blanks.
func NewGrid(width, height int) *Grid {
	g := &Grid{}
	g.Resize(width, height)
	return g
}
