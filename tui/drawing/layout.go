package drawing

// View is one of the ways to draw a graph.
type View uint8

// The views.
const (
	List  View = iota // one row per node
	Chart             // the graph: boxes of nodes and stages, and lines between them
)

// String returns the name of a view for the user.
func (v View) String() string { return [...]string{"list", "graph"}[v] }

// Options are the input of a layout besides the graph.
type Options struct {
	View View
	Zoom Zoom // of the graph
	// Hidden marks, by node, the nodes that a filter leaves out; nil hides none. The others stay connected:
	// a path through hidden nodes is drawn as a dotted edge.
	Hidden []bool
}

// Zoom is how large the boxes of the graph are. The values are those of the kernel of drawings.
type Zoom uint8

// The zooms: the largest that fits, then what the user chose instead.
const (
	Fit    Zoom = iota // what fits: cards, chips, tags, stages
	Cards              // a framed box for each node, with its state and time
	Chips              // a line for each node, with its time
	Tags               // a line for each node, with a short name
	Signs              // a sign for each node
	Stages             // a line for each stage
	zooms
)

// String returns the name of a zoom for the user.
func (z Zoom) String() string {
	return [...]string{"what fits", "boxes", "names and times", "short names", "signs", "stages"}[z]
}

// Next returns the next zoom, and after the last one the first.
func (z Zoom) Next() Zoom { return (z + 1) % zooms }

// A Look is the input of a picture besides the states of nodes and edges.
type Look struct {
	Width, Height int // of the pane, in cells
	ASCII         bool
	Selected      Item // Nothing = no selection
	Lens          bool // the graph lights the path of the selection, and everything else is faint
	// Expanded contains the keys (StageKeys) of the stages that the user has opened.
	Expanded map[string]bool
}

// A Kind is the kind of an Item.
type Kind uint8

// The kinds of items.
const (
	None   Kind = iota
	ANode       // Index is the number of the node
	AStage      // a box of several nodes; Index is the number of the first
	ARow        // Index is the index into Graph.Rows at the latest Show
)

// An Item is a part of a drawing that can be selected. Items can be compared with ==.
type Item struct {
	Kind  Kind
	Index int32
}

// Nothing is the Item for no selection.
var Nothing = Item{}

// NodeItem returns the item of a node.
func NodeItem(node int) Item { return Item{ANode, int32(node)} }

// A Point is a position in a drawing, in cells from its upper left corner.
type Point struct{ X, Y int }

// A Rect is a rectangle in a drawing: W by H cells with the upper left corner X, Y.
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

// A Layout is a drawing of a graph. Its methods use the states of the latest Show.
type Layout struct {
	view  view
	look  Look
	graph *Graph
}

// view is one of the two ways to draw. Its methods correspond to those of Layout.
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

// Show takes the current states. It is fast, and must be called before Draw and the other methods after a state, a
// mark or the look has changed.
func (l *Layout) Show(look Look) {
	l.look = look
	l.view.show(look)
}

// Pending returns a channel that is closed when a drawing has been computed in the background, so that Show has
// something new to take; nil if nothing is computed. Until then the drawing before it stays.
func (l *Layout) Pending() <-chan struct{} {
	if c, ok := l.view.(*chart); ok && c.next != nil {
		return c.next.done
	}
	return nil
}

// Size returns the size of the whole drawing in cells. A list is as wide as the pane.
func (l *Layout) Size() (width, height int) { return l.view.size() }

// Draw draws the visible part into grid. The upper left cell of grid shows the point from of the drawing. Draw clears
// the grid first.
func (l *Layout) Draw(grid *Grid, from Point) {
	grid.Clear()
	l.view.draw(grid, from)
}

// Seen returns the item that shows item: item itself, or the item that folds it. It is Nothing if item is hidden.
func (l *Layout) Seen(item Item) Item { return l.view.seen(item) }

// Where returns the rectangle of an item, or of the item that folds it, and the zero Rect if it is hidden.
func (l *Layout) Where(item Item) Rect { return l.view.where(l.view.seen(item)) }

// At returns the item at a point of the drawing, or Nothing. Edges are not items.
func (l *Layout) At(p Point) Item { return l.view.at(p) }

// Items lists the selectable items in the order of the drawing. The slice belongs to the layout and is valid until
// the next Show.
func (l *Layout) Items() []Item { return l.view.items() }

// Nodes lists the nodes of an item.
func (l *Layout) Nodes(item Item) []int { return l.view.nodes(l.graph.owner(item)) }

// Key returns the key of an item in Look.Expanded. It is the same in other layouts of the same workflow.
func (l *Layout) Key(item Item) string {
	if r := l.graph.row(item); r != nil {
		return r.Key
	}
	return l.view.key(item)
}

// Name returns the displayed name of an item: a handle, or the name of a stage.
func (l *Layout) Name(item Item) string {
	if r := l.graph.row(item); r != nil {
		return head(r.Name, longestName)
	}
	return l.view.name(item)
}

// StageKeys returns the keys in Look.Expanded with which the box of an item is drawn node by node: one for each stage in
// it, or for the one of a node in it. A single node has none, and neither has a list.
func (l *Layout) StageKeys(item Item) []string {
	if c, ok := l.view.(*chart); ok {
		return c.stageKeys(l.graph.owner(item))
	}
	return nil
}

// OpenKeys returns the keys in Look.Expanded for which the stage of a node is drawn node by node. Without them it is one
// box again.
func (l *Layout) OpenKeys(item Item) []string {
	if c, ok := l.view.(*chart); ok {
		return c.openKeys(l.graph.owner(item))
	}
	return nil
}

// Folded reports how many boxes stand for several nodes, and for how many.
func (l *Layout) Folded() (boxes, nodes int) {
	if c, ok := l.view.(*chart); ok {
		for i := range c.scene.Boxes {
			if n := len(c.scene.Boxes[i].Members); n > 1 {
				boxes, nodes = boxes+1, nodes+n
			}
		}
	}
	return boxes, nodes
}

// Shortened reports whether the drawing shows only a part of the name of an item.
func (l *Layout) Shortened(item Item) bool {
	c, ok := l.view.(*chart)
	if !ok || item.Kind == ARow {
		return false
	}
	i := c.boxOf(item)
	return i >= 0 && c.scene.Boxes[i].Name != l.Name(item)
}

// Move returns the item that an arrow key leads to. At the border it returns from. If from is Nothing it returns the
// first item.
func (l *Layout) Move(from Item, d Direction) Item {
	seen := l.view.seen(from)
	if seen == Nothing {
		return l.first()
	}
	return l.view.move(seen, d)
}

// Next returns the item n places after from in the order of the drawing, at most the first or last one. n may be
// negative.
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
