package workfile

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"wf/api"
	"wf/graph"
	"wf/graphml"
)

// Create makes a new workfile from lines of text or from a whole workflow.
func Create(req api.NewRequest) error {
	if err := decideResults(&req); err != nil {
		return err
	}
	data, err := newWorkfile(req)
	if err != nil {
		return err
	}
	return WriteNew(req.Path, graphml.Pieces{data})
}

// decideResults sets the attribute "results" of the new file. In a git work tree the default is "none", so that runs do not
// change a versioned file.
func decideResults(req *api.NewRequest) error {
	word := req.Results
	if word == "" && req.Attrs["results"] == "" && inWorkTree(filepath.Dir(req.Path)) {
		word = api.ResultsNone
	}
	if word == "" {
		return nil
	}
	if word, _ = graph.ParseResults(word); word == "" {
		return api.Invalid("results %q: none, status or file is needed", req.Results)
	}
	attrs := maps.Clone(req.Attrs)
	if attrs == nil {
		attrs = map[string]string{}
	}
	attrs["results"] = word
	req.Attrs = attrs
	return nil
}

// inWorkTree reports whether a folder is in a git work tree. A .git that is a file belongs to a worktree or a submodule.
func inWorkTree(dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

func newWorkfile(req api.NewRequest) ([]byte, error) {
	if len(req.Lines) > 0 && len(req.Nodes) > 0 {
		return nil, api.Invalid("a new workfile is made of lines or of nodes, not of both")
	}
	nodes := make([]graphml.NewNode, 0, max(len(req.Lines), len(req.Nodes)))
	for _, line := range req.Lines {
		nodes = append(nodes, graphml.NewNode{Label: line})
	}
	for _, n := range req.Nodes {
		node := graphml.NewNode{ID: n.ID, Name: n.Name, Label: n.Command, NoLabel: n.NoCommand, Group: n.Group,
			Parent: n.Parent, Container: n.Container, Attrs: n.Attrs}
		if n.X != nil && n.Y != nil {
			node.X, node.Y = strconv.FormatFloat(*n.X, 'f', -1, 64), strconv.FormatFloat(*n.Y, 'f', -1, 64)
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
		return nil, api.Invalid("%s", err)
	}
	return data, nil
}

// chain returns edges that connect the lines one after the other, if the request asks for them.
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
			return nil, api.Invalid("edge %s -> %s: unknown edge type %q", e.Source, e.Target, e.Type)
		}
		edges[i] = graphml.NewEdge{Source: e.Source, Target: e.Target, Type: kind, When: e.When}
	}
	return edges, nil
}
