package graph

import "strings"

// The attributes that make a container a sub-flow: its nodes run once for each of its instances. A
// container with none of them is a mere group, whose nodes belong to the flow around it.
const (
	AttrForeach = "foreach"
	AttrTimes   = "times"
	AttrWhile   = "while"
	AttrUntil   = "until"
)

// AttrWhen is the condition of an edge: when it fires.
const AttrWhen = "when"

// MakesSubFlow says whether an attribute makes the container that has it a sub-flow.
func MakesSubFlow(attr string) bool {
	switch attr {
	case AttrForeach, AttrTimes, AttrWhile, AttrUntil:
		return true
	}
	return false
}

// SubFlow says whether the node is a container whose nodes run once for each of its instances. A blank
// attribute makes none.
func (n *Node) SubFlow() bool {
	if !n.Container || n.Extra == nil && n.rare == nil {
		return false
	}
	for _, attr := range [...]string{AttrForeach, AttrTimes, AttrWhile, AttrUntil} {
		if text, _ := n.Attr(attr); strings.TrimSpace(text) != "" {
			return true
		}
	}
	return false
}

// Home returns the innermost sub-flow that the node lies in, nil if it belongs to the outer flow.
// Groups in between do not count.
func (n *Node) Home() *Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.SubFlow() {
			return p
		}
	}
	return nil
}
