package graph

import (
	"strings"

	"wf/graph/spelling"
)

// AttrOutput says, of a node or of the graph for all nodes without it, whether commands write standard
// output and standard error into one output or into two.
const AttrOutput = "output"

// Output is what the attribute says.
type Output uint8

// The ways to keep what a command writes.
const (
	OutputUnsaid Output = iota
	OutputMerged        // one output, in the order in which it is written
	OutputSplit         // standard output and standard error apart; their order is lost
)

// The words for them in a workfile.
const (
	outputMerged = "merged"
	outputSplit  = "split"
)

// String returns the word in a workfile, "" for OutputUnsaid.
func (o Output) String() string {
	switch o {
	case OutputMerged:
		return outputMerged
	case OutputSplit:
		return outputSplit
	}
	return ""
}

// meantOutput returns the word that somebody probably meant who wrote another, "" where it is likely that
// the attribute is another program's.
func meantOutput(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, word := range []string{outputMerged, outputSplit} {
		if spelling.Slips(text, word) <= 2 {
			return word
		}
	}
	return ""
}

// ParseOutput reads the word; unknown ones say nothing.
func ParseOutput(text string) (o Output, known bool) {
	switch strings.TrimSpace(text) {
	case "":
		return OutputUnsaid, true
	case outputMerged:
		return OutputMerged, true
	case outputSplit:
		return OutputSplit, true
	}
	return OutputUnsaid, false
}

// Output says how the output of the node is kept, by its own attribute.
func (n *Node) Output() Output {
	text, _ := n.Attr(AttrOutput)
	o, _ := ParseOutput(text)
	return o
}

// Output says how the outputs of nodes are kept that say nothing themselves.
func (g *Graph) Output() Output {
	text, _ := g.Attr(AttrOutput)
	o, _ := ParseOutput(text)
	return o
}
