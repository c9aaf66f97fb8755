package cells

import (
	"strconv"
	"strings"
)

// A Color is 0 for the default of the terminal, or 1 to 256 for a color of its palette plus one. With the bit
// trueColor it contains 8 bits each of red, green and blue.
type Color uint32

const trueColor Color = 1 << 24

// Palette returns color n of the palette of the terminal.
func Palette(n int) Color { return Color(n) + 1 }

// Attrs are the attributes of a cell besides its colors.
type Attrs uint8

const (
	Bold Attrs = 1 << iota
	Dim
	italic
	Underline
	Reverse
	strike
)

// A Style is the look of a cell.
type Style struct {
	FG, BG Color
	Attrs  Attrs
}

// The styles of texts, named by their meaning.
var (
	Plain  = Style{}
	Dimmed = Style{Attrs: Dim}
	Strong = Style{Attrs: Bold}
	Title  = Style{Attrs: Bold | Reverse}
	Key    = Style{FG: Palette(6), Attrs: Bold}
	Match  = Style{FG: Palette(0), BG: Palette(3)}
	Bad    = Style{FG: Palette(1), Attrs: Bold}
	Good   = Style{FG: Palette(2)}
	Note   = Style{FG: Palette(3)}
)

// With returns the style with additional attributes.
func (s Style) With(a Attrs) Style {
	s.Attrs |= a
	return s
}

// SGR returns the style after an escape sequence CSI … m with these parameters. If they are not valid, ok is false
// and the style is unchanged.
func (s Style) SGR(params string) (out Style, ok bool) {
	out = s
	fields := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(fields) == 0 {
		return Style{}, true
	}
	for i := 0; i < len(fields); i++ {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return s, false
		}
		if n == 38 || n == 48 {
			c, used, ok := extended(fields[i+1:])
			if !ok {
				return s, false
			}
			if n == 38 {
				out.FG = c
			} else {
				out.BG = c
			}
			i += used
			continue
		}
		out = out.simple(n)
	}
	return out, true
}

// attrOf and attrOff map parameters to the attributes that they switch on or off.
var attrOf = map[int]Attrs{1: Bold, 2: Dim, 3: italic, 4: Underline, 7: Reverse, 9: strike}
var attrOff = map[int]Attrs{22: Bold | Dim, 23: italic, 24: Underline, 27: Reverse, 29: strike}

// simple applies a parameter without arguments. Unknown ones are ignored.
func (s Style) simple(n int) Style {
	switch {
	case n == 0:
		return Style{}
	case attrOf[n] != 0:
		s.Attrs |= attrOf[n]
	case attrOff[n] != 0:
		s.Attrs &^= attrOff[n]
	case n >= 30 && n <= 37:
		s.FG = Palette(n - 30)
	case n >= 90 && n <= 97:
		s.FG = Palette(n - 90 + 8)
	case n == 39:
		s.FG = 0
	case n >= 40 && n <= 47:
		s.BG = Palette(n - 40)
	case n >= 100 && n <= 107:
		s.BG = Palette(n - 100 + 8)
	case n == 49:
		s.BG = 0
	}
	return s
}

// extended parses the arguments of 38 or 48: "5;n" or "2;r;g;b". used is the number of fields read.
func extended(fields []string) (c Color, used int, ok bool) {
	number := func(i int) int {
		n, err := strconv.Atoi(fields[i])
		if err != nil || n < 0 || n > 255 {
			ok = false
		}
		return n
	}
	ok = true
	switch {
	case len(fields) >= 2 && fields[0] == "5":
		return Palette(number(1)), 2, ok
	case len(fields) >= 4 && fields[0] == "2":
		return trueColor | Color(number(1))<<16 | Color(number(2))<<8 | Color(number(3)), 4, ok
	}
	return 0, 0, false
}

// appendSGR appends the sequence that switches a terminal to this style from any other.
func (s Style) appendSGR(b []byte, colors bool) []byte {
	b = append(b, "\x1b[0"...)
	for n := 1; n <= 9; n++ {
		if a := attrOf[n]; a != 0 && s.Attrs&a != 0 {
			b = strconv.AppendInt(append(b, ';'), int64(n), 10)
		}
	}
	if colors {
		b = appendColor(b, s.FG, 30)
		b = appendColor(b, s.BG, 40)
	}
	return append(b, 'm')
}

// appendColor appends the parameters of a color; base is 30 for the text and 40 for the background.
func appendColor(b []byte, c Color, base int64) []byte {
	number := func(n int64) { b = strconv.AppendInt(append(b, ';'), n, 10) }
	switch n := int64(c) - 1; {
	case c == 0:
	case c&trueColor != 0:
		number(base + 8)
		number(2)
		number(int64(c >> 16 & 0xff))
		number(int64(c >> 8 & 0xff))
		number(int64(c & 0xff))
	case n < 8:
		number(base + n)
	case n < 16:
		number(base + 60 + n - 8)
	default:
		number(base + 8)
		number(5)
		number(n)
	}
	return b
}
