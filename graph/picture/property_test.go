package picture

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawGraph draws a random graph, with loops, cycles, conditions and components.
func drawGraph(t *rapid.T) ([]Vertex, []Edge) {
	n := rapid.IntRange(1, 24).Draw(t, "vertices")
	vertices := make([]Vertex, n)
	for v := range vertices {
		vertices[v] = Vertex{Name: strings.Repeat("n", rapid.IntRange(1, 30).Draw(t, "name")) + strconv.Itoa(v),
			Command: rapid.SampledFrom([]string{"", "align a", "sort b", "own " + strconv.Itoa(v) + "x"}).Draw(t, "command"),
			Signs:   rapid.SampledFrom([]string{"", "", "⟳"}).Draw(t, "signs")}
	}
	var edges []Edge
	for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
		e := Edge{From: rapid.IntRange(0, n-1).Draw(t, "from"), To: rapid.IntRange(0, n-1).Draw(t, "to")}
		if e.From > e.To && rapid.IntRange(0, 2).Draw(t, "turn") > 0 {
			e.From, e.To = e.To, e.From
		}
		e.Weak = rapid.IntRange(0, 5).Draw(t, "weak") == 0
		e.When = rapid.SampledFrom([]string{"", "", "", "failure", "outputs.x > 3 and outputs.y"}).Draw(t, "when")
		edges = append(edges, e)
	}
	return vertices, edges
}

// scenes calls f with the graph in every form and direction, wrapped and not.
func scenes(vertices []Vertex, edges []Edge, fold bool, limit int, f func(s *Scene)) {
	o := Options{Measure: func(s string) int { return len([]rune(s)) }, Note: 6}
	l := newLevel(vertices, edges, &o)
	if fold {
		for l = range levels(vertices, edges, &o) { // the last one
		}
	}
	for _, form := range []Form{Card, Chip, Tag, Dot} {
		for _, down := range []bool{false, true} {
			for _, long := range []int{0, limit} {
				l.lay()
				p := newPlan(l, size{form, 12}, shape{down: down, limit: long, snug: down, carried: mostCarriedOfStages})
				p.arrange(limit)
				f(p.scene(o))
			}
		}
	}
}

// TestEdgesCanBeTraced: Whoever follows the lines of a picture, cell by cell, from a box to arrowheads, reaches exactly
// the boxes that its edges lead to. The tracer knows nothing but signs and the rectangles of boxes.
func TestEdgesCanBeTraced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, edges := drawGraph(t)
		limit := rapid.IntRange(10, 120).Draw(t, "limit")
		scenes(vertices, edges, rapid.Bool().Draw(t, "fold"), limit, func(s *Scene) {
			wantTraces(t, s, edges)
			wantApart(t, s)
			wantExact(t, s)
		})
	})
}

// wantTraces compares what a tracer reaches with the edges.
func wantTraces(t *rapid.T, s *Scene, edges []Edge) {
	c := s.Paint()
	want := make([][]int, len(s.Boxes))
	implied := map[int]bool{}
	for _, i := range s.Implied {
		implied[i] = true
	}
	for i, e := range edges {
		if implied[i] {
			continue
		}
		if s.Box[e.From] == s.Box[e.To] && e.From != e.To {
			continue // in a stage
		}
		want[s.Box[e.From]] = append(want[s.Box[e.From]], s.Box[e.To])
	}
	for b := range s.Boxes {
		slices.Sort(want[b])
		want[b] = slices.Compact(want[b])
		if got := trace(c, s, b); !slices.Equal(got, want[b]) {
			t.Fatalf("%s, down %v, bands %d: from box %d %q to %v, want %v\n%s", s.Form, s.Down, s.Bands, b, s.Boxes[b].Full, got, want[b], show(s))
		}
	}
}

var armsOf = func() map[rune]uint8 {
	arms := map[rune]uint8{'╌': 10, '╎': 5}
	for i, r := range lines {
		arms[r] = uint8(i)
	}
	return arms
}()

// trace follows the lines that leave a box and returns the boxes that their arrowheads point at.
func trace(c *Canvas, s *Scene, box int) []int {
	type step struct {
		at Point
		d  Direction // in which the cell is entered
	}
	var todo []step
	r := s.Boxes[box].Rect
	for y := r.Y; y < r.Y+r.H; y++ {
		todo = append(todo, step{Point{r.X + r.W, y}, Right})
	}
	for x := r.X; x < r.X+r.W; x++ {
		todo = append(todo, step{Point{x, r.Y + r.H}, Down})
	}
	todo = slices.DeleteFunc(todo, func(x step) bool { // nothing leaves there
		sign := c.At(x.at).Rune()
		if at := slices.Index([]rune("▴▸▾◂"), sign); at >= 0 {
			return Direction(at) != x.d
		}
		return armsOf[sign]>>((x.d+2)%4)&1 == 0
	})
	seen, reached := map[step]bool{}, []int(nil)
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		if seen[x] {
			continue
		}
		seen[x] = true
		sign := c.At(x.at).Rune()
		if at := slices.Index([]rune("▴▸▾◂"), sign); at >= 0 {
			if b := s.At(beside(x.at, Direction(at))); b >= 0 {
				reached = append(reached, b)
			}
			continue
		}
		arms := armsOf[sign]
		if arms>>((x.d+2)%4)&1 == 0 { // below a line from top to bottom
			if arms == 5 {
				todo = append(todo, step{beside(x.at, x.d), x.d})
			}
			continue
		}
		for d := range Direction(4) {
			if arms>>d&1 == 1 && d != (x.d+2)%4 && s.At(beside(x.at, d)) < 0 {
				todo = append(todo, step{beside(x.at, d), d})
			}
		}
	}
	slices.Sort(reached)
	return slices.Compact(reached)
}

func beside(p Point, d Direction) Point {
	switch d {
	case Up:
		p.Y--
	case Right:
		p.X++
	case Down:
		p.Y++
	case Left:
		p.X--
	}
	return p
}

// wantApart checks that nothing overlaps and all is inside the scene.
func wantApart(t *rapid.T, s *Scene) {
	c := s.Paint()
	taken := map[Point]int{}
	for i, b := range s.Boxes {
		for y := b.Y; y < b.Y+b.H; y++ {
			for x := b.X; x < b.X+b.W; x++ {
				p := Point{x, y}
				if other, found := taken[p]; found {
					t.Fatalf("boxes %d and %d overlap\n%s", other, i, show(s))
				}
				taken[p] = i
				if c.At(p).Track >= 0 {
					t.Fatalf("a line passes below box %d at %v\n%s", i, p, show(s))
				}
				if x < 0 || y < 0 || x >= s.W || y >= s.H {
					t.Fatalf("box %d is outside\n%s", i, show(s))
				}
			}
		}
	}
	for _, l := range s.Labels {
		for x := l.X; x < l.X+l.W; x++ {
			p := Point{x, l.Y}
			cell := c.At(p)
			if _, found := taken[p]; found || x >= s.W {
				t.Fatalf("the label %q overlaps something\n%s", l.Text, show(s))
			}
			taken[p] = -1
			if own := int(cell.Track) == l.Track && !cell.Cross && cell.Arms == 10 && !cell.Head; !s.Down && !own || s.Down && cell.Track >= 0 {
				t.Fatalf("the label %q hides something\n%s", l.Text, show(s))
			}
		}
	}
}

// wantExact checks that each piece carries the arcs that need it: without the piece they would be cut off.
func wantExact(t *rapid.T, s *Scene) {
	for i := range s.Tracks {
		tr := &s.Tracks[i]
		for _, a := range tr.Arcs {
			// The pieces that carry an arc are a path: its ends are touched once, all other points twice.
			touched := map[Point]int{}
			for k := range tr.Pieces {
				if p := &tr.Pieces[k]; tr.Carries(p, &a) {
					touched[p.A]++
					touched[p.B]++
				}
			}
			from := slices.IndexFunc(tr.Tails, func(e End) bool { return e.Box == a.From })
			to := slices.IndexFunc(tr.Heads, func(e End) bool { return e.Box == a.To })
			if from < 0 || to < 0 {
				t.Fatalf("track %d does not join %d and %d", i, a.From, a.To)
			}
			start, goal := tr.Tails[from].At, tr.Heads[to].At
			for p, n := range touched {
				if end := p == start || p == goal; end && n != 1 || !end && n != 2 {
					t.Fatalf("the path from %d to %d touches %v %d times\n%s", a.From, a.To, p, n, show(s))
				}
			}
			if start != goal && (touched[start] != 1 || touched[goal] != 1) {
				t.Fatalf("the path from %d to %d does not reach its ends\n%s", a.From, a.To, show(s))
			}
		}
	}
}

// show returns a scene as text, for messages.
func show(s *Scene) string {
	c := s.Paint()
	rows := make([][]rune, s.H)
	for y := range rows {
		for x := range s.W {
			rows[y] = append(rows[y], c.At(Point{x, y}).Rune())
		}
	}
	put := func(p Point, text string) {
		for i, r := range []rune(text) {
			if p.Y >= 0 && p.Y < s.H && p.X+i < s.W {
				rows[p.Y][p.X+i] = r
			}
		}
	}
	for _, l := range s.Labels {
		put(Point{l.X, l.Y}, l.Text)
	}
	for i, b := range s.Boxes {
		for y := b.Y; y < b.Y+b.H; y++ {
			put(Point{b.X, y}, strings.Repeat("░", b.W))
		}
		put(Point{b.X + 1, b.Y + b.H/2}, strconv.Itoa(i)+" "+b.Name)
	}
	var text strings.Builder
	for _, row := range rows {
		text.WriteString(strings.TrimRight(string(row), " ") + "\n")
	}
	return text.String()
}

// TestPromisesOfNew: What fits is as large as promised, every vertex has a box, and the same input gives the same scene.
func TestPromisesOfNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, edges := drawGraph(t)
		o := Options{Width: rapid.IntRange(0, 150).Draw(t, "width"), Height: rapid.IntRange(0, 50).Draw(t, "height"), Note: 6}
		for v := range vertices {
			if rapid.IntRange(0, 5).Draw(t, "open") == 0 {
				o.Open = append(o.Open, v)
			}
		}
		s := New(vertices, edges, o)
		if s.Fits && (o.Width > 0 && s.W > o.Width || o.Height > 0 && s.H > o.Height) {
			t.Fatalf("%d x %d does not fit %d x %d", s.W, s.H, o.Width, o.Height)
		}
		seen := make([]bool, len(vertices))
		for i, b := range s.Boxes {
			for _, v := range b.Members {
				if seen[v] || s.Box[v] != i {
					t.Fatalf("vertex %d is in two boxes", v)
				}
				seen[v] = true
			}
			if len(b.Members) > 1 && (!s.Folded || b.Times == "" || b.Note < countWidth(len(b.Members))) {
				t.Fatalf("a stage of %d has no room for its counts", len(b.Members))
			}
		}
		if slices.Contains(seen, false) {
			t.Fatal("a vertex has no box")
		}
		for _, v := range o.Open {
			if b := s.Boxes[s.Box[v]]; len(b.Members) > 1 {
				t.Fatalf("the stage of %d is not open", v)
			}
		}
		if !reflect.DeepEqual(s, New(vertices, edges, o)) {
			t.Fatal("a second scene differs")
		}
	})
}
