package graph

import (
	"strings"

	"wf/graph/spelling"
)

// AttrOutput is the attribute of a node, or of the graph for all nodes without it, that says whether
// standard output and standard error are kept in one output or in two.
const AttrOutput = "output"

// Output is the value of AttrOutput.
type Output uint8

// The ways to keep the output of a command.
const (
	OutputUnsaid Output = iota // no value
	OutputMerged               // one output, in the order in which it is written
	OutputSplit                // standard output and standard error apart; their order is lost
)

// The words in a workfile.
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

// meantOutput returns the word that text is probably a misspelling of, "" if text probably belongs to
// another program.
func meantOutput(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, word := range []string{outputMerged, outputSplit} {
		if spelling.Slips(text, word) <= 2 {
			return word
		}
	}
	return ""
}

// ParseOutput reads the word. An unknown one gives OutputUnsaid.
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

// Output returns how the output of the node is kept, by its own attribute.
func (n *Node) Output() Output {
	text, _ := n.Attr(AttrOutput)
	o, _ := ParseOutput(text)
	return o
}

// Output returns how the outputs of nodes without the attribute are kept.
func (g *Graph) Output() Output {
	text, _ := g.Attr(AttrOutput)
	o, _ := ParseOutput(text)
	return o
}
