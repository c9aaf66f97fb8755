package graph

import "strings"

// The attributes that make a container a sub-flow, whose nodes run once for each of its instances. A
// container with none of them is a group, whose nodes belong to the flow around it.
const (
	AttrForeach = "foreach"
	AttrTimes   = "times"
	AttrWhile   = "while"
	AttrUntil   = "until"
)

// AttrWhen is the edge attribute with the condition under which it fires.
const AttrWhen = "when"

// MakesSubFlow reports whether an attribute makes its container a sub-flow.
func MakesSubFlow(attr string) bool {
	switch attr {
	case AttrForeach, AttrTimes, AttrWhile, AttrUntil:
		return true
	}
	return false
}

// SubFlow reports whether the node is a container whose nodes run once for each of its instances. Blank
// attributes do not count.
func (n *Node) SubFlow() bool {
	if !n.Container || n.Extra == nil && n.uncommon == nil {
		return false
	}
	return n.Part() != nil || n.Repeats() != ""
}

// Repeats returns the attribute that says how often the nodes of a container run, "" for none.
func (n *Node) Repeats() string {
	for _, attr := range [...]string{AttrForeach, AttrTimes, AttrWhile, AttrUntil} {
		if text, _ := n.Attr(attr); strings.TrimSpace(text) != "" {
			return attr
		}
	}
	return ""
}

// Once reports whether the node is another workfile that runs once. Paths name no instance of it: align/trim.
func (n *Node) Once() bool { return n.Part() != nil && n.Repeats() == "" }

// Home returns the innermost sub-flow that contains the node, nil if it belongs to the outer flow.
// Groups in between do not count.
func (n *Node) Home() *Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.SubFlow() {
			return p
		}
	}
	return nil
}

// AttrConflict is the attribute with what the other version says, on an element that two versions changed in different ways.
// A workflow with conflicts does not run.
const AttrConflict = "merge_conflict"
