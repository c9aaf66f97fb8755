package graph

import (
	"slices"
	"strings"
)

// attrOutput is the attribute of a node, or of the graph for all nodes without it, that says whether
// standard output and standard error are kept in one output or in two.
const attrOutput = "output"

// Output is the value of attrOutput.
type Output uint8

// The ways to keep the output of a command.
const (
	OutputUnsaid Output = iota // no value
	OutputMerged               // one output, in the order in which it is written
	OutputSplit                // standard output and standard error apart; their order is lost
)

var outputWords = [...]string{OutputUnsaid: "", OutputMerged: "merged", OutputSplit: "split"}

// String returns the word in a workfile, "" for OutputUnsaid.
func (o Output) String() string { return outputWords[o] }

// parseOutput reads the word. An unknown one gives OutputUnsaid.
func parseOutput(text string) (o Output, known bool) {
	i := slices.Index(outputWords[:], strings.TrimSpace(text))
	return Output(max(i, 0)), i >= 0
}

// Output returns how the output of the node is kept, by its own attribute.
func (n *Node) Output() Output {
	text, _ := n.Attr(attrOutput)
	o, _ := parseOutput(text)
	return o
}

// Output returns how the outputs of nodes without the attribute are kept.
func (g *Graph) Output() Output {
	text, _ := g.Attr(attrOutput)
	o, _ := parseOutput(text)
	return o
}
