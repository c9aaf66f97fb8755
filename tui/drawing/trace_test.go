package drawing

import (
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
// never up.
func checkListEdges(t fataler, l *list, grid *Grid) {
	t.Helper()
	for r := range l.lanes.rows {
		if l.lanes.rows[r].hidden > 0 || l.lanes.rows[r].at == maxLanes {
			return // some lanes are not drawn
		}
	}
	for v := 0; v < l.web.size; v += 1 + l.web.size/500 {
		r := l.place[v]
		x, y := 2*int(l.lanes.rows[r].at), int(l.line[r])
		found := follow(grid, []cursor{{x + 1, y, 'E'}, {x - 1, y, 'W'}, {x, y + 1, 'S'}}, "SEW")
		for _, i := range l.web.out[v] {
			if a := &l.web.arcs[i]; !a.back && !found[l.order[l.line[l.place[a.to]]]] {
				t.Fatalf("no lane leads from %q to %q:\n%s", l.names[r], l.names[l.place[a.to]], grid)
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
