// Package drawing gives the web page the drawings of workfiles: where graph/picture puts boxes, lines and texts, as
// compact JSON that a canvas paints. It knows no states and no colours: those come to the page by events.
package drawing

import (
	"github.com/charmbracelet/x/ansi"

	"wf/client/runview"
	"wf/graph/picture"
	"wf/tui/painter"
	"wf/tui/plain"
	"wf/tui/words"
)

// Widths in cells of the text that the page adds to a box: time and attempt, and counts of instances.
const (
	noteWidth      = 7
	instancesWidth = 16
)

// Bounds of the pane in cells: no screen is larger, and nobody reads more in a smaller one.
const (
	leastCells = 20
	mostCells  = 2000
)

// A Look is what the reader chose.
type Look struct {
	Width  int      `json:"width"`  // of the pane in cells
	Height int      `json:"height"` // of the pane in cells
	Zoom   string   `json:"zoom"`   // one of Zooms; "" = the largest form that fits
	Open   []string `json:"open"`   // ids of nodes whose stages are drawn node by node
}

// alike reports whether two looks differ in opened stages only.
func (l Look) alike(m Look) bool {
	return l.Width == m.Width && l.Height == m.Height && l.Zoom == m.Zoom
}

// Zooms are the values of Look.Zoom.
var Zooms = map[string]picture.Zoom{"": picture.Fit, "cards": picture.Cards, "chips": picture.Chips, "tags": picture.Tags,
	"dots": picture.Dots, "stages": picture.Stages}

// A Graph is a workfile as the kernel of drawings gets it. Its vertices and edges have the numbers of the nodes and
// edges of the workfile.
type Graph struct {
	vertices []picture.Vertex
	edges    []picture.Edge
	across   []float64
	number   map[string]int

	plain *picture.Scene // the latest one without opened stages, and the size and zoom that it is for
	of    Look
}

// New returns the graph of a workfile. It keeps nothing of f.
func New(f *runview.Workfile) *Graph {
	g := &Graph{vertices: make([]picture.Vertex, len(f.Nodes)), edges: make([]picture.Edge, len(f.Edges)), number: map[string]int{}}
	names := make([]string, len(f.Nodes))
	for i := range f.Nodes {
		names[i] = plain.Line(f.Nodes[i].Name)
	}
	names = painter.ShortNames(names)
	for i := range f.Nodes {
		n := &f.Nodes[i]
		g.number[n.ID] = i
		g.vertices[i] = picture.Vertex{Name: names[i], Group: plain.Line(n.Group), Command: n.Command, Signs: words.Traits(n)}
		if n.SubFlow != "" {
			g.vertices[i].Note = instancesWidth
		}
	}
	for subFlow, members := range f.Members {
		for _, i := range members {
			g.vertices[i].In = subFlow + 1
		}
	}
	for i, e := range f.Edges {
		g.edges[i] = picture.Edge{From: e.From, To: e.To, Weak: e.NonBlocking, When: plain.Line(e.When)}
	}
	g.across = across(f)
	return g
}

// across returns the positions of the nodes in the file, across the direction of most edges, or nil if a node has none.
func across(f *runview.Workfile) []float64 {
	for i := range f.Nodes {
		if f.Nodes[i].X == nil || f.Nodes[i].Y == nil {
			return nil
		}
	}
	var wide, high float64
	for _, e := range f.Edges {
		from, to := &f.Nodes[e.From], &f.Nodes[e.To]
		wide += max(*to.X-*from.X, *from.X-*to.X)
		high += max(*to.Y-*from.Y, *from.Y-*to.Y)
	}
	places := make([]float64, len(f.Nodes))
	for i := range f.Nodes {
		if places[i] = *f.Nodes[i].Y; high > wide { // drawn from top to bottom
			places[i] = *f.Nodes[i].X
		}
	}
	return places
}

// Draw computes the drawing for a look. It must not be called by several goroutines at once. Sizes beyond what a screen can have are corrected, unknown zooms are Fit.
func (g *Graph) Draw(look Look) *Picture {
	o := picture.Options{Width: bounded(look.Width), Height: bounded(look.Height), Note: noteWidth, Zoom: Zooms[look.Zoom], Measure: ansi.StringWidth, Across: g.across}
	if of := (Look{Width: o.Width, Height: o.Height, Zoom: look.Zoom}); g.plain == nil || !g.of.alike(of) {
		g.plain, g.of = picture.New(g.vertices, g.edges, o), of
	}
	s := g.plain
	for _, id := range look.Open {
		if i, known := g.number[id]; known {
			o.Open = append(o.Open, i)
		}
	}
	if len(o.Open) > 0 {
		if s = picture.New(g.vertices, g.edges, o); !s.Fits || s.Form == picture.Dot {
			s = g.like(g.plain.Choice, o)
		}
	}
	return encode(s)
}

// like draws the graph like another scene, but with chips if cards are further from fitting.
func (g *Graph) like(choice picture.Choice, o picture.Options) *picture.Scene {
	s := picture.As(choice, g.vertices, g.edges, o)
	if s.Fits || s.Form != picture.Card || o.Zoom != picture.Fit {
		return s
	}
	chips := picture.As(choice.Chips(), g.vertices, g.edges, o)
	over := func(s *picture.Scene) int { return max(100*s.W/o.Width, 100*s.H/o.Height) }
	if chips.Fits || over(chips) < over(s) {
		return chips
	}
	return s
}

func bounded(cells int) int { return min(max(cells, leastCells), mostCells) }
