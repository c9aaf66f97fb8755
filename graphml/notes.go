package graphml

import (
	"fmt"
	"slices"

	"wf/graph/attribute"
)

// notes collects warnings by offset; line numbers are computed later. Of each code only the first
// notesPerCode are kept, so that a flaw in every node does not hide the other warnings.
type notes struct {
	all  []note
	seen map[string]int // by code
}

type note struct {
	offset        int
	code, message string
	node          string

	// Only with WarnUnread.
	unread *attribute.Attribute
	edge   int
}

const notesPerCode = 100

// onceMessages are the warnings that appear once for a file. %d is the number of their causes.
var onceMessages = map[string]string{
	WarnEdgeDefault: "the graph has no edgedefault: its edges are read as directed",
	WarnHyperedge:   "hyperedges are kept but ignored (%d)",
	WarnPort:        "ports are kept but ignored (%d)",
	WarnSecondGraph: "only the first graph is read as the workflow, others are kept (%d)",
	WarnUndirected:  "undirected edges are read as going from source to target",
}

// add stores a warning, unless there are enough with its code.
func (n *notes) add(v note) {
	if n.count(v.code) <= notesPerCode {
		n.all = append(n.all, v)
	}
}

// once counts a cause of one of onceMessages.
func (n *notes) once(code string, offset int) {
	if n.count(code) == 1 {
		n.all = append(n.all, note{offset: offset, code: code})
	}
}

func (n *notes) count(code string) int {
	if n.seen == nil {
		n.seen = map[string]int{}
	}
	n.seen[code]++
	return n.seen[code]
}

// list returns the warnings in the order of the file.
func (n *notes) list(lines func(offset int32) int) []Warning {
	slices.SortStableFunc(n.all, func(a, b note) int { return a.offset - b.offset })
	list := make([]Warning, len(n.all))
	for i, v := range n.all {
		if format, ok := onceMessages[v.code]; ok {
			v.message = format
			if slices.Contains([]string{WarnHyperedge, WarnPort, WarnSecondGraph}, v.code) {
				v.message = fmt.Sprintf(format, n.seen[v.code])
			}
		}
		list[i] = Warning{Line: lines(int32(v.offset)), Code: v.code, Message: v.message, Node: v.node, Edge: -1}
		if a := v.unread; a != nil {
			list[i].Attr, list[i].Edge, list[i].Severe = a.Name, v.edge, a.Role == attribute.Decides
		}
	}
	return list
}
