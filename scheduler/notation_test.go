package scheduler

import (
	"fmt"
	"strings"

	"wf/graph"
)

// parseGraph reads the graphs of tests. A line is a chain of nodes with an arrow between each
// two, or a node alone, which fixes the order of the file:
//
//	A -> B ~> A       blocking, then non-blocking
//	B=ran C=fail      nodes with a status
//	A *-> B           an edge that bears a token
//	[G]               a container
//	D!                a node without a command
//	E?                an idempotent node
func parseGraph(text string) (*graph.Graph, error) {
	var p graphParser
	for line := range strings.Lines(text) {
		if err := p.line(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
	}
	return graph.Build(p.nodes, p.edges, nil)
}

type graphParser struct {
	nodes []graph.NodeSpec
	edges []graph.EdgeSpec
}

func (p *graphParser) line(words []string) error {
	last, arrow := -1, ""
	for _, word := range words {
		if strings.HasSuffix(word, ">") {
			arrow = word
			continue
		}
		node := p.node(word)
		if arrow != "" {
			edge := graph.EdgeSpec{Key: graph.NewKey, Source: last, Target: node}
			bare, marked := strings.CutPrefix(arrow, "*")
			if marked {
				edge.Status = "to_run"
			}
			switch bare {
			case "->":
			case "~>":
				edge.Type = graph.NonBlocking.String()
			default:
				return fmt.Errorf("unknown arrow %q", arrow)
			}
			p.edges = append(p.edges, edge)
		}
		last, arrow = node, ""
	}
	return nil
}

// node returns the index of the node that a word names, and makes it if need be.
func (p *graphParser) node(word string) int {
	id, status, _ := strings.Cut(word, "=")
	id, container := strings.CutPrefix(id, "[")
	id = strings.TrimSuffix(id, "]")
	id, silent := strings.CutSuffix(id, "!")
	id, idempotent := strings.CutSuffix(id, "?")
	at := -1
	for i, n := range p.nodes {
		if n.ID == id {
			at = i
		}
	}
	if at < 0 {
		at = len(p.nodes)
		spec := graph.NodeSpec{ID: id, Key: graph.NewKey, Parent: -1, Container: container, HasLabel: !container && !silent}
		if idempotent {
			spec.Extra = map[string]string{"idempotent": "true"}
		}
		p.nodes = append(p.nodes, spec)
	}
	if status != "" {
		p.nodes[at].Status = status
	}
	return at
}
