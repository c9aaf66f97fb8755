package drawing

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestDrawingInASCIIIsASCII: If all names are in ASCII, so is the whole drawing.
func TestDrawingInASCIIIsASCII(t *testing.T) {
	g := irregular(40, 5)
	running(g)
	for i := range g.Nodes {
		g.Nodes[i].State = State(i % int(states))
	}
	g.Edges = append(g.Edges, Edge{From: 30, To: 3, NonBlocking: true}, Edge{From: 2, To: 9, NonBlocking: true})
	for i := range g.Edges {
		g.Edges[i].Marked, g.Edges[i].Dead = i%3 == 0, i%3 == 1
	}
	for view := List; view <= Layers; view++ {
		for zoom := Chip; zoom <= Map; zoom++ {
			l := New(g, Options{View: view, Zoom: zoom, Hidden: only(g, "f", "r", "p", "s"), Folded: zoom == Timed})
			for _, c := range fullGrid(l, Look{Width: 70, Height: 30, ASCII: true}).cells {
				if c.Text != "" && c.Text[0] >= 0x80 {
					t.Fatalf("%v, zoom %d: %q", view, zoom, c.Text)
				}
			}
		}
	}
}

// TestHiddenNodesKeepConnections: Nodes that are connected through hidden nodes stay connected, with as few lines as
// possible.
func TestHiddenNodesKeepConnections(t *testing.T) {
	//  0 → 1(hidden) → 2 → 3(hidden) → 4, 1 → 4, 4 ⇢ 5(hidden) → 0, 2 ⇢ 6(hidden) → 7
	g := &Graph{Nodes: make([]Node, 8)}
	for i := range g.Nodes {
		g.Nodes[i].ID = fmt.Sprint(i)
	}
	for _, e := range [][3]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 4}, {4, 5, 1}, {5, 0}, {2, 6, 1}, {6, 7}} {
		g.Edges = append(g.Edges, Edge{From: e[0], To: e[1], NonBlocking: e[2] == 1})
	}
	w, nodes, _ := contract(g, []bool{1: true, 3: true, 5: true, 6: true, 7: false})
	var got []string
	for _, a := range w.arcs {
		got = append(got, fmt.Sprintf("%d-%d via %v weak %v back %v", nodes[a.from], nodes[a.to], a.via, a.weak, a.back))
	}
	want := []string{"0-2 via true weak false back false", "2-4 via true weak false back false",
		"2-7 via true weak true back false", "4-0 via true weak true back true"}
	if !slices.Equal(got, want) {
		t.Errorf("arcs %q, want %q", got, want)
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name  string
		graph *Graph
		want  View
	}{
		{"nothing", &Graph{}, Layers},
		{"30 nodes", irregular(30, 7), Layers},
		{"pipeline of 99", pipeline(15), Layers},
		{"pipeline of 5,028", pipeline(831), Stages},
		{"long chain of different commands", chainOf(300, func(i int) string { return fmt.Sprintf("step_%c%c", 'a'+i%26, 'a'+i/26) }), List},
	} {
		if got := Choose(c.graph, 100, 40); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFit(t *testing.T) {
	g := pipeline(3)
	for _, c := range []struct {
		width, height int
		want          Zoom
	}{{400, 30, Box}, {300, 10, Timed}, {180, 10, Chip}, {100, 30, Map}, {0, 0, Map}} {
		if got := Fit(g, Options{View: Layers}, c.width, c.height).Zoom; got != c.want {
			t.Errorf("in %dx%d zoom %d, want %d", c.width, c.height, got, c.want)
		}
	}
}

func TestFold(t *testing.T) {
	var got []string
	for _, s := range Fold(pipeline(831)) {
		got = append(got, fmt.Sprintf("%s %d %v", s.Name, len(s.Nodes), s.After))
	}
	want := []string{"fetch_ref 1 []", "index_ref 1 [0]", "fastqc 831 [0]", "multiqc 1 [2]", "trim 831 [0]", "align 831 [1 4]", "sort 831 [5]",
		"dedup 831 [6]", "call 831 [7]", "merge 34 [8]", "joint_call 1 [9]", "filter 1 [10]", "annotate 1 [11]", "plots 1 [12]", "report 1 [3 13]"}
	if !slices.Equal(got, want) {
		t.Errorf("stages:\n%q, want\n%q", got, want)
	}
}

// TestStagesAreNamedByCommands: A stage is named by its command if its handles have nothing in common.
func TestStagesAreNamedByCommands(t *testing.T) {
	g := &Graph{}
	for i, command := range []string{"sleep 1 # RNA.INPUT.CHECK", "sleep 2 # RNA.INPUT.CHECK", "sleep 1 # RNA.ALIGN", "sleep 2 # RNA.ALIGN", "sleep 4", "true a1", "true a2"} {
		name := "sleep"
		if i >= 5 {
			name = "true"
		}
		g.Nodes = append(g.Nodes, Node{ID: fmt.Sprint(i), Name: fmt.Sprintf("%s~%d", name, i), Command: command})
	}
	var got []string
	for _, s := range Fold(g) {
		got = append(got, s.Name)
	}
	if want := []string{"sleep INPUT.CHECK", "sleep ALIGN", "sleep~4", "true"}; !slices.Equal(got, want) {
		t.Errorf("stages %q, want %q", got, want)
	}
}

// TestPlacesInTheFileDecideTheOrder: A node that is above another one in the file is above it in the drawing. In
// files drawn from top to bottom, left in the file is above in the drawing.
func TestPlacesInTheFileDecideTheOrder(t *testing.T) {
	const down, right = false, true
	for _, flow := range []bool{down, right} {
		g := &Graph{}
		for i, across := range []float64{0, 300, 200, 100} {
			n := Node{ID: fmt.Sprint(i), Name: fmt.Sprint(i), Placed: true, X: across, Y: float64(min(i, 1)) * 1000}
			if flow == right {
				n.X, n.Y = n.Y, n.X
			}
			g.Nodes = append(g.Nodes, n)
			if i > 0 {
				g.Edges = append(g.Edges, Edge{From: 0, To: i})
			}
		}
		l := New(g, Options{View: Layers})
		l.Show(Look{})
		var rows []int
		for i := 1; i < 4; i++ {
			rows = append(rows, l.Where(NodeItem(i)).Y)
		}
		if !reflect.DeepEqual(rows, []int{2, 1, 0}) {
			t.Errorf("rightwards %v: rows %v", flow, rows)
		}
	}
}

// TestLanesWithoutRoomAreCounted: The rows stay in their columns.
func TestLanesWithoutRoomAreCounted(t *testing.T) {
	s := newSample()
	for i := range 20 {
		s.node(fmt.Sprintf("source%d", i), "")
	}
	for i := range 20 {
		s.node(fmt.Sprintf("target%d", i), "", fmt.Sprintf("source%d", i), fmt.Sprintf("source%d", (i+7)%20))
	}
	l := New(&s.g, Options{})
	grid := fullGrid(l, Look{Width: 60})
	lanes := l.view.(*list).lanes
	most := int32(0)
	for r := range lanes.rows {
		most = max(most, lanes.rows[r].hidden)
		if len(lanes.rows[r].columns) > maxLanes+1 {
			t.Fatalf("row %d has %d lanes", r, len(lanes.rows[r].columns))
		}
	}
	if most == 0 {
		t.Fatalf("all lanes fit:\n%s", grid)
	}
	for r, item := range l.Items() {
		if grid.At(2*lanes.width+1, r).Item != item {
			t.Fatalf("the name of row %d is not in its column:\n%s", r, grid)
		}
	}
}

// TestCellsOfALineNameTheirEdge: The cells of a line that only one edge uses contain the number of the edge.
func TestCellsOfALineNameTheirEdge(t *testing.T) {
	found := map[int32]bool{}
	grid := fullGrid(New(chain(3), Options{View: Layers}), Look{})
	for _, c := range grid.cells {
		found[c.Edge] = true
	}
	if !found[0] || !found[1] {
		t.Errorf("edges %v\n%s", found, grid)
	}
}

func TestWaitingStepsShareOneRow(t *testing.T) {
	g := chainOf(12, func(i int) string { return fmt.Sprintf("step_%c", 'a'+i) })
	g.Nodes[0].State = Running
	g.Nodes[6].State = Failed
	l := New(g, Options{View: Stages})
	show := func(height int, selected Item, open string) (kinds []Item) {
		l.Show(Look{Width: 60, Height: height, Selected: selected, Expanded: map[string]bool{open: true}})
		return slices.Clone(l.Items())
	}
	if got := show(12, Nothing, ""); len(got) != 12 {
		t.Errorf("with room for all: %v", got)
	}
	if want := []Item{NodeItem(0), {ASteps, 1}, NodeItem(6), {ASteps, 7}}; !slices.Equal(show(11, Nothing, ""), want) {
		t.Errorf("without: %v, want %v", l.Items(), want)
	}
	if got := l.Nodes(Item{ASteps, 7}); !slices.Equal(got, []int{7, 8, 9, 10, 11}) {
		t.Errorf("the steps stand for %v", got)
	}
	if want := []Item{NodeItem(0), {ASteps, 1}, NodeItem(6), {ASteps, 7}, NodeItem(9), {ASteps, 10}}; !slices.Equal(show(5, NodeItem(9), ""), want) {
		t.Errorf("with one selected: %v, want %v", l.Items(), want)
	}
	if got := show(5, Nothing, l.Key(Item{ASteps, 1})); !slices.Equal(got, []Item{NodeItem(0), NodeItem(1), NodeItem(2), NodeItem(3), NodeItem(4), NodeItem(5), NodeItem(6), NodeItem(7), NodeItem(8), NodeItem(9), NodeItem(10), NodeItem(11)}) {
		t.Errorf("opened: %v", got)
	}
	show(5, Nothing, "")
	if seen := l.Seen(NodeItem(3)); seen != (Item{ASteps, 1}) {
		t.Errorf("node 3 is seen as %v", seen)
	}
}

// TestFailuresWithoutRoomAreCounted: Of a stage with more failures than fit, some have a row and the others are
// counted.
func TestFailuresWithoutRoomAreCounted(t *testing.T) {
	g := pipeline(100)
	for i := range g.Nodes {
		if i%5 == 0 {
			g.Nodes[i].State = Failed
		}
	}
	l := New(g, Options{View: Stages})
	l.Show(Look{Width: 80, Height: 30})
	rows, failed := map[Kind]int{}, map[int]bool{}
	for _, item := range l.Items() {
		rows[item.Kind]++
		if item.Kind == ANode || item.Kind == AMore {
			for _, v := range l.Nodes(item) {
				failed[v] = g.Nodes[v].State == Failed
			}
		}
	}
	for v := range g.Nodes {
		if g.Nodes[v].State == Failed && !failed[v] {
			t.Errorf("%s failed and is hidden", g.Nodes[v].Name)
		}
	}
	if rows[AMore] < 5 || len(l.Items()) > 50 {
		t.Errorf("rows: %v", rows)
	}
	l.Show(Look{Width: 80, Height: 30, Expanded: map[string]bool{l.Key(Item{AStage, 4}): true}})
	if n := len(l.Items()); n < 100 {
		t.Errorf("an expanded stage of 100 nodes has %d rows", n)
	}
}

// TestBlockedSignDiffersFromLines: In ASCII, too, the sign of a blocked node differs from the lines beside it.
func TestBlockedSignDiffersFromLines(t *testing.T) {
	for _, signs := range [][16]string{asciis, asciiDashes, asciiDots} {
		if slices.Contains(signs[:], Blocked.Glyph(true)) {
			t.Errorf("%q is a line, too", Blocked.Glyph(true))
		}
	}
}

// TestStageShowsMarksOfFoldedNodes: A stage shows the number of marked nodes that it folds, and no others.
func TestStageShowsMarksOfFoldedNodes(t *testing.T) {
	g := pipeline(5)
	stages := New(g, Options{View: Stages})
	row := func(look Look) string {
		look.Width, look.Height = 90, 40
		grid := fullGrid(stages, look)
		for y, item := range stages.Items() {
			if item.Kind == AStage && stages.Name(item) == "trim" {
				return strings.Split(grid.String(), "\n")[y]
			}
		}
		t.Fatal("there is no stage trim")
		return ""
	}
	var trims []int
	for i := range g.Nodes {
		if strings.HasPrefix(g.Nodes[i].Name, "trim_") {
			trims = append(trims, i)
		}
	}
	if got := row(Look{}); strings.Contains(got, "marked") {
		t.Errorf("without a mark: %q", got)
	}
	g.Nodes[trims[1]].Marked, g.Nodes[trims[3]].Marked = true, true
	if got := row(Look{}); !strings.Contains(got, "0/5 2 marked") {
		t.Errorf("with two marks: %q", got)
	}
	if got := row(Look{Selected: NodeItem(trims[1])}); !strings.Contains(got, "0/5 1 marked") {
		t.Errorf("one of which has a row: %q", got)
	}
	if got := row(Look{Expanded: map[string]bool{g.Nodes[trims[0]].ID: true}}); strings.Contains(got, "marked") {
		t.Errorf("opened: %q", got)
	}
	for name, l := range map[string]*Layout{"graph": New(g, Options{View: Layers, Folded: true}), "map": New(g, Options{View: Layers, Zoom: Map})} {
		marked := 0
		for _, c := range fullGrid(l, Look{Width: 4, Height: 2}).cells {
			if c.Style.Mods&Marked != 0 {
				marked++
			}
		}
		if marked == 0 {
			t.Errorf("the %s shows no mark of what it folds", name)
		}
	}
}
