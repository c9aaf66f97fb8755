package graph

import (
	"math"
	"strconv"
	"strings"
)

// An Attr is a named text of a node, an edge or the graph.
type Attr struct{ Name, Value string }

// attrSet says which attributes an element really has, so that an empty text and an absent one
// stay different: the inverse of setting an absent attribute is its removal.
type attrSet uint16

const (
	hasName attrSet = 1 << iota
	hasLabel
	hasGroup
	hasStatus // nodes and edges
	hasX
	hasY
	hasID   // edges
	hasType // edges

	// The text is not the one that we would write; it is kept in rare and written back.
	oddStatus
	oddType
)

// Names of the attributes that have a field.
const (
	attrName   = "name"
	attrLabel  = "label"
	attrGroup  = "group"
	attrStatus = "status"
	attrX      = "x"
	attrY      = "y"
	attrID     = "id"
	attrType   = "edge_type"
)

// Captured says whether a node attribute is output of the last execution. Such attributes may be
// large and change with every run, so a Node never holds them.
func Captured(name string) bool {
	switch name {
	case "command", "stdout", "stderr", "pid", "error_code", "log":
		return true
	}
	return false
}

// Position returns the place of the node in a drawing. It is absent (ok false) unless both
// coordinates are finite numbers.
func (n *Node) Position() (x, y float64, ok bool) {
	x, okX := finite(n.X)
	y, okY := finite(n.Y)
	if !okX || !okY {
		return 0, 0, false
	}
	return x, y, true
}

func finite(text string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, false
	}
	return f, true
}

// Attr returns the text of an attribute as the file writes it, and whether the node itself has
// it. A value without presence is inherited (see NodeSpec).
func (n *Node) Attr(name string) (value string, present bool) {
	if name == attrStatus && n.has&hasStatus != 0 {
		if n.has&oddStatus != 0 {
			return n.rare.statusText, true
		}
		return n.Status.String(), true
	}
	if field, bit := n.field(name); n.has&bit != 0 {
		return *field, true
	}
	if value, present = n.Extra[name]; present {
		return value, true
	}
	return n.rare.inherit(name), false
}

// field returns where the text of an attribute lies, nil and 0 if it has no field of its own.
func (n *Node) field(name string) (*string, attrSet) {
	switch name {
	case attrName:
		return &n.Name, hasName
	case attrLabel:
		return &n.Label, hasLabel
	case attrGroup:
		return &n.Group, hasGroup
	case attrX:
		return &n.X, hasX
	case attrY:
		return &n.Y, hasY
	}
	return nil, 0
}

// put sets an attribute, or removes it so that the inherited value shows again.
func (n *Node) put(name, value string, present bool) {
	if name == attrStatus {
		n.putStatus(value, present)
		return
	}
	field, bit := n.field(name)
	if field == nil {
		n.Extra = putExtra(n.Extra, name, value, present)
		return
	}
	if n.has |= bit; !present {
		n.has &^= bit
		value = n.rare.inherit(name)
	}
	*field = value
	n.NoCommand = n.lacksCommand()
}

func (n *Node) putStatus(text string, present bool) {
	if n.has &^= hasStatus | oddStatus; !present {
		n.Status, _ = ParseStatus(n.rare.inherit(attrStatus))
		return
	}
	n.has |= hasStatus
	if n.Status, _ = ParseStatus(text); text != n.Status.String() {
		n.has |= oddStatus
		n.rare = n.rare.orNew()
		n.rare.statusText = text
	}
}

func (n *Node) lacksCommand() bool {
	return !n.Container && n.has&hasLabel == 0 && !n.rare.holds(attrLabel)
}

// Attr returns the text of an attribute as the file writes it, and whether the edge itself has
// it. A value without presence is inherited (see NodeSpec).
func (e *Edge) Attr(name string) (value string, present bool) {
	switch {
	case name == attrID && e.has&hasID != 0:
		return e.ID, true
	case name == attrType && e.has&oddType != 0:
		return e.rare.edgeTypeText, true
	case name == attrType && e.has&hasType != 0:
		return e.Type.String(), true
	case name == attrStatus && e.has&oddStatus != 0:
		return e.rare.statusText, true
	case name == attrStatus && e.has&hasStatus != 0:
		return e.Mark.String(), true
	}
	if value, present = e.Extra[name]; present {
		return value, true
	}
	return e.rare.inherit(name), false
}

// put sets an attribute, or removes it so that the inherited value shows again.
func (e *Edge) put(name, value string, present bool) {
	switch name {
	case attrID:
		if e.has |= hasID; !present {
			e.has &^= hasID
			value = e.rare.inherit(name)
		}
		e.ID = value
	case attrType:
		e.putType(value, present)
	case attrStatus:
		e.putStatus(value, present)
	default:
		e.Extra = putExtra(e.Extra, name, value, present)
	}
}

func (e *Edge) putType(text string, present bool) {
	if e.has &^= hasType | oddType; !present {
		e.Type, _ = ParseEdgeType(e.rare.inherit(attrType))
		return
	}
	e.has |= hasType
	if e.Type, _ = ParseEdgeType(text); text != e.Type.String() {
		e.has |= oddType
		e.rare = e.rare.orNew()
		e.rare.edgeTypeText = text
	}
}

func (e *Edge) putStatus(text string, present bool) {
	if e.has &^= hasStatus | oddStatus; !present {
		e.Mark, _ = ParseMark(e.rare.inherit(attrStatus))
		return
	}
	e.has |= hasStatus
	if e.Mark, _ = ParseMark(text); text != e.Mark.String() {
		e.has |= oddStatus
		e.rare = e.rare.orNew()
		e.rare.statusText = text
	}
}

// putExtra changes a map that stays nil while it is empty, as most are.
func putExtra(extra map[string]string, name, value string, present bool) map[string]string {
	if present {
		if extra == nil {
			extra = make(map[string]string, 1)
		}
		extra[name] = value
		return extra
	}
	delete(extra, name)
	if len(extra) == 0 {
		return nil
	}
	return extra
}
