// Command pictures compares the drawings of wf with those of Graphviz dot: how often lines cross and turn.
//
//	go run ./bench/pictures FILE...
//
// Both draw the same boxes, of the same sizes, from left to right, with the same dependencies: first each node as a box,
// then the boxes that wf shows in a pane of 120 x 35. The lines of dot are straight where possible (splines=polyline) for
// the crossings, and at right angles like those of wf (splines=ortho) for the turns.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"wf/graph"
	"wf/graph/picture"
	"wf/graphml"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/pictures FILE...")
		os.Exit(2)
	}
	if _, err := exec.LookPath("dot"); err != nil {
		fmt.Fprintln(os.Stderr, "dot of Graphviz is not installed (Debian: graphviz)")
		os.Exit(1)
	}
	fmt.Println("| workfile | pane | boxes | lines | crossings, wf | dot | turns, wf | dot |\n|---|---|---|---|---|---|---|---|")
	for _, path := range os.Args[1:] {
		if err := compare(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

// compare prints the rows of a workfile.
func compare(path string) error {
	vertices, edges, err := read(path)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".graphml")
	if name == "Workfile" {
		name = filepath.Base(filepath.Dir(path))
	}
	for _, pane := range []struct {
		name string
		o    picture.Options
	}{
		{"whole", picture.Options{Whole: true}},
		{"120 x 35", picture.Options{Width: 120, Height: 35, Note: 7}},
	} {
		s := picture.New(vertices, edges, pane.o)
		ours, arcs := linesOf(s)
		straight, err := layOut(s, "polyline")
		if err != nil {
			return err
		}
		square, err := layOut(s, "ortho")
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %d | %d | %d | %d | %d | %d |\n", name, pane.name, len(s.Boxes), arcs,
			crossings(ours), crossings(straight), turns(ours), turns(square))
	}
	return nil
}

// read returns the nodes of a workfile that have a command or are sub-flows, and the edges between them.
func read(path string) ([]picture.Vertex, []picture.Edge, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	_, g, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		return nil, nil, err
	}
	handles, at := graph.Handles(g), map[*graph.Node]int{}
	var vertices []picture.Vertex
	for _, n := range g.Nodes() {
		if n.Runnable() || n.SubFlow() {
			at[n] = len(vertices)
			vertices = append(vertices, picture.Vertex{Name: handles.Of(n), Group: n.Group, Command: n.Label})
		}
	}
	for n, v := range at {
		if home := n.Home(); home != nil {
			vertices[v].In = at[home] + 1
		}
	}
	var edges []picture.Edge
	for _, e := range g.Edges() {
		from, known := at[e.Source]
		to, knownToo := at[e.Target]
		if known && knownToo {
			when, _ := e.Attr(graph.AttrWhen)
			edges = append(edges, picture.Edge{From: from, To: to, Weak: e.Type != graph.Blocking, When: when})
		}
	}
	return vertices, edges, nil
}
