package graph

import (
	"maps"
	"slices"
	"strings"
)

// AttrWorkfile names another workfile, whose nodes run as a sub-flow in place of the node that has it.
const AttrWorkfile = "workfile"

// A Part is another workfile that stands for a node.
type Part struct {
	At    *Node  // of the graph that includes it
	Graph *Graph // whole: it may be a result of Include
	// Problem says why there is no Graph.
	Problem string
}

// included says where a node comes from that another workfile declares.
type included struct {
	at            *Node  // the node of the including workfile that it stands in
	handle, local string // in its own workfile
	own           string // its id there
}

// Include returns a copy of g in which the nodes of other workfiles lie in those that name them. The other nodes and edges keep
// their ids, keys and places; what is included follows them, with the id of its node before its own: align/trim. Attributes of an
// included graph that its nodes inherit go with it.
func Include(g *Graph, parts []Part) *Graph {
	c := includer{nodes: map[*Node]*Node{}, to: &Graph{attrs: maps.Clone(g.attrs), nextNodeKey: g.nextNodeKey, nextEdgeKey: g.nextEdgeKey}}
	c.copy(g, nil)
	for k := range parts {
		c.part(&parts[k], k+1)
	}
	for i, n := range c.to.nodes.list {
		n.pos = int32(i)
	}
	for i, e := range c.to.edges.list {
		e.pos = int32(i)
		e.Source.Out = append(e.Source.Out, e)
		e.Target.In = append(e.Target.In, e)
	}
	return c.to
}

// includer is the state of Include.
type includer struct {
	to    *Graph
	nodes map[*Node]*Node // from those of the original graphs
}

// partKeys is the distance of the keys of parts, so that an edit of one does not change those of the others.
const partKeys = 1 << 20

// part copies a workfile into its node.
func (c *includer) part(p *Part, number int) {
	at := c.nodes[p.At]
	at.NoCommand = false
	at.uncommon = at.uncommon.copied()
	at.uncommon.part, at.uncommon.partProblem = p.Graph, p.Problem
	if p.Graph == nil {
		return
	}
	at.Container = true
	at.Extra = withAttrs(at.Extra, p.Graph.attrs, inheritedByContainers)
	c.to.nextNodeKey = max(c.to.nextNodeKey, number*partKeys)
	c.to.nextEdgeKey = max(c.to.nextEdgeKey, number*partKeys)
	c.copy(p.Graph, at)
}

// Attributes of a graph that hold for all of its nodes, and where an included graph keeps them.
var (
	inheritedByContainers = []string{"executor", "cpus", "mem", "gpus", "time", "partition", "account", "constraint", "cluster_options", "cluster_mode",
		"wrapper", "shell", "cwd", "env_file", "container", "container_engine", "container_args", "conda", "pixi", "nix"}
	inheritedByCommands = []string{"output", "before_node", "after_node"}
)

// withAttrs returns attributes with those of a graph that they lack.
func withAttrs(own, of map[string]string, names []string) map[string]string {
	copied := false
	for _, name := range names {
		value, given := of[name]
		if _, has := own[name]; !given || has {
			continue
		}
		if !copied {
			own, copied = maps.Clone(own), true
			if own == nil {
				own = map[string]string{}
			}
		}
		own[name] = value
	}
	return own
}

// copy copies the nodes and edges of a graph. at is the node that they lie in, nil at the top.
func (c *includer) copy(g *Graph, at *Node) {
	var handles *HandleTable
	var local map[*Node]string
	if at != nil {
		handles, local = Handles(g), LocalNames(g)
	}
	for _, was := range g.nodes.list {
		n := *was
		n.In, n.Out, n.Parent = nil, nil, at
		if was.Parent != nil {
			n.Parent = c.nodes[was.Parent]
		} else if at != nil {
			at.children++
		}
		if at != nil {
			n.ID = at.ID + "/" + was.ID
			n.Key = c.to.nextNodeKey
			c.to.nextNodeKey++
			n.uncommon = n.uncommon.copied()
			from := &included{at: at, handle: handles.Of(was), local: handles.Of(was), own: was.OwnID()}
			if name, other := local[was]; other {
				from.local = name
			}
			n.uncommon.included = from
			n.Status = Idle
			if !n.Container {
				n.Extra = withAttrs(n.Extra, g.attrs, inheritedByCommands)
			}
		}
		c.nodes[was] = &n
		c.to.nodes.list = append(c.to.nodes.list, &n)
	}
	for _, was := range g.edges.list {
		e := *was
		e.Source, e.Target = c.nodes[was.Source], c.nodes[was.Target]
		if at != nil {
			e.Key, e.Mark = c.to.nextEdgeKey, Unmarked
			c.to.nextEdgeKey++
		}
		c.to.edges.list = append(c.to.edges.list, &e)
	}
}

// copied returns a copy to write to.
func (r *uncommon) copied() *uncommon {
	if r == nil {
		return &uncommon{}
	}
	c := *r
	return &c
}

// Included reports whether another workfile declares the node.
func (n *Node) Included() bool { return n.uncommon != nil && n.uncommon.included != nil }

// Part returns the graph of the workfile that stands for a node, nil for other nodes. Only its attributes are of use: its nodes are
// copied, see Include.
func (n *Node) Part() *Graph {
	if n.uncommon == nil {
		return nil
	}
	return n.uncommon.part
}

// PartProblem says why the workfile that a node names cannot stand for it; "" if it can, or was not looked for.
func (n *Node) PartProblem() string {
	if n.uncommon == nil {
		return ""
	}
	return n.uncommon.partProblem
}

// OwnID returns the id that a node has in the workfile that declares it.
func (n *Node) OwnID() string {
	if n.Included() {
		return n.uncommon.included.own
	}
	return n.ID
}

// Includes lists the nodes of a graph that name another workfile.
func Includes(g *Graph) []*Node {
	return slices.DeleteFunc(slices.Clone(g.nodes.list), func(n *Node) bool { return n.WorkfileName() == "" })
}

// WorkfileName returns the other workfile that a node names, "" for none.
func (n *Node) WorkfileName() string {
	if n.Extra == nil && n.uncommon == nil || n.Included() {
		return ""
	}
	text, _ := n.Attr(AttrWorkfile)
	return strings.TrimSpace(text)
}
