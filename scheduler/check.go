package scheduler

import (
	"fmt"
	"strings"

	"wf/graph"
	"wf/graph/components"
	"wf/scheduler/flow"
)

// A CycleError names a cycle of blocking edges: each of its nodes waits for the one before.
type CycleError struct {
	Nodes []string // ids, in the direction of the edges
	Edges []int    // keys; Edges[i] leaves Nodes[i]
}

func (e *CycleError) Error() string {
	return "blocking cycle: " + strings.Join(e.Nodes, " -> ") + " -> " + e.Nodes[0]
}

// A BorderError names an edge that crosses the border of a sub-flow.
type BorderError struct {
	Edge           int    // key
	Source, Target string // ids
}

func (e *BorderError) Error() string {
	return fmt.Sprintf("edge %s -> %s crosses the border of a sub-flow", e.Source, e.Target)
}

// A NoCommandError names the nodes in scope that have no command.
type NoCommandError struct{ Nodes []string }

func (e *NoCommandError) Error() string {
	if len(e.Nodes) == 1 {
		return "node " + e.Nodes[0] + " has no command"
	}
	if len(e.Nodes) == 2 {
		return "nodes " + e.Nodes[0] + " and " + e.Nodes[1] + " have no command"
	}
	return fmt.Sprintf("node %s and %d others have no command", e.Nodes[0], len(e.Nodes)-1)
}

// checkCommands returns an error if a node has nothing to do. A node that waits, or asks for approval,
// needs no command.
func checkCommands(scope []*graph.Node, f *flow.Flow) error {
	var silent []string
	for _, n := range scope {
		if !n.NoCommand {
			continue
		}
		if f != nil {
			if rules := f.Node(n); rules != nil && (rules.Approve != nil || rules.Wait != nil || rules.WaitUntil != nil) {
				continue
			}
		}
		silent = append(silent, n.ID)
	}
	if silent != nil {
		return &NoCommandError{silent}
	}
	return nil
}

// checkCycles returns an error if nodes of the layout wait for one another.
func checkCycles(l *layout) error {
	if cycle := graph.FindCycle(l.graphNodes); cycle != nil {
		err := &CycleError{}
		for _, e := range cycle {
			err.Nodes = append(err.Nodes, e.Source.ID)
			err.Edges = append(err.Edges, e.Key)
		}
		return err
	}
	return l.checkGroupCycles()
}

// checkGroupCycles finds cycles that include edges to and from groups.
func (l *layout) checkGroupCycles() error {
	first, targets := []int32{0}, []int32(nil)
	for v := range l.nodeCount() {
		for _, j := range l.out.of(v) {
			if l.edges[j].blocking {
				targets = append(targets, int32(l.edges[j].target))
			}
		}
		first = append(first, int32(len(targets)))
	}
	component, _ := components.Of(first, targets)
	for j, e := range l.edges {
		if e.blocking && component[e.source] == component[e.target] {
			return &CycleError{Nodes: []string{l.ids[e.source], l.ids[e.target]}, Edges: []int{l.keys[j], l.keys[j]}}
		}
	}
	return nil
}
