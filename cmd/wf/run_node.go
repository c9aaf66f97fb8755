package main

import (
	"context"
	"strings"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/graph/pattern"
)

// A runNode is a node, by its id, in a run; "" is the default run of the command.
type runNode struct{ run, node, name string }

// runSlashNode matches "42/align": the node align in run 42.
var runSlashNode = pattern.Of(`^([1-9][0-9]*)/(.+)$`)

// nodesOfRuns resolves arguments that are selectors, optionally with a run number and a slash before them. run is the
// value of --run.
func (s *target) nodesOfRuns(ctx context.Context, args []string, run string) ([]runNode, error) {
	var nodes []runNode
	for _, arg := range args {
		found, err := s.nodesOfRun(ctx, run, arg)
		parts := runSlashNode.Get().FindStringSubmatch(arg)
		if exit.IsCode(err, api.CodeUnknownNode) && parts != nil && run == "" { // there is no node of this name
			found, err = s.nodesOfRun(ctx, parts[1], parts[2])
		}
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, found...)
	}
	if len(nodes) == 0 {
		return nil, &api.Error{Code: api.CodeNotFound, Message: "no node matches " + strings.Join(args, " "), Fix: "wf ls lists all"}
	}
	return nodes, nil
}

// nodesOfRun resolves one selector. If a run is named, it looks in the history of the run first, which has deleted
// nodes and the names that nodes had then.
func (s *target) nodesOfRun(ctx context.Context, run, selector string) ([]runNode, error) {
	if run != "" {
		detail, err := s.Workspace.Run(ctx, run)
		if err != nil {
			return nil, err
		}
		for _, x := range detail.Execs {
			if x.Name == selector || x.Node == selector {
				return []runNode{{run, x.Node, x.Name}}, nil
			}
		}
	}
	list, err := s.Workspace.Select(ctx, []string{selector})
	if err != nil {
		return nil, err
	}
	nodes := make([]runNode, len(list.Nodes))
	for i, n := range list.Nodes {
		nodes[i] = runNode{run, n.ID, n.Name}
	}
	return nodes, nil
}
