package cells

import (
	"math"
	"strings"
	"testing"
)

// luminance returns the relative luminance of a colour of the palette of 256 colours, from 0 to 1 (WCAG 2). The first 16 colours
// depend on the terminal, so a palette for a kind of terminal must not use them.
func luminance(t *testing.T, c Color) float64 {
	n := int(c) - 1
	var rgb [3]float64
	switch {
	case n < 16 || n > 255:
		t.Fatalf("%d depends on the terminal", n)
	case n < 232:
		levels := [6]float64{0, 95, 135, 175, 215, 255}
		rgb = [3]float64{levels[(n-16)/36], levels[(n-16)/6%6], levels[(n-16)%6]}
	default:
		grey := float64(8 + 10*(n-232))
		rgb = [3]float64{grey, grey, grey}
	}
	for i, v := range rgb {
		if v /= 255; v <= 0.03928 {
			rgb[i] = v / 12.92
		} else {
			rgb[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
}

// contrast returns the contrast of two luminances, from 1 to 21.
func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// TestPalettesCanBeRead: On the background that a palette is for, each of its colours has enough contrast: 3, as for large text and signs,
// for the colours that mean something.
func TestPalettesCanBeRead(t *testing.T) {
	for _, one := range []struct {
		scheme      *Scheme
		backgrounds []float64
		least       float64
	}{{Light, []float64{1}, 3}, {ColorBlind, []float64{0}, 2}, {ColorBlindLight, []float64{1}, 3}} {
		colors := []Color{one.scheme.dim}
		for _, c := range one.scheme.colors {
			colors = append(colors, c)
		}
		for _, c := range colors {
			for _, b := range one.backgrounds {
				if got := contrast(luminance(t, c), b); got < one.least {
					t.Errorf("%s: colour %d has contrast %.1f, less than %.1f", one.scheme.Name(), int(c)-1, got, one.least)
				}
			}
		}
	}
}

// TestOkAndFailedDiffer: In each palette the colours of ok and failed differ, and for people who do not tell red from green they differ
// in blue: the bluish green has much of it, and the orange none.
func TestOkAndFailedDiffer(t *testing.T) {
	for _, p := range []*Scheme{nil, Light, ColorBlind, Few} {
		if p.Of(Good).FG == p.Of(Bad).FG {
			t.Errorf("%s: ok and failed look the same", p.Name())
		}
	}
	blue := func(c Color) int { return (int(c) - 1 - 16) % 6 }
	for _, p := range []*Scheme{ColorBlind, ColorBlindLight} {
		if ok, failed := blue(p.Of(Good).FG), blue(p.Of(Bad).FG); ok-failed < 1 {
			t.Errorf("blue is %d in ok and %d in failed", ok, failed)
		}
	}
}

// TestFewHasNoOtherColours: A terminal with 16 colours gets no others.
func TestFewHasNoOtherColours(t *testing.T) {
	for n := range 256 {
		for _, c := range []Color{Palette(n), trueColor | Color(n)} {
			if got := Few.color(c); got > Palette(15) {
				t.Fatalf("%d becomes %d", c, got)
			}
		}
	}
}

func TestPaletteOfAScreen(t *testing.T) {
	var g Grid
	g.Resize(4, 1)
	g.All().Put(0, 0, "ab", Style{FG: Palette(3), Attrs: Dim})
	g.All().Put(2, 0, "cd", Dimmed)
	if got := g.Encode(true); !strings.Contains(got, "\x1b[0;2;33mab") {
		t.Errorf("dark: %q", got)
	}
	g.Scheme = Light
	if got := g.Encode(true); !strings.Contains(got, "\x1b[0;38;5;130mab") || !strings.Contains(got, "\x1b[0;38;5;243mcd") {
		t.Errorf("light: %q", got)
	}
	if got := g.Encode(false); strings.Contains(got, "38;5") {
		t.Errorf("without colours: %q", got)
	}
	for _, name := range []string{"dark", "light", "colorblind", "16"} {
		if p, ok := SchemeNamed(name); !ok || p.Name() != name {
			t.Errorf("%s is %s", name, p.Name())
		}
	}
}
