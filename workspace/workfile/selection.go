package workfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"wf/api"
	"wf/graph"
)

// Find resolves the name of one node.
func (f *File) Find(text string) (*graph.Node, error) {
	nodes, err := f.Select([]string{text})
	if err != nil {
		return nil, err
	}
	if len(nodes) != 1 {
		return nil, api.Invalid("%q names %d nodes, one is needed", text, len(nodes))
	}
	return nodes[0], nil
}

// Select resolves selectors to nodes in file order.
func (f *File) Select(exprs []string) ([]*graph.Node, error) {
	picks, err := f.Picks(exprs)
	if err != nil {
		return nil, err
	}
	nodes := make([]*graph.Node, len(picks))
	for i, p := range picks {
		nodes[i] = p.Node
	}
	return nodes, nil
}

// Picks is Select with the reason for each node.
func (f *File) Picks(exprs []string) ([]graph.Pick, error) {
	picks, err := graph.Picks(f.g, f.Handles(), exprs, f.cfg.Host.States())
	if err != nil {
		return nil, f.SelectorError(err)
	}
	return picks, nil
}

// SelectorError adds suggestions to the error about a selector that matches nothing.
func (f *File) SelectorError(err error) error {
	var sel *graph.SelectorError
	if !errors.As(err, &sel) {
		return api.Invalid("%s", err)
	}
	e := &api.Error{Code: api.CodeUnknownNode, Fix: "wf ls lists all",
		Message: fmt.Sprintf("%s in %s (%s)", sel, filepath.Base(f.cfg.Path), counted(len(f.g.Nodes())))}
	if len(sel.Suggestions) > 0 {
		e.Why = "did you mean " + strings.Join(sel.Suggestions, ", ") + "?"
	}
	return e
}

// counted returns "1 node", "2 nodes" and so on.
func counted(nodes int) string {
	if nodes == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", nodes)
}
