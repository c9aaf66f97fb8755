package picture

// A size is a form, with the most cells of a name.
type size struct {
	form  Form
	names int
}

// sizes lists the readable sizes, from the largest to the smallest.
var sizes = []size{{Card, 40}, {Card, 24}, {Chip, 30}, {Chip, 20}, {Tag, 24}, {Tag, 18}, {Tag, 12}}

// A chooser looks for the largest form of the least folded level that fits.
type chooser struct {
	o      Options
	levels []*level
}

// choose tries levels whose lines are easy to follow before those that are wrapped with many lines from band to band,
// and these before rough ones. It returns nil if none fits.
func (c *chooser) choose(all func(yield func(l *level) bool)) *Scene {
	var fine []*level // folded and not rough, to be tried again
	for l := range all {
		c.levels = append(c.levels, l)
		carried := mostCarried
		switch {
		case l.rough:
			if s := c.wrapped(fine); s != nil {
				return s
			}
			fine, carried = nil, mostCarriedOfStages
		case l.folded:
			fine = append(fine, l)
		}
		if s := c.largest(l, carried); s != nil {
			return s
		}
	}
	return c.wrapped(fine)
}

// wrapped returns the scene of the first level that fits with many lines from band to band, or nil.
func (c *chooser) wrapped(levels []*level) *Scene {
	for _, l := range levels {
		if s := c.largest(l, mostCarriedOfStages); s != nil {
			return s
		}
	}
	return nil
}

// mostCarried is the most lines that lead from one band to the next, because many are hard to follow. Of stages more
// are accepted if nothing else fits.
const mostCarried, mostCarriedOfStages = 2, 9

// largest returns the scene of the largest form of a level that fits, or nil. All lines of a dense level are drawn only
// if there is much room.
func (c *chooser) largest(l *level, carried int) *Scene {
	for _, z := range sizes {
		for _, sh := range c.shapes(z.form) {
			if l.dense && (z.form == Tag || sh.limit > 0) {
				continue
			}
			sh.carried = carried
			if p := c.try(l, z, sh); p != nil {
				return p.scene(c.o)
			}
		}
	}
	return nil
}

// try returns a plan if it fits. It does not arrange what cannot.
func (c *chooser) try(l *level, z size, sh shape) *plan {
	if c.o.Width > 0 && c.o.Height > 0 && len(l.boxes)*leastArea[z.form] > c.o.Width*c.o.Height {
		return nil
	}
	l.lay()
	p := newPlan(l, z, sh)
	p.w, p.h = p.least()
	if !p.fits(c.o) {
		return nil
	}
	p.w, p.h = 0, 0
	if p.arrange(c.o.Width); !p.fits(c.o) {
		return nil
	}
	return p
}

// leastArea is the number of cells that a box has at least.
var leastArea = [...]int{Card: 28, Chip: 6, Tag: 5, Dot: 1}

// few is the number of boxes up to which several shapes are compared although none fits.
const few = 500

// compact returns the scene of the most compact readable form, which is larger than the pane.
func (c *chooser) compact() *Scene {
	return c.smallest(c.levels[len(c.levels)-1], sizes[len(sizes)-1])
}

// smallest returns the scene of a level in a form that exceeds the pane least.
func (c *chooser) smallest(l *level, z size) *Scene {
	var best *plan
	least := 0
	l.lay()
	for _, sh := range c.shapes(z.form) {
		sh.carried = mostCarried
		if l.folded {
			sh.carried = mostCarriedOfStages
		}
		p := newPlan(l, z, sh)
		p.arrange(c.o.Width)
		over := max(percent(p.w, c.o.Width), percent(p.h, c.o.Height))
		if best == nil || over < least {
			best, least = p, over
		}
		if len(l.boxes) > few {
			break
		}
	}
	return best.scene(c.o)
}

// dots returns the scene of the signs alone if it fits: of all vertices, or of the last level.
func (c *chooser) dots() *Scene {
	for _, l := range []*level{c.levels[0], c.levels[len(c.levels)-1]} {
		for _, sh := range c.shapes(Dot) {
			sh.carried = mostCarriedOfStages
			if p := c.try(l, size{form: Dot}, sh); p != nil {
				return p.scene(c.o)
			}
		}
	}
	return nil
}

// shapes lists the shapes to try, in the order of preference.
func (c *chooser) shapes(form Form) []shape {
	shapes := []shape{{}}
	if form == Card {
		shapes = append(shapes, shape{snug: true})
	}
	shapes = append(shapes, shape{down: true})
	if c.o.Width > 0 {
		shapes = append(shapes, shape{limit: c.o.Width})
	}
	if c.o.Height > 0 {
		shapes = append(shapes, shape{down: true, limit: c.o.Height})
	}
	return shapes
}

func percent(n, of int) int {
	if of == 0 {
		return 0
	}
	return 100 * n / of
}
