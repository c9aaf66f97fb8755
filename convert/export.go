package convert

import (
	"strconv"
	"strings"

	"wf/api"
	"wf/layered"
)

// A view is a graph prepared for drawing: groups are frames around nodes and not nodes, and edges are
// numbers of nodes. A sub-flow is both: the node that others wait for, and a frame around its own.
type view struct {
	nodes  []*api.GraphNode
	groups []string // of nodes; "" = none
	edges  []layered.Edge
	when   []string // of edges: their conditions, "" for none
}

func newView(g *api.Graph) view {
	var v view
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
	for _, n := range v.nodes {
		group := n.Group
		if c := containers[n.Parent]; c != nil && group == "" {
			group = c.Name
		}
		if n.SubFlow != "" {
			group = n.Name
		}
		v.groups = append(v.groups, group)
	}
	for _, e := range Expand(g) {
		v.edges = append(v.edges, layered.Edge{From: at[e.Source], To: at[e.Target], Weak: e.Type == "non-blocking"})
		v.when = append(v.when, e.When)
	}
	return v
}

// inGroups lists the groups in the order of their first nodes, with the numbers of their nodes.
func (v *view) inGroups() (titles []string, members map[string][]int) {
	members = map[string][]int{}
	for i, title := range v.groups {
		if title == "" {
			continue
		}
		if members[title] == nil {
			titles = append(titles, title)
		}
		members[title] = append(members[title], i)
	}
	return titles, members
}

// ids are the names under which a format knows the nodes: their handles where those are fit for
// it, else n and a number.
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

// fills are the colours of states in drawings: light, to be read on.
var fills = map[api.State]string{
	api.StateQueued: "#d5f3f6", api.StateRunning: "#d3e4ff", api.StateOK: "#d9f2d9", api.StateFailed: "#ffd6d6",
	api.StateCancelled: "#fbeecb", api.StateBlocked: "#f3ecd2", api.StateWaiting: "#eedcf7", api.StateRetrying: "#fbe3cb",
	api.StateSkipped: "#eeeeee",
}

// visible replaces characters that no drawing shows, and that would do something to a terminal.
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
