package timeline

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"wf/tui/cells"
)

var start = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

// drawn returns a row of bars as text. A sign in reverse has a ^ before it.
func drawn(s Scale, ascii bool, bars ...Bar) string {
	var g cells.Grid
	g.Resize(s.Width, 1)
	g.ASCII = ascii
	s.Draw(g.All(), bars)
	var b strings.Builder
	for x := range s.Width {
		c := g.All().At(x, 0)
		if c.Style.Attrs&cells.Reverse != 0 {
			b.WriteString("^")
		}
		if c.Text == "" {
			b.WriteString(".")
		}
		b.WriteString(c.Text)
	}
	return b.String()
}

func TestBars(t *testing.T) {
	s := NewScale(start, at(1000), 10, false) // a column is 100 ms
	for _, one := range []struct {
		from, to int
		want     string
	}{
		{0, 100, "█........."}, {0, 1000, "██████████"}, {0, 50, "▍........."}, {50, 100, "^▍........."}, {50, 250, "^▍█▍......."},
		{0, 0, "▏........."}, {300, 300, "...▏......"}, {1000, 1000, ".........^▉"}, {25, 50, "▎........."}, {62, 88, "^▋........."}, {-500, 50, "▍........."}, {900, 5000, ".........█"},
	} {
		if got := drawn(s, false, Bar{From: at(one.from), To: at(one.to)}); got != one.want {
			t.Errorf("%d to %d ms is %s, want %s", one.from, one.to, got, one.want)
		}
	}
	if got := drawn(s, false, Bar{Ready: at(100), From: at(450), To: at(600)}); got != ".┄┄┄^▍█...." {
		t.Errorf("a bar that waited is %s", got)
	}
	if got := drawn(s, true, Bar{Ready: at(100), From: at(450), To: at(600), Sign: "+", Waits: "o"}, Bar{From: at(700), To: at(800), Sign: "x"}); got != ".ooo++.x.." {
		t.Errorf("in ASCII it is %s", got)
	}
}

// TestBarsAreVisibleAndInside: Each bar that overlaps the scale has a cell, and the filled eighths are as many as its time needs, but for one
// at each end.
func TestBarsAreVisibleAndInside(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		s := NewScale(start, at(1+r.IntN(100_000)), 1+r.IntN(80), r.IntN(2) == 0)
		from := r.IntN(int(s.Span/time.Millisecond) + 1)
		to := min(from+r.IntN(20_000), int(s.Span/time.Millisecond))
		filled := 0
		var g cells.Grid
		g.Resize(s.Width, 1)
		s.Draw(g.All(), []Bar{{From: at(from), To: at(to)}})
		for x := range s.Width {
			c := g.All().At(x, 0)
			for n, sign := range blocks {
				switch {
				case c.Text != sign || n == 4:
				case c.Style.Attrs&cells.Reverse != 0:
					filled += eighths - n
				default:
					filled += n
				}
			}
		}
		want := float64(to-from) / float64(s.Span/time.Millisecond) * float64(s.Width*eighths)
		if filled < 1 || float64(filled) < want-2 || float64(filled) > want+2 {
			t.Fatalf("%d to %d ms of %v in %d columns fills %d eighths, want about %.1f", from, to, s.Span, s.Width, filled, want)
		}
	}
}

func TestAxis(t *testing.T) {
	for _, one := range []struct {
		ms    int
		width int
		grows bool
		want  string
	}{
		{1000, 30, false, "0s             500ms"},
		{10_000, 40, false, "0s      2s      4s      6s      8s      "},
		{95_000, 40, false, "0s          30s          1m             "},
		{95_000, 40, true, "0s        30s       1m        1m30s"}, {130_000, 40, true, "0s           1m           2m"},
		{7_200_000, 40, false, "0s        30m       1h        1h30m     "},
		{1, 8, false, "0s      "},
	} {
		s := NewScale(start, at(one.ms), one.width, one.grows)
		var g cells.Grid
		g.Resize(one.width, 1)
		s.Axis(g.All())
		got := strings.TrimRight(g.String(), "\n ")
		if got != strings.TrimRight(one.want, " ") {
			t.Errorf("%d ms in %d columns: %q, want %q", one.ms, one.width, got, one.want)
		}
	}
}

// TestScaleOfARunChangesSeldom: While a run grows to an hour, its scale changes only a few times.
func TestScaleOfARunChangesSeldom(t *testing.T) {
	changes, last := 0, time.Duration(0)
	for s := range 3600 {
		if span := NewScale(start, at(1000*s), 40, true).Span; span != last {
			changes, last = changes+1, span
		}
	}
	if changes > 24 {
		t.Errorf("%d changes in an hour", changes)
	}
}
