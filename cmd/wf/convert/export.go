package convert

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/graph/layered"
)

// A view is a graph prepared for drawing: groups are clusters around nodes and not nodes, and edges are
// numbers of nodes. A sub-flow is both: the node that others wait for, and a cluster around its own nodes.
type view struct {
	nodes  []*api.GraphNode
	groups []string // of nodes: the title of the cluster around each, "" for none
	edges  []layered.Edge
	when   []string // of edges: their conditions, "" for none
	root   *cluster // nodes without a cluster, and the outermost clusters
}

// A cluster is drawn around nodes that belong together.
type cluster struct {
	title    string
	subFlow  int // number of the sub-flow whose inside it is, -1 for a group
	nodes    []int
	clusters []*cluster
}

func newView(g *api.Graph) view {
	v := view{root: &cluster{subFlow: -1}}
	at := map[string]int{}
	containers := map[string]*api.GraphNode{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Container {
			containers[n.ID] = n
		}
		if !n.Container || n.SubFlow != "" {
			at[n.ID] = len(v.nodes)
			v.nodes = append(v.nodes, n)
		}
	}
	v.cluster(containers)
	for _, e := range Expand(g) {
		v.edges = append(v.edges, layered.Edge{From: at[e.Source], To: at[e.Target], Weak: e.Type == "non-blocking"})
		v.when = append(v.when, e.When)
	}
	return v
}

// cluster puts each node into its cluster: the one of its sub-flow, and inside it the one of its group.
// Containers come before the nodes inside them.
func (v *view) cluster(containers map[string]*api.GraphNode) {
	inside := map[string]*cluster{} // of sub-flows, by id
	for i, n := range v.nodes {
		around, group := v.root, n.Group
		for c := containers[n.Parent]; c != nil; c = containers[c.Parent] {
			if c.SubFlow != "" {
				around = inside[c.ID]
				break
			}
			if group == "" {
				group = c.Name
			}
		}
		if group != "" {
			around = around.group(group)
		}
		if n.SubFlow != "" {
			own := &cluster{title: n.Name, subFlow: i}
			inside[n.ID] = own
			around.clusters = append(around.clusters, own)
			around = own
		}
		around.nodes = append(around.nodes, i)
		v.groups = append(v.groups, around.title)
	}
}

// group returns the cluster of a group within this one.
func (f *cluster) group(title string) *cluster {
	for _, inner := range f.clusters {
		if inner.subFlow < 0 && inner.title == title {
			return inner
		}
	}
	inner := &cluster{title: title, subFlow: -1}
	f.clusters = append(f.clusters, inner)
	return inner
}

// ids returns the names of nodes in a format: their handles if the format allows them, otherwise n and a
// number.
func (v *view) ids(fit func(string) bool) []string {
	taken := map[string]bool{}
	for _, n := range v.nodes {
		taken[n.Name] = true
	}
	ids := make([]string, len(v.nodes))
	next := 0
	for i, n := range v.nodes {
		if ids[i] = n.Name; fit(n.Name) {
			continue
		}
		for ids[i] = "n" + strconv.Itoa(next); taken[ids[i]]; ids[i] = "n" + strconv.Itoa(next) {
			next++
		}
		taken[ids[i]] = true
	}
	return ids
}

// A attrValue is an attribute of a node or graph with its value.
type attrValue struct{ name, text string }

// attributes returns the control-flow attributes of a node, sorted, with its name if the format has
// another one for the node, so that expressions find it after an import.
func attributes(n *api.GraphNode, id string) []attrValue {
	var list []attrValue
	if id != n.Name {
		list = append(list, attrValue{"name", n.Name})
	}
	for _, name := range slices.Sorted(maps.Keys(n.Attrs)) {
		if name != "name" && isNodeWord(name) {
			list = append(list, attrValue{name, n.Attrs[name]})
		}
	}
	return list
}

// graphAttributes returns those of the graph, sorted.
func graphAttributes(g *api.Graph) []attrValue {
	var list []attrValue
	if _, has := g.Attrs["wrapper"]; !has && g.Wrapper != "" {
		list = append(list, attrValue{"wrapper", g.Wrapper})
	}
	for _, name := range slices.Sorted(maps.Keys(g.Attrs)) {
		if isGraphWord(name) {
			list = append(list, attrValue{name, g.Attrs[name]})
		}
	}
	return list
}

// Lost describes in sentences the parts of a graph that dot and mermaid cannot express, so that an import
// differs. They are also written at the top of a drawing.
func Lost(g *api.Graph) []string {
	var lost []string
	flattened := map[string]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Container && n.SubFlow == "" {
			flattened[n.ID] = true
		}
		for _, name := range slices.Sorted(maps.Keys(n.Attrs)) {
			if name != "group" && !isNodeWord(name) {
				lost = append(lost, fmt.Sprintf("%s of %s, which is not an attribute of wf", visible(name), visible(n.Name)))
			}
		}
		for _, a := range append(attributes(n, n.Name), attrValue{"command", n.Command}) {
			if visible(a.text) != a.text {
				lost = append(lost, fmt.Sprintf("the %s of %s has control characters, which are shown by signs", a.name, visible(n.Name)))
			}
		}
	}
	for i := range g.Edges {
		if e := &g.Edges[i]; flattened[e.Source] || flattened[e.Target] {
			lost = append(lost, fmt.Sprintf("the edge %s -> %s ends at a group: it became edges of the nodes in it", nameOf(g, e.Source), nameOf(g, e.Target)))
		}
	}
	if len(flattened) > 0 {
		lost = append(lost, fmt.Sprintf("nested graphs that only group (%d of them) became the attribute group of their nodes", len(flattened)))
	}
	return lost
}

func nameOf(g *api.Graph, id string) string {
	for i := range g.Nodes {
		if g.Nodes[i].ID == id {
			return visible(g.Nodes[i].Name)
		}
	}
	return visible(id)
}

// fills are the light background colours of states in drawings.
var fills = map[api.State]string{
	api.StateQueued: "#d5f3f6", api.StateRunning: "#d3e4ff", api.StateOK: "#d9f2d9", api.StateFailed: "#ffd6d6",
	api.StateCancelled: "#fbeecb", api.StateBlocked: "#f3ecd2", api.StateWaiting: "#eedcf7", api.StateRetrying: "#fbe3cb",
	api.StateSkipped: "#eeeeee",
}

// visible replaces characters that are invisible in drawings or that control terminals.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		case r >= 0x80 && r < 0xa0, r == 0xfffe, r == 0xffff, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return 0xfffd
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
