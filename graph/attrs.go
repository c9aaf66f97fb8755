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
type attrSet uint8

const (
	hasName attrSet = 1 << iota
	hasLabel
	hasGroup
	hasStatus // nodes and edges
	hasX
	hasY
	hasID   // edges
	hasType // edges
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
	if field, bit := n.field(name); field != nil {
		return *field, n.has&bit != 0
	}
	if value, present = n.Extra[name]; present {
		return value, true
	}
	return lookup(n.inherited, name), false
}

// field returns where the text of an attribute lies, nil if it has no field of its own.
func (n *Node) field(name string) (*string, attrSet) {
	switch name {
	case attrName:
		return &n.Name, hasName
	case attrLabel:
		return &n.Label, hasLabel
	case attrGroup:
		return &n.Group, hasGroup
	case attrStatus:
		return &n.rawStatus, hasStatus
	case attrX:
		return &n.X, hasX
	case attrY:
		return &n.Y, hasY
	}
	return nil, 0
}

// put sets an attribute, or removes it so that the inherited value shows again.
func (n *Node) put(name, value string, present bool) {
	field, bit := n.field(name)
	if field == nil {
		n.Extra = putExtra(n.Extra, name, value, present)
		return
	}
	if n.has |= bit; !present {
		n.has &^= bit
		value = lookup(n.inherited, name)
	}
	*field = value
	switch name {
	case attrStatus:
		n.Status, _ = ParseStatus(value)
	case attrLabel:
		n.NoCommand = !n.Container && !present && !holds(n.inherited, attrLabel)
	}
}

// Attr returns the text of an attribute as the file writes it, and whether the edge itself has
// it. A value without presence is inherited (see EdgeSpec).
func (e *Edge) Attr(name string) (value string, present bool) {
	if field, bit := e.field(name); field != nil {
		return *field, e.has&bit != 0
	}
	if value, present = e.Extra[name]; present {
		return value, true
	}
	return lookup(e.inherited, name), false
}

func (e *Edge) field(name string) (*string, attrSet) {
	switch name {
	case attrID:
		return &e.ID, hasID
	case attrType:
		return &e.rawType, hasType
	case attrStatus:
		return &e.rawStatus, hasStatus
	}
	return nil, 0
}

func (e *Edge) put(name, value string, present bool) {
	field, bit := e.field(name)
	if field == nil {
		e.Extra = putExtra(e.Extra, name, value, present)
		return
	}
	if e.has |= bit; !present {
		e.has &^= bit
		value = lookup(e.inherited, name)
	}
	*field = value
	switch name {
	case attrStatus:
		e.Marked, _ = ParseMark(value)
	case attrType:
		e.Type, _ = ParseEdgeType(value)
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

func lookup(attrs []Attr, name string) string {
	for _, a := range attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

func holds(attrs []Attr, name string) bool {
	for _, a := range attrs {
		if a.Name == name {
			return true
		}
	}
	return false
}
