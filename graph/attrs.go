package graph

import (
	"math"
	"strconv"
	"strings"
)

// An Attr is a named text of a node, an edge or the graph.
type Attr struct{ Name, Value string }

// attrSet is the set of attributes that an element itself has. It distinguishes an empty text from an
// absent one: the inverse of setting an absent attribute is its removal.
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

	// The text differs from the word that String returns. It is stored in uncommon and kept in the file.
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

// Captured reports whether a node attribute is output of the last execution. Such attributes may be
// large and change with every run, so a Node does not store them.
func Captured(name string) bool {
	switch name {
	case "command", "stdout", "stderr", "pid", "error_code", "log":
		return true
	}
	return false
}

// Position returns the place of the node in a drawing. ok is false unless both coordinates are finite
// numbers.
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

// Attr returns the text of an attribute as it is written in the file, and whether the node itself has
// it. If present is false, the value is inherited (see NodeSpec).
func (n *Node) Attr(name string) (value string, present bool) {
	if name == attrStatus && n.has&hasStatus != 0 {
		if n.has&oddStatus != 0 {
			return n.uncommon.statusText, true
		}
		return n.Status.String(), true
	}
	if field, bit := n.field(name); n.has&bit != 0 {
		return *field, true
	}
	if value, present = n.Extra[name]; present {
		return value, true
	}
	return n.uncommon.inherit(name), false
}

// field returns the field and the bit of an attribute, or nil and 0 if it has none.
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

// put sets an attribute, or removes it so that the inherited value applies again.
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
		value = n.uncommon.inherit(name)
	}
	*field = value
	n.NoCommand = n.lacksCommand()
}

func (n *Node) putStatus(text string, present bool) {
	if n.has &^= hasStatus | oddStatus; !present {
		n.Status, _ = ParseStatus(n.uncommon.inherit(attrStatus))
		return
	}
	n.has |= hasStatus
	if n.Status, _ = ParseStatus(text); text != n.Status.String() {
		n.has |= oddStatus
		n.uncommon = n.uncommon.orNew()
		n.uncommon.statusText = text
	}
}

func (n *Node) lacksCommand() bool {
	return !n.Container && n.has&hasLabel == 0 && !n.uncommon.holds(attrLabel)
}

// Attr returns the text of an attribute as it is written in the file, and whether the edge itself has
// it. If present is false, the value is inherited (see NodeSpec).
func (e *Edge) Attr(name string) (value string, present bool) {
	switch {
	case name == attrID && e.has&hasID != 0:
		return e.ID, true
	case name == attrType && e.has&oddType != 0:
		return e.uncommon.edgeTypeText, true
	case name == attrType && e.has&hasType != 0:
		return e.Type.String(), true
	case name == attrStatus && e.has&oddStatus != 0:
		return e.uncommon.statusText, true
	case name == attrStatus && e.has&hasStatus != 0:
		return e.Mark.String(), true
	}
	if value, present = e.Extra[name]; present {
		return value, true
	}
	return e.uncommon.inherit(name), false
}

// put sets an attribute, or removes it so that the inherited value applies again.
func (e *Edge) put(name, value string, present bool) {
	switch name {
	case attrID:
		if e.has |= hasID; !present {
			e.has &^= hasID
			value = e.uncommon.inherit(name)
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
		e.Type, _ = ParseEdgeType(e.uncommon.inherit(attrType))
		return
	}
	e.has |= hasType
	if e.Type, _ = ParseEdgeType(text); text != e.Type.String() {
		e.has |= oddType
		e.uncommon = e.uncommon.orNew()
		e.uncommon.edgeTypeText = text
	}
}

func (e *Edge) putStatus(text string, present bool) {
	if e.has &^= hasStatus | oddStatus; !present {
		e.Mark, _ = ParseMark(e.uncommon.inherit(attrStatus))
		return
	}
	e.has |= hasStatus
	if e.Mark, _ = ParseMark(text); text != e.Mark.String() {
		e.has |= oddStatus
		e.uncommon = e.uncommon.orNew()
		e.uncommon.statusText = text
	}
}

// putExtra changes a map of attributes, which is nil while it is empty.
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
