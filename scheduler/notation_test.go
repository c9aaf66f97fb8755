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
//	A -failure-> B    when=failure; ~else~> is the same of a non-blocking edge
//	B=ran C=fail      nodes with a status
//	A *-> B           an edge that bears a token
//	[G]               a container
//	G/a -> G/b        nodes in it; they are called a and b
//	D!                a node without a command
//	E?                an idempotent node
//	B: join=any; retries=2    attributes of B; \n is a line break
//	graph: params={}          one of the graph itself
func parseGraph(text string) (*graph.Graph, error) {
	var p graphParser
	for line := range strings.Lines(text) {
		if node, attributes, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			p.attributes(node, attributes)
			continue
		}
		if err := p.line(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
	}
	return graph.Build(p.nodes, p.edges, p.attrs)
}

type graphParser struct {
	nodes []graph.NodeSpec
	edges []graph.EdgeSpec
	attrs map[string]string
}

func (p *graphParser) attributes(node, list string) {
	if node == "graph" {
		key, value, _ := strings.Cut(list, "=")
		if p.attrs == nil {
			p.attrs = map[string]string{}
		}
		p.attrs[key] = strings.ReplaceAll(value, `\n`, "\n")
		return
	}
	n := &p.nodes[p.node(node)]
	if n.Extra == nil {
		n.Extra = map[string]string{}
	}
	for _, pair := range strings.Split(list, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		n.Extra[key] = strings.ReplaceAll(value, `\n`, "\n")
	}
}

func (p *graphParser) line(words []string) error {
	last, arrow := -1, ""
	for _, word := range words {
		if strings.HasSuffix(word, "->") || strings.HasSuffix(word, "~>") {
			arrow = word
			continue
		}
		node := p.node(word)
		if arrow != "" {
			edge, err := arrowSpec(arrow)
			if err != nil {
				return err
			}
			edge.Source, edge.Target = last, node
			p.edges = append(p.edges, edge)
		}
		last, arrow = node, ""
	}
	return nil
}

// arrowSpec reads an arrow: its type, its token and its condition.
func arrowSpec(arrow string) (graph.EdgeSpec, error) {
	edge := graph.EdgeSpec{Key: graph.NewKey}
	bare, marked := strings.CutPrefix(arrow, "*")
	if marked {
		edge.Status = "to_run"
	}
	kind := bare[len(bare)-2]
	if kind == '~' {
		edge.Type = graph.NonBlocking.String()
	}
	when := bare[:len(bare)-2]
	if when == "" {
		return edge, nil
	}
	if when[0] != kind {
		return edge, fmt.Errorf("unknown arrow %q", arrow)
	}
	edge.Extra = map[string]string{"when": when[1:]}
	return edge, nil
}

// node returns the index of the node that a word names, and makes it if need be.
func (p *graphParser) node(word string) int {
	id, status, _ := strings.Cut(word, "=")
	id, container := strings.CutPrefix(id, "[")
	id = strings.TrimSuffix(id, "]")
	id, silent := strings.CutSuffix(id, "!")
	id, idempotent := strings.CutSuffix(id, "?")
	at := p.find(id)
	if at < 0 {
		at = len(p.nodes)
		spec := graph.NodeSpec{ID: id, Key: graph.NewKey, Parent: -1, Container: container, HasLabel: !container && !silent}
		if container {
			spec.Name = id
		}
		if cut := strings.LastIndexByte(id, '/'); cut >= 0 {
			spec.Parent, spec.Name = p.find(id[:cut]), id[cut+1:]
		}
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

func (p *graphParser) find(id string) int {
	for i, n := range p.nodes {
		if n.ID == id {
			return i
		}
	}
	return -1
}
