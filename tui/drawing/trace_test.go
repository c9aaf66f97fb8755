package drawing

import (
	"maps"
	"slices"
	"testing"
)

// ways maps the signs of lines to the directions of their lines.
var ways = map[string]string{
	"│": "NS", "─": "EW", "╰": "NE", "╭": "SE", "├": "NSE", "╯": "NW", "┴": "NEW", "╮": "SW", "┤": "NSW", "┬": "SEW",
	"╎": "NS", "╌": "EW", "┊": "NS", "┈": "EW", "┼": "+", "╋": "NSEW", "╦": "SEW", "╩": "NEW", "╬": "NSEW", "•": "NSEW", "╳": "NSEW", "▸": "EW", "◂": "EW",
}

// fataler is a test or a rapid test.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

type cursor struct {
	x, y int
	way  byte // in which the line is followed
}

var (
	ahead    = map[byte]Point{'N': {0, -1}, 'S': {0, 1}, 'E': {1, 0}, 'W': {-1, 0}}
	opposite = map[byte]byte{'N': 'S', 'S': 'N', 'E': 'W', 'W': 'E'}
)

// follow follows lines over a grid from the cells at start, in the allowed ways, and returns which items
// it arrives at.
func follow(grid *Grid, start []cursor, allowed string) map[Item]bool {
	found, seen := map[Item]bool{}, map[cursor]bool{}
	for len(start) > 0 {
		at := start[len(start)-1]
		start = start[:len(start)-1]
		c := grid.At(at.x, at.y)
		if c == nil || seen[at] {
			continue
		}
		seen[at] = true
		if c.Item != Nothing {
			found[c.Item] = true
			continue
		}
		out := ways[c.Text]
		if out == "+" { // lines that cross go straight on
			out = string([]byte{at.way, opposite[at.way]})
		}
		if !contains(out, opposite[at.way]) {
			continue
		}
		for _, way := range []byte(out) {
			if way != opposite[at.way] && contains(allowed, way) {
				start = append(start, cursor{at.x + ahead[way].X, at.y + ahead[way].Y, way})
			}
		}
	}
	return found
}

func contains(ways string, way byte) bool {
	for i := range len(ways) {
		if ways[i] == way {
			return true
		}
	}
	return false
}

// fullGrid draws the whole layout.
func fullGrid(l *Layout, look Look) *Grid {
	l.Show(look)
	grid := NewGrid(l.Size())
	l.Draw(grid, Point{})
	return grid
}

// checkListEdges follows the lanes of every edge of a list, of large ones of some: down, left and right,
// never up. Of a crowded list, it checks the lanes of the selection.
func checkListEdges(t fataler, l *list, grid *Grid) {
	t.Helper()
	if l.lanes.star != nil {
		checkStar(t, l, grid)
		return
	}
	for v := 0; v < l.web.size; v += 1 + l.web.size/500 {
		r := l.place[v]
		x, y := 2*int(l.lanes.row(r).at), int(l.line[r])
		found := follow(grid, []cursor{{x + 1, y, 'E'}, {x - 1, y, 'W'}, {x, y + 1, 'S'}}, "SEW")
		for _, i := range l.web.out[v] {
			if a := &l.web.arcs[i]; !a.back && !found[l.order[l.line[l.place[a.to]]]] {
				t.Fatalf("no lane leads from %q to %q:\n%s", l.names[r], l.names[l.place[a.to]], grid)
			}
		}
	}
}

// checkStar demands that the lanes of a crowded list lead, along their arrowheads, from each row to exactly the rows to which an
// edge leads of which one end is selected, and that no line ends between rows.
func checkStar(t fataler, l *list, grid *Grid) {
	t.Helper()
	selected := int32(-1)
	if item := l.seen(l.look.Selected); item != Nothing {
		selected = l.vertex[item.Index]
	}
	grid = &Grid{Width: grid.Width, Height: grid.Height, cells: slices.Clone(grid.cells)}
	if len(l.lanes.star.slots) == 0 {
		return // there are no lanes, and no columns for them
	}
	checkLooseEnds(t, grid, 2*l.lanes.width)
	x := 2 * int(l.lanes.row(0).at)
	for _, y := range l.line { // a line that joins a glyph without an arrowhead does not arrive there
		if grid.At(x-1, int(y)).Text != "▸" && grid.At(x+1, int(y)).Text != "◂" {
			*grid.At(x, int(y)) = blank
		}
	}
	for v := range int32(l.web.size) {
		want := map[Item]bool{}
		for _, i := range l.web.out[v] {
			if a := &l.web.arcs[i]; !a.back && (v == selected || a.to == selected) {
				want[l.order[l.line[l.place[a.to]]]] = true
			}
		}
		y := int(l.line[l.place[v]])
		var start []cursor
		if grid.At(x+1, y).Text != "◂" {
			start = append(start, cursor{x + 1, y, 'E'})
		}
		if grid.At(x-1, y).Text != "▸" {
			start = append(start, cursor{x - 1, y, 'W'})
		}
		if found := follow(grid, start, "SEW"); !maps.Equal(found, want) {
			t.Fatalf("lanes lead from %q to %v instead of %v:\n%s", l.names[l.place[v]], found, want, grid)
		}
	}
}

// checkLooseEnds demands that lines in the first columns that go down from a row come from above in the next one.
func checkLooseEnds(t fataler, grid *Grid, columns int) {
	t.Helper()
	goes := func(x, y int, way byte) bool {
		c := grid.At(x, y)
		return c != nil && c.Item == Nothing && (ways[c.Text] == "+" || contains(ways[c.Text], way))
	}
	for y := -1; y < grid.Height; y++ {
		for x := range columns {
			if goes(x, y, 'S') != goes(x, y+1, 'N') {
				t.Fatalf("a line ends below column %d of row %d:\n%s", x, y, grid)
			}
		}
	}
}

// TestLanesConnectTheEndsOfEdges: Lanes connect the ends of each edge.
func TestLanesConnectTheEndsOfEdges(t *testing.T) {
	for name, g := range map[string]*Graph{
		"pipeline": pipeline(40), "irregular30": irregular(30, 7), "irregular100": irregular(100, 3), "random": randomGraph(60, 90, 4),
	} {
		t.Run(name, func(t *testing.T) {
			l := New(g, Options{})
			checkListEdges(t, l.view.(*list), fullGrid(l, Look{Width: 80}))
		})
	}
}
