package scheduler

import (
	"fmt"
	"strings"

	"wf/graph"
)

// A CycleError names a cycle of blocking edges: each of its nodes waits for the one before.
type CycleError struct {
	Nodes []string // ids, in the direction of the edges
	Edges []int    // keys; Edges[i] leaves Nodes[i]
}

func (e *CycleError) Error() string {
	return "blocking cycle: " + strings.Join(e.Nodes, " -> ") + " -> " + e.Nodes[0]
}

// A ContainerError names an edge between a node in scope and a container, which is no command.
type ContainerError struct {
	Edge           int    // key
	Source, Target string // ids
	Container      string // id of the one that is a container
}

func (e *ContainerError) Error() string {
	return fmt.Sprintf("edge %s -> %s: %s is a container, not a command", e.Source, e.Target, e.Container)
}

// A NoCommandError names the nodes in scope that have no command.
type NoCommandError struct{ Nodes []string }

func (e *NoCommandError) Error() string {
	if len(e.Nodes) == 1 {
		return "node " + e.Nodes[0] + " has no command"
	}
	return fmt.Sprintf("node %s and %d others have no command", e.Nodes[0], len(e.Nodes)-1)
}

func checkCommands(scope []*graph.Node) error {
	var silent []string
	for _, n := range scope {
		if n.NoCommand {
			silent = append(silent, n.ID)
		}
	}
	if silent != nil {
		return &NoCommandError{silent}
	}
	return nil
}

func checkCycles(scope []*graph.Node) error {
	cycle := graph.FindCycle(scope)
	if cycle == nil {
		return nil
	}
	err := &CycleError{}
	for _, e := range cycle {
		err.Nodes = append(err.Nodes, e.Source.ID)
		err.Edges = append(err.Edges, e.Key)
	}
	return err
}

func containerError(e *graph.Edge, container *graph.Node) error {
	return &ContainerError{Edge: e.Key, Source: e.Source.ID, Target: e.Target.ID, Container: container.ID}
}
