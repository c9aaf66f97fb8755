package cells

// A Scheme replaces colours and attributes, so that texts can be read on a kind of terminal. The nil scheme changes nothing: it is the
// one for dark terminals.
type Scheme struct {
	name   string
	colors map[Color]Color
	dim    Color // the colour of dim text that has none; 0 = the attribute
	few    bool  // the terminal has 16 colours
}

// Name returns the name of a scheme, as in the settings.
func (p *Scheme) Name() string {
	if p == nil {
		return "dark"
	}
	return p.name
}

// of returns replacements by the numbers of colours.
func of(pairs map[int]int) map[Color]Color {
	out := map[Color]Color{}
	for from, to := range pairs {
		out[Palette(from)] = Palette(to)
	}
	return out
}

// Light is the scheme of light terminals: the usual yellow, green and cyan cannot be read on white, and dim yellow vanishes. The heat of a
// tint is darker, too.
var Light = &Scheme{name: "light", dim: Palette(243), colors: of(map[int]int{
	1: 160, 2: 28, 3: 130, 4: 26, 5: 127, 6: 30,
	33: 26, 44: 30, 220: 136, 208: 166, 196: 160,
})}

// ColorBlind is the scheme for people who do not tell red from green, on dark: ok is a bluish green and failed an orange red, and heat goes
// from a dark blue to a bright yellow.
var ColorBlind = &Scheme{name: "colorblind", dim: Palette(244), colors: of(map[int]int{
	1: 166, 2: 36, 3: 178, 4: 32, 5: 175, 6: 74,
	33: 25, 44: 67, 220: 144, 208: 179, 196: 227,
})}

// ColorBlindLight is ColorBlind on light: everything is darker, and heat goes from a bright blue to a dark brown.
var ColorBlindLight = &Scheme{name: "colorblind", dim: Palette(243), colors: of(map[int]int{
	1: 166, 2: 29, 3: 136, 4: 25, 5: 133, 6: 31,
	33: 67, 44: 66, 220: 136, 208: 94, 196: 52,
})}

// Few is the scheme of terminals with 16 colours, which replace all others.
var Few = &Scheme{name: "16", few: true, colors: of(map[int]int{33: 4, 44: 6, 220: 3, 208: 11, 196: 9})}

// SchemeNamed returns the scheme of a name; ok is false for other names.
func SchemeNamed(name string) (p *Scheme, ok bool) {
	for _, p := range []*Scheme{nil, Light, ColorBlind, Few} {
		if p.Name() == name {
			return p, true
		}
	}
	return nil, false
}

// Of returns a style in the colours of the scheme.
func (p *Scheme) Of(s Style) Style {
	if p == nil {
		return s
	}
	s.FG, s.BG = p.color(s.FG), p.color(s.BG)
	if p.dim != 0 && s.Attrs&Dim != 0 {
		if s.FG == 0 && s.Attrs&Reverse == 0 {
			s.FG = p.dim
		}
		s.Attrs &^= Dim // it takes the contrast that the colour was chosen for
	}
	return s
}

// color returns a colour of the scheme.
func (p *Scheme) color(c Color) Color {
	if to, known := p.colors[c]; known {
		return to
	}
	if p.few && (c&trueColor != 0 || c > Palette(15)) {
		return 0
	}
	return c
}
