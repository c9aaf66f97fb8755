package workfile

import (
	"strconv"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler/flow"
	"wf/workspace/params"
)

// A Peek is the content of a workfile without daemon and history. Its statuses are those of the last save, and it knows of
// no runs.
type Peek struct {
	ID    string // see ID
	Path  string // absolute, with symlinks resolved
	Nodes []api.NodeStatus
	g     *graph.Graph
}

// PeekAt reads only the workfile at path, which is absolute. It returns the same errors as Open.
func PeekAt(path string) (*Peek, error) {
	id, real, err := ID(path)
	if err != nil {
		return nil, err
	}
	g, err := ReadGraph(real)
	if err != nil {
		return nil, err
	}
	p := &Peek{ID: id, Path: real, g: g}
	handles := graph.Handles(g)
	for _, n := range g.Nodes() {
		p.Nodes = append(p.Nodes, api.NodeStatus{ID: n.ID, Name: handles.Of(n), Command: n.Label,
			Status: n.Status.String(), Group: n.Group, Container: n.Container})
		s := &p.Nodes[len(p.Nodes)-1]
		if n.SubFlow() {
			s.SubFlow = SubFlowWord(n)
		}
		DescribeRules(n, s)
		if n.Parent != nil {
			s.Parent = n.Parent.ID
		}
	}
	return p, nil
}

// Params returns the parameters that can be read, with the choices that the file itself lists.
func (p *Peek) Params() []api.Param {
	text, _ := p.g.Attr("params")
	declared, _ := flow.ParseParams(text)
	c := params.Check{Params: declared}
	var list []api.Param
	for i := range declared {
		list = append(list, c.Param(i, nil))
		if declared[i].ChoicesFrom == "" {
			list[i].Choices, _ = c.Offered(i)
		}
	}
	return list
}

// Attr returns an attribute of the graph, and whether the file has it.
func (p *Peek) Attr(name string) (string, bool) { return p.g.Attr(name) }

// DescribeRules adds what a node will do besides its command: how often it is repeated after a failure, and whether a person
// decides. Values that are not valid are left out; a check reports them.
func DescribeRules(n *graph.Node, s *api.NodeStatus) {
	if text, _ := n.Attr("retries"); text != "" {
		if most, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && most > 0 {
			s.Retries = most
		}
	}
	approve, _ := n.Attr("approve")
	s.Approve = strings.TrimSpace(approve) != ""
}

// SubFlowWord returns the attribute that makes a node a sub-flow, or "" if it is none.
func SubFlowWord(n *graph.Node) string {
	if word := n.Repeats(); word != "" {
		return word
	}
	if n.Part() != nil {
		return graph.AttrWorkfile
	}
	return ""
}
