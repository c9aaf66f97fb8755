package workspace

import (
	"fmt"
	"strings"

	"wf/api"
	"wf/graph"
)

// edgeWhen gives the edges between two nodes a condition, or takes it away. Whether it can be read is for
// Check to say: a workfile is written step by step.
func (b *editBuilder) edgeWhen(e api.Edit) error {
	if err := checkText("when", e.Value); err != nil {
		return err
	}
	edges, name, err := b.between(e)
	for _, edge := range edges {
		now, _ := edge.Attr("when")
		if e.Was != nil && *e.Was != now {
			return &api.Error{Code: api.CodeConflict, Message: fmt.Sprintf("the condition of edge %s was changed by somebody else meanwhile", name),
				Why: "it is now " + quoteShort(now)}
		}
		value := strings.TrimSpace(e.Value)
		op, text := graph.SetEdge{Key: edge.Key, Attr: "when", Value: value}, fmt.Sprintf("made edge %s fire when %s", name, value)
		if value == "" {
			op.Remove, text = true, "removed the condition of edge "+name
		}
		if err := b.apply(op, text); err != nil {
			return err
		}
	}
	return err
}
