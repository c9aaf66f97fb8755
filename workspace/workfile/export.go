package workfile

import (
	"math"

	"wf/api"
	"wf/graph"
	"wf/graph/layered"
	"wf/graphml"
)

// rendered returns a copy of the document in a format.
func rendered(doc *graphml.Document, path, format string) (graphml.Pieces, error) {
	switch format {
	case "":
		return doc.Render(), nil
	case api.FormatYed:
		pieces, err := doc.Yed(boxes)
		if err != nil {
			return nil, &api.Error{Code: api.CodeInternal, Message: "the workfile cannot be drawn", Where: path, Why: err.Error()}
		}
		return pieces, nil
	}
	return nil, api.Invalid("unknown format %q of a copy", format)
}

// boxes returns the positions of the nodes in a drawing: those of the file, or layers from left to right if the file does
// not place all nodes.
func boxes(g *graph.Graph) []graphml.Box {
	nodes := g.Nodes()
	list := make([]graphml.Box, len(nodes))
	widest, highest := 0.0, 0.0
	for i, n := range nodes {
		list[i].Width, list[i].Height = graphml.YedSize(n.Label)
		widest, highest = max(widest, list[i].Width), max(highest, list[i].Height)
	}
	if !placed(nodes, list) {
		const most = 600 // longer commands stick out and do not push everything apart
		layers(g, list, layered.Options{Length: min(widest, most), Width: highest, Gap: 80, Space: 40})
	}
	return list
}

// placed copies the positions in the file. It returns false if a node has none, or if all are equal.
func placed(nodes []*graph.Node, list []graphml.Box) bool {
	seen := map[[2]float64]bool{}
	for i, n := range nodes {
		x, y, ok := n.Position()
		if !ok {
			return false
		}
		list[i].X, list[i].Y = x, y
		seen[[2]float64{x, y}] = true
	}
	return len(seen) > 1 || len(nodes) == 1
}

// layers arranges the nodes in layers. Containers enclose their nodes.
func layers(g *graph.Graph, list []graphml.Box, o layered.Options) {
	at := map[*graph.Node]int{}
	var runnable []int
	for i, n := range g.Nodes() {
		if !n.Container {
			at[n] = len(runnable)
			runnable = append(runnable, i)
		}
	}
	var edges []layered.Edge
	for _, e := range g.Edges() {
		from, ok := at[e.Source]
		if to, both := at[e.Target]; ok && both {
			edges = append(edges, layered.Edge{From: from, To: to, Weak: e.Type == graph.NonBlocking})
		}
	}
	for k, p := range layered.Draw(len(runnable), edges, o).Nodes {
		list[runnable[k]].X, list[runnable[k]].Y = p.Along, p.Across
	}
	enclose(g.Nodes(), list)
}

// enclose places each container around its nodes, starting with the innermost: children come after their containers in the
// list.
func enclose(nodes []*graph.Node, list []graphml.Box) {
	const margin = 20
	far := make([][4]float64, len(nodes)) // left, top, right, bottom of what lies in a container
	for i := range far {
		far[i] = [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		if f := far[i]; nodes[i].Container && f[0] <= f[2] {
			list[i] = graphml.Box{X: f[0] - margin, Y: f[1] - 2*margin, Width: f[2] - f[0] + 2*margin, Height: f[3] - f[1] + 3*margin}
		}
		if nodes[i].Parent == nil {
			continue
		}
		f, b := &far[nodes[i].Parent.Pos()], list[i]
		*f = [4]float64{min(f[0], b.X), min(f[1], b.Y), max(f[2], b.X+b.Width), max(f[3], b.Y+b.Height)}
	}
}
