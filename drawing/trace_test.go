package drawing

import "testing"

// ways says in which directions the signs of lines leave their cells, as people read them.
var ways = map[string]string{
	"│": "NS", "─": "EW", "└": "NE", "┌": "SE", "├": "NSE", "┘": "NW", "┴": "NEW", "┐": "SW", "┤": "NSW", "┬": "SEW",
	"╎": "NS", "╌": "EW", "┊": "NS", "┈": "EW", "┼": "+", "╋": "NSEW", "•": "NSEW", "×": "NSEW",
}

// fataler is a test, also one of rapid.
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

// fullGrid draws all of a layout.
func fullGrid(l *Layout, look Look) *Grid {
	l.Show(look)
	grid := NewGrid(l.Size())
	l.Draw(grid, Point{})
	return grid
}

// checkPictureEdges follows the line of every edge of a graph from its source to its target: to the
// right, up and down, never back.
func checkPictureEdges(t fataler, g *Graph, p *picture, grid *Grid) {
	t.Helper()
	for v := range p.web.size {
		r := p.where(p.item[v])
		// The line may begin some blanks behind the chip, where what changes in it has room.
		y := r.Y + r.H/2
		x := r.X + r.W
		for x > r.X && grid.At(x-1, y) != nil && ways[grid.At(x-1, y).Text] != "" && grid.At(x-1, y).Item == Nothing {
			x--
		}
		for grid.At(x, y) != nil && grid.At(x, y).Text == "" && x < r.X+r.W+2 {
			x++
		}
		found := follow(grid, []cursor{{x, y, 'E'}}, "NSE")
		for _, i := range p.web.out[v] {
			if a := &p.web.arcs[i]; !a.back && !found[p.item[a.to]] {
				t.Fatalf("no line leads from %q to %q:\n%s", p.labels[v].name, p.labels[a.to].name, grid)
			}
		}
	}
}

// checkListEdges follows the lanes of every edge of a list: down, left and right, never up.
func checkListEdges(t fataler, l *list, grid *Grid) {
	t.Helper()
	for r := range l.lanes.rows {
		if l.lanes.rows[r].hidden > 0 || l.lanes.rows[r].at == maxLanes {
			return // some lanes are not drawn
		}
	}
	for v := range l.web.size {
		y := int(l.place[v])
		x := 2 * int(l.lanes.rows[y].at)
		found := follow(grid, []cursor{{x + 1, y, 'E'}, {x - 1, y, 'W'}, {x, y + 1, 'S'}}, "SEW")
		for _, i := range l.web.out[v] {
			if a := &l.web.arcs[i]; !a.back && !found[l.order[l.place[a.to]]] {
				t.Fatalf("no lane leads from %q to %q:\n%s", l.names[y], l.names[l.place[a.to]], grid)
			}
		}
	}
}

func TestSamplesConnected(t *testing.T) {
	for name, g := range map[string]*Graph{
		"pipeline": pipeline(40), "irregular30": irregular(30, 7), "irregular100": irregular(100, 3), "random": randomGraph(60, 90, 4),
	} {
		t.Run(name, func(t *testing.T) {
			l := New(g, Options{View: Layers})
			checkPictureEdges(t, g, l.view.(*picture), fullGrid(l, Look{}))
			l = New(g, Options{})
			checkListEdges(t, l.view.(*list), fullGrid(l, Look{Width: 80}))
		})
	}
}
