package drawing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	kernel "wf/graph/picture"
)

// chartWays are the signs of lines of a chart with the sides to which they lead, and arrowheads with the side to which
// they point.
var (
	chartWays = map[string]string{
		"│": "NS", "─": "EW", "╰": "NE", "╭": "SE", "├": "NSE", "╯": "NW", "┴": "NEW", "╮": "SW", "┤": "NSW", "┬": "SEW", "┼": "NSEW",
		"╎": "NS", "╌": "EW", "┊": "NS", "┈": "EW", "╵": "N", "╷": "S", "╶": "E", "╴": "W",
	}
	heads = map[string]byte{"▸": 'E', "◂": 'W', "▾": 'S', "▴": 'N'}
)

// tracer follows the lines of a chart, sign by sign, as a reader does.
type tracer struct {
	c    *chart
	grid *Grid
}

// from returns the boxes at whose arrowheads the line arrives that leaves a box at an end.
func (r tracer) from(e kernel.End) map[int]bool {
	found, seen := map[int]bool{}, map[cursor]bool{}
	todo := []cursor{{e.At.X, e.At.Y, "NESW"[e.Into]}}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		cell := r.grid.At(at.x, at.y)
		if cell == nil || seen[at] || cell.Style.Mods&Line == 0 {
			continue
		}
		seen[at] = true
		if way, head := heads[cell.Text]; head {
			if box := r.c.scene.At(kernel.Point{X: at.x + ahead[way].X, Y: at.y + ahead[way].Y}); box >= 0 && way != opposite[at.way] {
				found[box] = true
			}
			if way == at.way {
				continue
			}
			// The head of a line that begins right there, or one that is reached from its side.
			todo = append(todo, cursor{at.x + ahead[way].X, at.y + ahead[way].Y, way})
			continue
		}
		ways, line := chartWays[cell.Text]
		if !line { // a condition, a token or a dead edge: on a straight line
			ways = string([]byte{at.way, opposite[at.way]})
		}
		if !contains(ways, opposite[at.way]) { // another line crosses above
			ways = string([]byte{at.way, opposite[at.way]})
		}
		for _, way := range []byte(ways) {
			if way != opposite[at.way] {
				todo = append(todo, cursor{at.x + ahead[way].X, at.y + ahead[way].Y, way})
			}
		}
	}
	return found
}

// checkChartEdges follows the painted lines from every box: they lead to all boxes to which edges lead, and to no
// others.
func checkChartEdges(t fataler, c *chart, grid *Grid) {
	t.Helper()
	want, got := make([]map[int]bool, len(c.scene.Boxes)), make([]map[int]bool, len(c.scene.Boxes))
	for i := range want {
		want[i], got[i] = map[int]bool{}, map[int]bool{}
	}
	for i, e := range c.input.edges {
		from, to := c.scene.Box[e.From], c.scene.Box[e.To]
		if slices.Contains(c.scene.Implied, i) {
			continue // others imply it
		}
		if from != to || e.From == e.To && len(c.scene.Boxes[from].Members) == 1 {
			want[from][to] = true
		}
	}
	for i := range c.scene.Tracks {
		for _, e := range c.scene.Tracks[i].Tails {
			for box := range (tracer{c, grid}).from(e) {
				got[e.Box][box] = true
			}
		}
	}
	for i := range want {
		for box := range want[i] {
			if !got[i][box] {
				t.Fatalf("no line leads from %q to %q:\n%s", c.scene.Boxes[i].Full, c.scene.Boxes[box].Full, grid)
			}
		}
		for box := range got[i] {
			if !want[i][box] && !(i == box && len(c.scene.Boxes[i].Members) > 1) {
				t.Fatalf("a line leads from %q to %q:\n%s", c.scene.Boxes[i].Full, c.scene.Boxes[box].Full, grid)
			}
		}
	}
}

// checkEdgesAreThere demands that the kernel was given every edge between visible nodes, once.
func checkEdgesAreThere(t fataler, c *chart) {
	t.Helper()
	given := map[int32]bool{}
	for i, e := range c.edge {
		if e < 0 {
			continue
		}
		from, to := c.node[c.input.edges[i].From], c.node[c.input.edges[i].To]
		if given[e] || int(from) != c.graph.Edges[e].From || int(to) != c.graph.Edges[e].To {
			t.Fatalf("edge %d is given twice, or with other ends", e)
		}
		given[e] = true
	}
	for i, e := range c.graph.Edges {
		if visible := c.vertex[e.From] >= 0 && c.vertex[e.To] >= 0; visible != given[int32(i)] {
			t.Fatalf("edge %d is drawn: %v, its ends are visible: %v", i, given[int32(i)], visible)
		}
	}
}

// checkApart demands that boxes do not overlap and lie in the drawing.
func checkApart(t fataler, c *chart) {
	t.Helper()
	taken := map[kernel.Point]int{}
	for i := range c.scene.Boxes {
		b := &c.scene.Boxes[i]
		if b.X < 0 || b.Y < 0 || b.X+b.W > c.scene.W || b.Y+b.H > c.scene.H {
			t.Fatalf("box %d at %v is outside of %dx%d", i, b.Rect, c.scene.W, c.scene.H)
		}
		for y := b.Y; y < b.Y+b.H; y++ {
			for x := b.X; x < b.X+b.W; x++ {
				if other, found := taken[kernel.Point{X: x, Y: y}]; found {
					t.Fatalf("boxes %d and %d overlap", other, i)
				}
				taken[kernel.Point{X: x, Y: y}] = i
			}
		}
	}
}

// checkNothingHidden demands that the box of each node that failed, waits or runs says so.
func checkNothingHidden(t fataler, c *chart, grid *Grid) {
	t.Helper()
	for v := range c.graph.Nodes {
		n, box := &c.graph.Nodes[v], c.boxOf(NodeItem(v))
		if box < 0 || !urgent(n.State) {
			continue
		}
		b, sign, found := &c.scene.Boxes[box], n.State.Glyph(c.look.ASCII), false
		for y := b.Y; y < b.Y+b.H; y++ {
			for x := b.X; x < b.X+b.W; x++ {
				cell := grid.At(x, y)
				found = found || cell != nil && cell.Item == c.item[box] && cell.Text == sign
			}
		}
		if !found {
			t.Fatalf("%q is %v, and its box does not say so:\n%s", n.Name, n.State, grid)
		}
	}
}

// checkLens demands that exactly the lines of the path of the selection are lit: those between it and all that leads to
// it and follows it.
func checkLens(t fataler, c *chart, grid *Grid) {
	t.Helper()
	if !c.lens.on {
		for i := range grid.cells {
			if grid.cells[i].Style.Mods&Near != 0 { // of a line or a box
				t.Fatalf("a line is lit without a lens:\n%s", grid)
			}
		}
		return
	}
	for i := range c.scene.Tracks {
		track := &c.scene.Tracks[i]
		for k := range track.Pieces {
			p, lit, dead := &track.Pieces[k], false, true
			for _, a := range track.Arcs {
				for _, e := range a.Edges {
					if track.Carries(p, &a) && c.lens.edge[e] {
						way, _ := c.way(e)
						lit, dead = true, dead && way.Dead
					}
				}
			}
			x, y := (p.A.X+p.B.X)/2, (p.A.Y+p.B.Y)/2
			cell := grid.At(x, y)
			on := c.paint.Canvas.At(kernel.Point{X: x, Y: y})
			if int(on.Track) != i || int(on.Piece) != k || cell.Style.Mods&(Near|Faint) == 0 || cell.Style.Ink == InkWhen || (kernel.Point{X: x, Y: y}) == p.A || (kernel.Point{X: x, Y: y}) == p.B {
				continue // another line is above, or text
			}
			if got := cell.Style.Mods&Near != 0; got != (lit && !dead) && cell.Style.Mods&Token == 0 {
				t.Fatalf("the piece from %v to %v is lit: %v, on the path: %v:\n%s", p.A, p.B, got, lit, grid)
			}
		}
	}
}

// TestChartsOfWorkflowsCanBeFollowed follows the lines of real workflows, in panes of several sizes.
func TestChartsOfWorkflowsCanBeFollowed(t *testing.T) {
	for name, g := range map[string]*Graph{
		"pipeline": pipeline(40), "irregular30": irregular(30, 7), "irregular100": irregular(100, 3), "random": randomGraph(60, 90, 4), "rows": repeated(),
	} {
		for _, size := range []Point{{80, 20}, {120, 35}, {200, 60}} {
			for zoom := range zooms {
				t.Run(fmt.Sprintf("%s/%d,%v", name, size.X, zoom), func(t *testing.T) {
					l := New(g, Options{View: Chart, Zoom: zoom})
					grid := fullGrid(l, Look{Width: size.X, Height: size.Y})
					checkChartEdges(t, l.view.(*chart), grid)
					checkApart(t, l.view.(*chart))
				})
			}
		}
	}
}

// TestStagesOpenInPlace opens a stage and closes it again by the keys of one of its nodes.
func TestStagesOpenInPlace(t *testing.T) {
	g := pipeline(12)
	l := New(g, Options{View: Chart, Zoom: Stages})
	look := Look{Width: 100, Height: 30, Expanded: map[string]bool{}}
	l.Show(look)
	node := 0
	for v := range g.Nodes {
		if strings.HasPrefix(g.Nodes[v].Name, "align_") {
			node = v
			break
		}
	}
	stage := l.Seen(NodeItem(node))
	if stage.Kind != AStage || len(l.Nodes(stage)) != 12 {
		t.Fatalf("%s is shown by %v, %d nodes", g.Nodes[node].Name, stage, len(l.Nodes(stage)))
	}
	before := len(l.Items())
	for _, key := range l.StageKeys(stage) {
		look.Expanded[key] = true
	}
	l.Show(look)
	if got := l.Seen(NodeItem(node)); got != NodeItem(node) || len(l.Items()) != before+11 {
		t.Fatalf("opened, the node is shown by %v, and there are %d boxes instead of %d", got, len(l.Items()), before)
	}
	for _, key := range l.OpenKeys(NodeItem(node + 0)) {
		delete(look.Expanded, key)
	}
	l.Show(look)
	if got := l.Seen(NodeItem(node)); got != stage || len(l.Items()) != before {
		t.Errorf("closed, the node is shown by %v of %d boxes", got, len(l.Items()))
	}
}

// TestChartsDoNotDependOnStates runs a workflow: nothing moves.
func TestChartsDoNotDependOnStates(t *testing.T) {
	g := pipeline(12)
	for zoom := range zooms {
		l := New(g, Options{View: Chart, Zoom: zoom})
		look := Look{Width: 120, Height: 35}
		l.Show(look)
		scene := l.view.(*chart).scene
		running(g)
		if l.Show(look); l.view.(*chart).scene != scene {
			t.Errorf("zoom %v: the picture is computed again", zoom)
		}
		again := New(g, Options{View: Chart, Zoom: zoom})
		again.Show(look)
		for i, item := range l.Items() {
			if again.Items()[i] != item || again.Where(item) != l.Where(item) {
				t.Fatalf("zoom %v: %v moved from %v to %v", zoom, item, l.Where(item), again.Where(item))
			}
		}
	}
}

// TestLargeChartsAreComputedInTheBackground: Of a large graph in another pane, the old picture stays until the new one
// is there.
func TestLargeChartsAreComputedInTheBackground(t *testing.T) {
	g := pipeline(200)
	l := New(g, Options{View: Chart})
	look := Look{Width: 120, Height: 35}
	l.Show(look)
	if l.Pending() != nil {
		t.Fatal("the first picture is not there")
	}
	before := l.view.(*chart).scene
	look.Width, look.Selected = 60, NodeItem(3)
	l.Show(look)
	pending := l.Pending()
	if pending == nil || l.view.(*chart).scene != before {
		t.Fatal("the picture did not stay")
	}
	grid := NewGrid(60, 35)
	l.Draw(grid, Point{})
	checkCells(t, grid, false)
	<-pending
	if l.Show(look); l.Pending() != nil || l.view.(*chart).scene == before {
		t.Error("the new picture is not taken")
	}
}

// TestItemsFollowTheFlow lists the boxes of wrapped and unwrapped graphs: the first is where the flow begins, and each
// comes after those that lead to it.
func TestItemsFollowTheFlow(t *testing.T) {
	g := pipeline(6)
	for _, size := range []Point{{60, 14}, {80, 20}, {120, 35}, {300, 60}} {
		l := New(g, Options{View: Chart})
		l.Show(Look{Width: size.X, Height: size.Y})
		place := map[Item]int{}
		for i, item := range l.Items() {
			place[item] = i
		}
		for _, item := range l.Items() {
			for _, before := range l.Parents(item) {
				if place[before] >= place[item] {
					t.Errorf("%v: %s comes before %s", size, l.Name(item), l.Name(before))
				}
			}
		}
	}
}

// TestHugeChartsAreEmptyAtFirst: The first picture of a huge graph does not wait for its positions.
func TestHugeChartsAreEmptyAtFirst(t *testing.T) {
	g := pipeline(2000)
	l := New(g, Options{View: Chart})
	look := Look{Width: 120, Height: 35, Selected: NodeItem(7), Lens: true}
	l.Show(look)
	pending := l.Pending()
	if pending == nil || len(l.Items()) > 0 || l.Seen(NodeItem(7)) != Nothing || l.Move(Nothing, Down) != Nothing {
		t.Fatalf("%d items are there at once", len(l.Items()))
	}
	grid := NewGrid(120, 35)
	l.Draw(grid, Point{})
	l.Overview(grid, Point{}, 120, 35)
	<-pending
	if l.Show(look); l.Pending() != nil || len(l.Items()) == 0 || l.Seen(NodeItem(7)) == Nothing {
		t.Errorf("then there are %d items", len(l.Items()))
	}
}
