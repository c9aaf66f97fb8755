package drawing

// View is one of the ways to draw a graph.
type View uint8

// The views.
const (
	List   View = iota // one row per node
	Stages             // one row per stage
	Layers             // the graph, in layers from left to right
)

// String is the name of a view, as people see it.
func (v View) String() string { return [...]string{"list", "stages", "graph"}[v] }

// Options are what a layout depends on besides the graph.
type Options struct {
	View View
	Zoom Zoom // of the graph
	// Folded draws stages instead of nodes in the graph.
	Folded bool
	// Hidden says, by node, what a filter leaves out; nil hides nothing. The rest stays connected:
	// a path through hidden nodes is drawn as a dotted edge.
	Hidden []bool
}

// Zoom is how much room the graph gives a node.
type Zoom uint8

// The zooms, from near to far.
const (
	Chip  Zoom = iota // sign and name in one row
	Timed             // and how long
	Box               // three rows, with the command
	Map               // one cell per node, in rows as wide as the pane
)

// A Look is what a picture depends on besides the states of nodes and edges.
type Look struct {
	Width, Height int // of the pane, in cells
	ASCII         bool
	Selected      Item // Nothing selects nothing
	// Expanded holds the keys (Layout.Key) of what the person has opened.
	Expanded map[string]bool
}

// A Kind is the kind of an Item.
type Kind uint8

// The kinds of items.
const (
	None   Kind = iota
	ANode       // Index is that of the node
	AStage      // Index is that of the stage in this layout, as of the next two
	AMore       // the nodes of a stage that failed or wait for a person and have no row of their own
	ASteps      // stages that wait one for the other, in one row; Index is that of the first
	ARow        // Index is that in Graph.Rows, as of the latest Show
)

// An Item is what can be selected. Items can be compared.
type Item struct {
	Kind  Kind
	Index int32
}

// Nothing is no item.
var Nothing = Item{}

// NodeItem returns the item of a node.
func NodeItem(node int) Item { return Item{ANode, int32(node)} }

// A Point is a place in a drawing, in cells from its upper left corner.
type Point struct{ X, Y int }

// A Rect is a rectangle in a drawing: W by H cells from X, Y on.
type Rect struct{ X, Y, W, H int }

// Contains reports whether p lies in r.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.X < r.X+r.W && p.Y >= r.Y && p.Y < r.Y+r.H
}

// A Direction is that of an arrow key.
type Direction uint8

// The directions.
const (
	Up Direction = iota
	Down
	Left
	Right
)

// A Layout is a drawing of a graph. Its methods are about the states of the latest Show.
type Layout struct {
	view  view
	look  Look
	graph *Graph
}

// view is one of the three ways to draw. Its methods are those of Layout.
type view interface {
	show(Look)
	size() (width, height int)
	draw(grid *Grid, from Point)
	seen(Item) Item
	where(Item) Rect
	at(Point) Item
	items() []Item
	nodes(Item) []int
	key(Item) string
	name(Item) string
	move(Item, Direction) Item
	near(item Item, forward bool) []Item
	port(item Item) (p port, ok bool)
}

// Show takes the states of now. It is cheap, and must come before Draw and the other methods when a state, a
// mark or the look has changed.
func (l *Layout) Show(look Look) {
	l.look = look
	l.view.show(look)
}

// Size returns the size of the whole drawing in cells. Lists and stages are as wide as the pane.
func (l *Layout) Size() (width, height int) { return l.view.size() }

// Draw writes the visible part into grid, whose upper left cell shows the point from of the drawing. It clears
// the grid first.
func (l *Layout) Draw(grid *Grid, from Point) {
	grid.Clear()
	l.view.draw(grid, from)
}

// Seen returns the item that shows item: itself, or what it is folded into. It is Nothing if item is hidden.
func (l *Layout) Seen(item Item) Item { return l.view.seen(item) }

// Where returns the place of an item, or of what it is folded into, and the zero Rect if it is hidden.
func (l *Layout) Where(item Item) Rect { return l.view.where(l.view.seen(item)) }

// At returns the item at a point of the drawing, or Nothing. Edges are no items.
func (l *Layout) At(p Point) Item { return l.view.at(p) }

// Items lists what can be selected, in the order of the drawing. The slice belongs to the layout and is valid
// until the next Show.
func (l *Layout) Items() []Item { return l.view.items() }

// Nodes lists the nodes that an item stands for.
func (l *Layout) Nodes(item Item) []int { return l.view.nodes(l.graph.owner(item)) }

// Key returns the name of an item in Look.Expanded. It is the same in other layouts of the same workflow.
func (l *Layout) Key(item Item) string {
	if r := l.graph.row(item); r != nil {
		return r.Key
	}
	return l.view.key(item)
}

// Name returns what the user sees as the name of an item: a handle, the name of a stage.
func (l *Layout) Name(item Item) string {
	if r := l.graph.row(item); r != nil {
		return head(r.Name, longestName)
	}
	return l.view.name(item)
}

// Move returns the item that an arrow key leads to, or from at the border. From Nothing it leads to the first
// item.
func (l *Layout) Move(from Item, d Direction) Item {
	seen := l.view.seen(from)
	if seen == Nothing {
		return l.first()
	}
	return l.view.move(seen, d)
}

// Next returns the item n further on in the order of the drawing, or the first or last one. n may be negative.
func (l *Layout) Next(from Item, n int) Item {
	items := l.view.items()
	seen := l.view.seen(from)
	for i, item := range items {
		if item == seen {
			return items[min(max(i+n, 0), len(items)-1)]
		}
	}
	return l.first()
}

func (l *Layout) first() Item {
	if items := l.view.items(); len(items) > 0 {
		return items[0]
	}
	return Nothing
}

// Parents lists the items that lead to an item, in the order of the drawing.
func (l *Layout) Parents(item Item) []Item {
	return l.view.near(l.view.seen(l.graph.owner(item)), false)
}

// Children lists the items that an item leads to, in the order of the drawing.
func (l *Layout) Children(item Item) []Item {
	return l.view.near(l.view.seen(l.graph.owner(item)), true)
}
