package picture

// The space that a frame takes on both sides together.
const frameWidth, frameHeight = 4, 2

// A unit is what pack places: a component, or the components of a container in a frame.
type unit struct {
	parts []*part
	in    int // what contains them, counted from 1; 0 = nothing
	w, h  int
}

// pack puts components next to each other: in shelves from left to right, as wide as the pane or as the widest
// component, and not much wider than high. Those of a container are together, in a frame.
func (p *plan) pack(width int) {
	var units []*unit
	known := map[int]*unit{}
	for _, c := range p.parts {
		in := p.inside[c.number]
		u := known[in]
		if in == 0 || u == nil {
			u = &unit{in: in}
			units = append(units, u)
			known[in] = u
		}
		u.parts = append(u.parts, c)
	}
	sizes := make([]Point, len(units))
	for i, u := range units {
		room := width
		if u.in > 0 {
			room = max(1, width-frameWidth) * number(width > 0)
		}
		inner := make([]Point, len(u.parts))
		for k, c := range u.parts {
			inner[k] = c.extent()
		}
		var corners []Point
		corners, u.w, u.h = shelves(inner, room)
		for k, c := range u.parts {
			c.corner = corners[k]
		}
		if u.in > 0 {
			u.w = max(u.w+frameWidth, p.o.Measure(p.title(u.in))+frameWidth+2)
			u.h += frameHeight
		}
		sizes[i] = Point{u.w, u.h}
	}
	var corners []Point
	corners, p.w, p.h = shelves(sizes, width)
	for i, u := range units {
		at := corners[i]
		if u.in > 0 {
			p.frames = append(p.frames, Frame{Rect{at.X, at.Y, u.w, u.h}, u.in - 1, p.title(u.in)})
			at = Point{at.X + frameWidth/2, at.Y + frameHeight/2}
		}
		for _, c := range u.parts {
			c.corner = Point{c.corner.X + at.X, c.corner.Y + at.Y}
		}
	}
}

// title returns the title of the frame of a container: its name and what it is.
func (p *plan) title(in int) string {
	v := &p.vertices[in-1]
	name := v.Name
	if most := sizes[0].names; p.o.Measure(name) > most {
		name = shorten(name, most, p.o.Measure)
	}
	if v.Signs == "" {
		return name
	}
	return name + " " + v.Signs
}

// extent returns the width and the height of a component.
func (c *part) extent() Point {
	if c.down {
		return Point{c.across, c.along}
	}
	return Point{c.along, c.across}
}

// shelves places rectangles and returns their corners and the size of all.
func shelves(sizes []Point, limit int) (corners []Point, w, h int) {
	if limit == 0 {
		area := 0
		for _, s := range sizes {
			limit, area = max(limit, s.X), area+(s.X+3)*(s.Y+1)
		}
		for limit*limit < 4*area {
			limit += 8
		}
	}
	const space = 3
	corners = make([]Point, len(sizes))
	x, y, shelf := 0, 0, 0
	for i, s := range sizes {
		if x > 0 && x+s.X > limit {
			x, y, shelf = 0, y+shelf+1, 0
		}
		corners[i] = Point{x, y}
		x += s.X + space
		shelf = max(shelf, s.Y)
		w, h = max(w, x-space), max(h, y+shelf)
	}
	return corners, w, h
}
