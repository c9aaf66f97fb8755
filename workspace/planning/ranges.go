package planning

import (
	"wf/api"
	"wf/graph"
	"wf/scheduler"
)

// between limits a request to the nodes before some nodes (until), or to some nodes and the nodes after them (from).
func (pl *Planner) between(req api.RunRequest, sreq *scheduler.Request) error {
	inside := contents(pl.file.Graph())
	for _, part := range []struct {
		selectors []string
		reach     func(inside map[*graph.Node][]*graph.Node, nodes []*graph.Node) map[*graph.Node]bool
	}{{req.Until, nodesBefore}, {req.From, nodesFrom}} {
		if len(part.selectors) == 0 {
			continue
		}
		nodes, err := pl.file.Select(part.selectors)
		if err != nil {
			return err
		}
		reached := part.reach(inside, nodes)
		candidates := pl.file.Graph().Nodes()
		if sreq.Explicit {
			candidates = sreq.Selected
		}
		sreq.Explicit, sreq.Selected = true, nil
		for _, n := range candidates {
			if reached[n] {
				sreq.Selected = append(sreq.Selected, n)
			}
		}
	}
	return nil
}

// contents maps each container to the nodes directly in it.
func contents(g *graph.Graph) map[*graph.Node][]*graph.Node {
	inside := map[*graph.Node][]*graph.Node{}
	for _, n := range g.Nodes() {
		if n.Parent != nil {
			inside[n.Parent] = append(inside[n.Parent], n)
		}
	}
	return inside
}

// nodesBefore returns the nodes that lead to the given nodes, without these and their contents.
func nodesBefore(inside map[*graph.Node][]*graph.Node, nodes []*graph.Node) map[*graph.Node]bool {
	reached := reach(inside, nodes, func(n *graph.Node) (next []*graph.Node) {
		for _, e := range n.In {
			next = append(next, e.Source)
		}
		return next
	})
	for list := nodes; len(list) > 0; list = list[1:] {
		delete(reached, list[0])
		list = append(list[:len(list):len(list)], inside[list[0]]...)
	}
	return reached
}

// nodesFrom returns the given nodes and the nodes that they lead to.
func nodesFrom(inside map[*graph.Node][]*graph.Node, nodes []*graph.Node) map[*graph.Node]bool {
	return reach(inside, nodes, func(n *graph.Node) (next []*graph.Node) {
		for _, e := range n.Out {
			next = append(next, e.Target)
		}
		return next
	})
}

// reach follows edges from the given nodes and the containers around them. Reaching a container means reaching its contents.
func reach(inside map[*graph.Node][]*graph.Node, from []*graph.Node, next func(*graph.Node) []*graph.Node) map[*graph.Node]bool {
	reached := map[*graph.Node]bool{}
	list := append([]*graph.Node(nil), from...)
	for len(list) > 0 {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		if reached[n] {
			continue
		}
		reached[n] = true
		list = append(list, next(n)...)
		list = append(list, inside[n]...)
		for around := n.Parent; around != nil; around = around.Parent {
			list = append(list, next(around)...)
		}
	}
	return reached
}
