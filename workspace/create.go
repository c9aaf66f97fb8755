package workspace

import (
	"strconv"

	"wf/api"
	"wf/graph"
	"wf/graphml"
)

// Create makes a new workfile: of lines, or of a whole workflow.
func Create(req api.NewRequest) error {
	data, err := newWorkfile(req)
	if err != nil {
		return err
	}
	return writeNew(req.Path, graphml.Pieces{data})
}

func newWorkfile(req api.NewRequest) ([]byte, error) {
	if len(req.Lines) > 0 && len(req.Nodes) > 0 {
		return nil, invalid("a new workfile is made of lines or of nodes, not of both")
	}
	nodes := make([]graphml.NewNode, 0, max(len(req.Lines), len(req.Nodes)))
	for _, line := range req.Lines {
		nodes = append(nodes, graphml.NewNode{Label: line})
	}
	for _, n := range req.Nodes {
		node := graphml.NewNode{ID: n.ID, Name: n.Name, Label: n.Command, NoLabel: n.NoCommand, Group: n.Group,
			Parent: n.Parent, Container: n.Container, Attrs: n.Attrs}
		if n.X != nil && n.Y != nil {
			node.X, node.Y = number(*n.X), number(*n.Y)
		}
		nodes = append(nodes, node)
	}
	var data []byte
	var err error
	if len(req.Nodes) == 0 && len(req.Edges) == 0 && len(req.Attrs) == 0 {
		data, err = graphml.Create(nodes, req.Chain)
	} else {
		edges := chain(req)
		if len(req.Edges) > 0 {
			edges, err = newEdges(req.Edges)
		}
		if err == nil {
			data, err = graphml.CreateGraph(nodes, edges, req.Attrs)
		}
	}
	if err == nil {
		data, err = graphml.WithComment(data, req.Notes)
	}
	if err != nil {
		return nil, invalid("%s", err)
	}
	return data, nil
}

// chain is the edges that order lines one after the other, if that is wanted.
func chain(req api.NewRequest) (edges []graphml.NewEdge) {
	for i := 1; req.Chain && i < len(req.Lines); i++ {
		edges = append(edges, graphml.NewEdge{Source: "n" + strconv.Itoa(i-1), Target: "n" + strconv.Itoa(i), Type: graph.Blocking})
	}
	return edges
}

func newEdges(list []api.NewEdge) ([]graphml.NewEdge, error) {
	edges := make([]graphml.NewEdge, len(list))
	for i, e := range list {
		kind, known := graph.ParseEdgeType(e.Type)
		if !known {
			return nil, invalid("edge %s -> %s: unknown edge type %q", e.Source, e.Target, e.Type)
		}
		edges[i] = graphml.NewEdge{Source: e.Source, Target: e.Target, Type: kind, When: e.When}
	}
	return edges, nil
}
