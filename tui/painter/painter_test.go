package painter

import (
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/graph/picture"
)

// TestProgressNamesWhatIsUrgent: The note of a stage tells how many nodes are done, and hides no failure, question or
// running node behind another one. It is never wider than the room that the kernel reserves for counts.
func TestProgressNamesWhatIsUrgent(t *testing.T) {
	for _, c := range []struct {
		counts map[api.State]int
		want   string
	}{
		{map[api.State]int{api.StateIdle: 8}, ""},
		{map[api.State]int{api.StateOK: 8}, "8/8"},
		{map[api.State]int{api.StateOK: 6, api.StateFailed: 1, api.StateIdle: 1}, "6/8 ✗1"},
		{map[api.State]int{api.StateOK: 4, api.StateRunning: 3, api.StateIdle: 1}, "4/8 ●3"},
		{map[api.State]int{api.StateFailed: 1, api.StateRunning: 3, api.StateOK: 4}, "✗1●3"},
		{map[api.State]int{api.StateFailed: 1, api.StateWaiting: 2, api.StateRunning: 3}, "✗1◆2●3"},
		{map[api.State]int{api.StateFailed: 1, api.StateWaiting: 2, api.StateRunning: 3, api.StateRetrying: 1}, "✗◆↻●"},
	} {
		var counts api.Counts
		for state, n := range c.counts {
			for range n {
				counts.Add(state)
			}
		}
		got := Progress(counts, false)
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.counts, got, c.want)
		}
		if room := 3*len("8") + 3; len([]rune(got)) > room {
			t.Errorf("%q is wider than %d", got, room)
		}
	}
}

// TestShortNames removes what most names begin with, again and again, but never all of a name.
func TestShortNames(t *testing.T) {
	names := []string{"NF.RNA.TRIM_1", "NF.RNA.TRIM_2", "NF.RNA.ALIGN", "NF.QC", "other"}
	if got, want := ShortNames(names), []string{"TRIM_1", "TRIM_2", "ALIGN", "QC", "other"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if names[0] != "NF.RNA.TRIM_1" {
		t.Error("the names themselves changed")
	}
}

// TestLinesHaveTheColourOfTheirMostUrgentEdge: A dead line is faint, a taken one green, and edges that do not count do
// not colour it.
func TestLinesHaveTheColourOfTheirMostUrgentEdge(t *testing.T) {
	vertices := []picture.Vertex{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	edges := []picture.Edge{{From: 0, To: 2}, {From: 1, To: 2}}
	s := picture.New(vertices, edges, picture.Options{})
	if len(s.Tracks) != 1 {
		t.Fatalf("%d tracks", len(s.Tracks))
	}
	for _, c := range []struct {
		ways    []Way
		counted []bool
		want    LineLook
	}{
		{[]Way{{From: api.StateOK}, {From: api.StateFailed}}, []bool{true, true}, LineLook{State: api.StateFailed}},
		{[]Way{{From: api.StateOK}, {From: api.StateFailed}}, []bool{true, false}, LineLook{State: api.StateOK}},
		{[]Way{{From: api.StateOK, Taken: true}, {From: api.StateIdle}}, []bool{true, true}, LineLook{Taken: true, State: api.StateOK}},
		{[]Way{{From: api.StateSkipped, Dead: true}, {From: api.StateSkipped, Dead: true}}, []bool{true, true}, LineLook{Dead: true}},
		{[]Way{{From: api.StateIdle}, {From: api.StateIdle}}, []bool{true, true}, LineLook{}},
	} {
		got := LookOf(&s.Tracks[0], -1, func(e int) (Way, bool) { return c.ways[e], c.counted[e] })
		if got != c.want {
			t.Errorf("%+v %v: %+v, want %+v", c.ways, c.counted, got, c.want)
		}
	}
}

// A page is a surface of lines.
type page struct {
	cells [][]rune
	marks map[picture.Point]Mark
}

func (p *page) Texts(int) Texts { return Texts{Sign: "*", Note: "1s"} }

func (p *page) Put(x, y int, text string, m Mark) {
	for _, r := range text {
		p.cells[y][x] = r
		p.marks[picture.Point{X: x, Y: y}] = m
		x++
	}
}

// TestMarksSayWhatCellsBelongTo paints two boxes: names, notes and frames belong to their boxes, the line to its track.
func TestMarksSayWhatCellsBelongTo(t *testing.T) {
	s := picture.New([]picture.Vertex{{Name: "left"}, {Name: "right"}}, []picture.Edge{{From: 0, To: 1}}, picture.Options{Note: 7})
	on := &page{marks: map[picture.Point]Mark{}}
	for range s.H {
		on.cells = append(on.cells, []rune(strings.Repeat(" ", s.W)))
	}
	New(s, false).Paint(picture.Rect{W: s.W, H: s.H}, on)
	count := map[Part]int{}
	for at, m := range on.marks {
		count[m.Part]++
		if box := s.At(at); m.Part == Line && box >= 0 || m.Part != Line && box != m.Box {
			t.Errorf("%c at %v is marked %+v, and in box %d", on.cells[at.Y][at.X], at, m, box)
		}
	}
	if count[Name] != len("leftright") || count[Note] != len("1s1s") || count[Line] == 0 || count[Frame] == 0 {
		t.Errorf("%v", count)
	}
}
