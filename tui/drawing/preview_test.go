package drawing

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPreviewAvoidsTexts: A preview leads from its source to its target, around the texts between them, also to an
// earlier node.
func TestPreviewAvoidsTexts(t *testing.T) {
	s := newSample()
	s.node("a", "a")
	s.node("b", "b", "a")
	s.node("c", "c", "a")
	s.node("d", "d", "b", "c")
	for _, c := range []struct {
		view     View
		from, to string
		weak     bool
		want     string
	}{
		{Chart, "a", "d", false, " · a ────────┬┬─▸ · b ─────────┬╭─▸· d\n             │╰─▸ · c ─────────╯│\n             ╰──────────────────╯"},
		{Chart, "d", "a", true, " · a ◂╌╌╌╌╌╌╌┬┬─▸ · b ─────────┬─▸ · d ╌╌╌╌╌╌╌╌╮\n             ╎╰─▸ · c ─────────╯               ╎\n             ╰╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╯"},
		{List, "a", "d", false, "·  ╭─a  idle                a\n├▸·│ b  idle                b\n·─┤│ c  idle                c\n  ·╰▸d  idle                d"},
	} {
		l := New(&s.g, Options{View: c.view, Zoom: Chips})
		l.Show(Look{Width: 50, Height: 5, Selected: NodeItem(s.at[c.to])})
		grid := NewGrid(50, 5)
		l.Draw(grid, Point{})
		l.Preview(grid, Point{}, Preview{From: []Item{NodeItem(s.at[c.from])}, To: NodeItem(s.at[c.to]), NonBlocking: c.weak})
		var lines []string
		for line := range strings.Lines(grid.String()) {
			lines = append(lines, strings.TrimRight(line, " \n"))
		}
		if got := strings.TrimRight(strings.Join(lines, "\n"), "\n"); got != c.want {
			t.Errorf("%v, %s to %s:\n%s\nwant\n%s", c.view, c.from, c.to, got, c.want)
		}
	}
}

// TestPreviewNeverOverwritesText: For any edge in any part of a drawing, nothing panics and no text is overwritten.
func TestPreviewNeverOverwritesText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := irregular(rapid.IntRange(1, 40).Draw(t, "nodes"), rapid.Uint64().Draw(t, "seed"))
		item := func(name string) Item { return NodeItem(rapid.IntRange(0, len(g.Nodes)-1).Draw(t, name)) }
		l := New(g, Options{View: rapid.SampledFrom([]View{List, Chart}).Draw(t, "view"),
			Zoom: Zoom(rapid.IntRange(0, int(zooms)-1).Draw(t, "zoom"))})
		p := Preview{From: []Item{item("from"), item("from")}, To: item("to"), Refused: rapid.Bool().Draw(t, "refused")}
		width, height := rapid.IntRange(0, 90).Draw(t, "width"), rapid.IntRange(0, 30).Draw(t, "height")
		l.Show(Look{Width: width, Height: height, Selected: p.To})
		grid, before := NewGrid(width, height), NewGrid(width, height)
		from := Point{X: rapid.IntRange(0, 60).Draw(t, "x"), Y: rapid.IntRange(0, 20).Draw(t, "y")}
		l.Draw(grid, from)
		l.Draw(before, from)
		l.Preview(grid, from, p)
		for y := range height {
			for x, c := range before.Row(y) {
				if c.Item != Nothing && c.Style.Mods&Line == 0 && c.Text != grid.Row(y)[x].Text {
					t.Fatalf("%q at %d,%d became %q", c.Text, x, y, grid.Row(y)[x].Text)
				}
			}
		}
	})
}

// TestOverviewShowsUrgentStates: The overview shows the most urgent states at their places, and marks the visible
// part.
func TestOverviewShowsUrgentStates(t *testing.T) {
	g := pipeline(20)
	g.Nodes[len(g.Nodes)-1].State = Failed
	l := New(g, Options{View: Chart, Zoom: Chips})
	l.Show(Look{Width: 60, Height: 10})
	small := NewGrid(12, 4)
	if !l.Overview(small, Point{}, 60, 10) {
		t.Fatal("a graph has no overview")
	}
	seen, failed := 0, 0
	for x := range small.Width {
		for y := range small.Height {
			c := small.At(x, y)
			if c.Style.Mods&Selected != 0 {
				seen++
			}
			if c.Text == Failed.Glyph(false) {
				failed++
			}
		}
	}
	if small.At(0, 0).Style.Mods&Selected == 0 || seen == 0 || seen > 24 || failed != 1 {
		t.Errorf("%d cells are in sight, %d failed:\n%s", seen, failed, small)
	}
	list := New(g, Options{View: List})
	if list.Show(Look{Width: 60, Height: 10}); list.Overview(small, Point{}, 60, 10) {
		t.Error("a list has an overview")
	}
}
