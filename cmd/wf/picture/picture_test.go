package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"wf/api"
	"wf/graph/picture"
	"wf/tui/words"
)

var allStates = []api.State{api.StateIdle, api.StateQueued, api.StateRunning, api.StateOK, api.StateFailed, api.StateHandled,
	api.StateBlocked, api.StateKept, api.StateCancelled, api.StateSkipped, api.StateWaiting, api.StateRetrying}

func drawGraph(t *rapid.T) *Graph {
	g := &Graph{}
	n := rapid.IntRange(0, 20).Draw(t, "nodes")
	for i := range n {
		g.Nodes = append(g.Nodes, Node{
			Name:    rapid.SampledFrom([]string{"align_", "a.b:c/", "数据数据", "evil\x1b[2J", "</text>&", ""}).Draw(t, "name") + strconv.Itoa(i),
			Command: rapid.SampledFrom([]string{"align x", "sort y", "printf '\x1b]8;;http://x\x07' </title>"}).Draw(t, "command"),
			State:   rapid.SampledFrom(allStates).Draw(t, "state"), Note: rapid.SampledFrom([]string{"", "1.2s", "12m30s #2"}).Draw(t, "note"),
			Signs: rapid.SampledFrom([]string{"", "foreach"}).Draw(t, "signs")})
	}
	for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
		g.Edges = append(g.Edges, Edge{From: rapid.IntRange(0, n-1).Draw(t, "from"), To: rapid.IntRange(0, n-1).Draw(t, "to"),
			NonBlocking: rapid.Bool().Draw(t, "weak"), When: rapid.SampledFrom([]string{"", "failure", "if:a<b\x1b"}).Draw(t, "when"),
			Taken: rapid.Bool().Draw(t, "taken"), Dead: rapid.Bool().Draw(t, "dead")})
	}
	return g
}

// TestPaintersAreHarmless: Whatever is in a workfile, the text has the size of the scene and no control characters, and
// the SVG is well-formed.
func TestPaintersAreHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		d := Draw(g, rapid.IntRange(0, 140).Draw(t, "width"), rapid.IntRange(0, 50).Draw(t, "height"), rapid.Bool().Draw(t, "whole"))
		s := d.Scene
		drawn := d.Text(Paint{ASCII: rapid.Bool().Draw(t, "ascii")})
		lines := strings.Split(drawn, "\n")
		if len(lines)-1 != s.H {
			t.Fatalf("%d lines for a scene of %d", len(lines)-1, s.H)
		}
		for _, line := range lines {
			if ansi.StringWidth(line) > s.W || strings.ContainsAny(line, "\x1b\x07\r\t") {
				t.Fatalf("bad line %q in a scene of %d columns", line, s.W)
			}
		}
		for decoder := xml.NewDecoder(strings.NewReader(string(d.SVG("a <b> & \x1bc")))); ; {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestNothingUrgentIsHidden: The text of every box has the sign of its most urgent state and, for a stage, how many
// nodes are in it.
func TestNothingUrgentIsHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		d := Draw(g, rapid.IntRange(20, 140).Draw(t, "width"), rapid.IntRange(5, 50).Draw(t, "height"), false)
		s := d.Scene
		lines := strings.Split(d.Text(Paint{}), "\n")
		for i := range s.Boxes {
			b := &s.Boxes[i]
			var inside strings.Builder
			for y := b.Y; y < b.Y+b.H; y++ {
				inside.WriteString(ansi.Cut(lines[y], b.X, b.X+b.W) + "\n")
			}
			worst := g.state(b)
			sign := words.LookOf(worst).Glyph
			if !strings.Contains(inside.String(), sign) {
				t.Fatalf("no sign of %s in %q", worst, inside.String())
			}
			if n := g.counts(b); len(b.Members) > 1 && api.Notable(worst) && !strings.Contains(inside.String(), sign+strconv.Itoa(n.Of(worst))) {
				t.Fatalf("%q does not tell that %d are %s", inside.String(), n.Of(worst), worst)
			}
		}
	})
}

// TestASCIISignsAreDistinct: No sign of a line is the sign of another kind of line, or of a state. The arrowhead to the
// right is also the sign of a handled failure, which stands only inside of boxes.
func TestASCIISignsAreDistinct(t *testing.T) {
	known := map[rune]string{}
	for _, state := range allStates {
		known[rune(words.LookOf(state).ASCII[0])] = "state " + string(state)
	}
	for arms := range uint8(16) {
		for _, weak := range []bool{false, true} {
			straight := arms == 5 || arms == 10
			if arms&(arms-1) == 0 || weak && !straight {
				continue // no line has a single arm
			}
			kind := "junction"
			switch arms {
			case 5, 10, 3, 6, 12, 9:
				kind = "arms " + strconv.Itoa(int(arms))
			}
			if arms == 6 || arms == 12 {
				kind = "corner below"
			}
			if weak {
				kind = "dashed " + kind
			}
			r := picture.Cell{Arms: arms, Weak: weak}.ASCII()
			if other, found := known[r]; found && other != kind {
				t.Errorf("%q is %s and %s", r, other, kind)
			}
			known[r] = kind
		}
	}
	for d := range picture.Direction(4) {
		r := picture.Cell{Head: true, Into: d}.ASCII()
		if other, found := known[r]; found && other != "state handled" {
			t.Errorf("%q is an arrowhead and %s", r, other)
		}
	}
}
