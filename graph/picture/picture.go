// Package picture computes drawings of workflows: where boxes, lines, arrowheads and texts are, in cells. It is the
// one kernel of all drawings. A terminal paints a scene as it is; an SVG multiplies the cells by their size. The
// package knows neither workfiles nor states nor colours: vertices, edges and texts come in, positions go out. The
// same input always gives the same scene.
package picture

// A Vertex is a node of the workflow.
type Vertex struct {
	Name           string // what the picture calls it
	Group, Command string // decide which vertices are one stage
	Signs          string // what is special about it before it runs; follows the name and is never cut
	In             int    // the vertex that contains it, counted from 1; 0 = none
	Note           int    // width of the painter's text on it, if that is wider than the options say
	Rows, Wide     int    // lines of the painter's below it, and their width
}

// An Edge leads from one vertex to another; both are numbers of vertices. They may be equal.
type Edge struct {
	From, To int
	Weak     bool   // non-blocking: drawn dashed, and against the direction where a cycle must be broken
	When     string // its condition, shown where it leaves its source; "" = none
}

// A Form is how vertices are drawn.
type Form uint8

// The forms, from the largest to the smallest.
const (
	Card Form = iota // a frame around the name and a line for state, time and attempt
	Chip             // one line: sign, name, time
	Tag              // one line: sign and short name
	Dot              // the sign only
)

// String names the form.
func (f Form) String() string { return [...]string{"cards", "chips", "tags", "dots"}[f] }

// Options say how much room there is and what the reader chose.
type Options struct {
	Width, Height int              // of the pane in cells; 0 = unlimited
	Note          int              // width of the text that the painter adds to each box: time, attempt, counts
	Open          []int            // vertices whose stages are drawn node by node
	Whole         bool             // never fold stages
	Zoom          Zoom             // Fit, or what the reader chose instead
	Across        []float64        // where vertices stand in a layer if edges do not decide; nil = unknown
	Measure       func(string) int // width of a text in cells; nil = one cell per rune
}

// A Point is a cell. X grows to the right and Y downwards.
type Point struct{ X, Y int }

// A Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Contains reports whether a cell is inside.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.X < r.X+r.W && p.Y >= r.Y && p.Y < r.Y+r.H
}

// A Scene is a drawing. Nothing in it overlaps, except that lines may cross at right angles.
type Scene struct {
	W, H   int
	Fits   bool // within the options' width and height
	Form   Form
	Down   bool // layers follow each other downwards instead of to the right
	Bands  int  // the most rows (or, if Down, columns) that a component is wrapped into
	Folded bool // some boxes are stages
	Boxes  []Box
	Tracks []Track
	Labels []Label
	Frames []Frame
	Box    []int // box of each vertex

	Choice  Choice
	Implied []int // edges without a line, because others imply them; only if boxes are stages
}

// A Box shows a vertex or a stage.
type Box struct {
	Rect
	Members []int  // vertices; several = a stage
	Name    string // cut to fit, in the middle only if nothing else helps
	Full    string // the whole name
	Times   string // "×8" of a stage, or the signs of a vertex; follows the name
	Note    int    // cells that remain for the painter's text, on the line of the name or the one below
	Rows    int    // lines that remain for the painter at the bottom, within the frame
	Part    int    // number of its component
}

// A Frame is around the boxes of what a vertex contains. Only spaces and the boxes' own lines are inside.
type Frame struct {
	Rect
	Vertex int
	Title  string // on its upper border, from the fourth cell on
}

// A Track is a line with branches. Each of its source boxes is joined with each of its target boxes: whoever follows
// the track from a source to an arrowhead follows an edge.
type Track struct {
	Weak, Back bool
	When       string
	Arcs       []Arc
	Pieces     []Piece
	Tails      []End // where it leaves the sources
	Heads      []End // the arrowheads
}

// An Arc is what one or several edges between two boxes have become.
type Arc struct {
	From, To int   // boxes
	Edges    []int // numbers of the edges of the input

	tail, head int32 // numbers of the ends of the track that it joins
}

// An End is where a track meets a box: a cell outside of it, and the direction from the source or into the target.
type End struct {
	At   Point
	Into Direction
	Box  int
}

// A Direction is one of the four sides of a cell.
type Direction uint8

// The directions.
const (
	Up Direction = iota
	Right
	Down
	Left
)

// A Piece is a straight part of a track without branches, both ends included.
type Piece struct {
	A, B  Point
	first int32 // the ends of the track that are beyond it are those numbered from first,
	last  int32 // to before last
}

// Carries reports whether an arc of the track passes a piece of it.
func (t *Track) Carries(p *Piece, a *Arc) bool {
	if t.single() {
		return true
	}
	return (p.first <= a.tail && a.tail < p.last) != (p.first <= a.head && a.head < p.last)
}

// Span returns which ends of the track are beyond a piece: those numbered from first to before last. With the numbers of
// the ends of an arc it says, as Carries does, whether the arc passes.
func (p *Piece) Span() (first, last int) { return int(p.first), int(p.last) }

// Numbers returns the numbers of the ends of the track that the arc joins, see Piece.Span.
func (a *Arc) Numbers() (tail, head int) { return int(a.tail), int(a.head) }

// single reports whether all pieces carry the only arc.
func (t *Track) single() bool { return len(t.Tails) == 1 && len(t.Heads) == 1 }

// A Label is the condition of a track, near its source.
type Label struct {
	Rect
	Text  string
	Track int
}

// At returns the number of the box in a cell, or -1.
func (s *Scene) At(p Point) int {
	for i := range s.Boxes {
		if s.Boxes[i].Contains(p) {
			return i
		}
	}
	return -1
}

// New draws a graph. It tries forms and directions, from the largest to the smallest, and returns the first that
// fits. If none does, it returns the most compact readable form, which is larger than the pane.
func New(vertices []Vertex, edges []Edge, o Options) *Scene {
	o.complete()
	c := chooser{o: o}
	if o.Zoom != Fit {
		return c.zoomed(vertices, edges)
	}
	if s := c.choose(levels(vertices, edges, &o)); s != nil {
		return s
	}
	if s := c.dots(); s != nil {
		return s
	}
	return c.compact()
}

// complete fills in what may be left out.
func (o *Options) complete() {
	if o.Measure == nil {
		o.Measure = func(s string) int { return len([]rune(s)) }
	}
}
