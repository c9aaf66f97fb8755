package graph

import "strings"

// LocalNames returns the names of nodes within their flows, of those nodes whose local name is not their handle. The local
// name of a node is its name if no other node of its flow has that name, and if it is not the id of another node: an id
// always means its node.
func LocalNames(g *Graph) map[*Node]string {
	type named struct {
		home *Node
		name string
	}
	nodes, handles := g.Nodes(), Handles(g)
	times := make(map[named]int, len(nodes))
	for _, n := range nodes {
		if name := strings.TrimSpace(n.Name); name != "" && !n.Included() {
			times[named{n.Home(), name}]++
		}
	}
	local := map[*Node]string{}
	for _, n := range nodes {
		if n.Included() {
			local[n] = n.uncommon.included.local
			continue
		}
		name := strings.TrimSpace(n.Name)
		if name == handles.Of(n) || times[named{n.Home(), name}] != 1 {
			continue
		}
		if other := g.Node(name); other == nil || other == n {
			local[n] = name
		}
	}
	return local
}
