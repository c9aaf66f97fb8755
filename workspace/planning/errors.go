package planning

import (
	"errors"
	"fmt"
	"strings"

	"wf/api"
	"wf/executor/shell"
	"wf/graph"
	"wf/scheduler"
)

// cycleError describes a cycle of blocking edges, node by node, and the edge that closes it.
func (pl *Planner) cycleError(cycle *scheduler.CycleError) error {
	names := pl.Nodes.Names(cycle.Nodes)
	closing := cycle.Edges[len(cycle.Edges)-1]
	from, to := names[len(names)-1], names[0]
	e := &api.Error{Code: api.CodeCycle, Nodes: names, Where: pl.File.Where(pl.File.Document().EdgeLine(closing)),
		Message: "blocking edges form a cycle, so none of these nodes could ever start",
		Why:     fmt.Sprintf("the edge %s -> %s closes it", from, to),
		Fix: fmt.Sprintf("wf edit type %s %s non-blocking     re-triggers instead of waiting\nor wf edit remove-edge %s %s",
			shellWord(from), shellWord(to), shellWord(from), shellWord(to))}
	switch more := graph.CyclicGroups(pl.File.Graph().Nodes()) - 1; more {
	case 0:
	case 1:
		e.Why += "; elsewhere there is another cycle"
	default:
		e.Why += fmt.Sprintf("; elsewhere there are %d other cycles", more)
	}
	return e
}

// shellWord quotes a handle for a command line that users can paste.
func shellWord(name string) string {
	return strings.TrimPrefix(shell.Line(": {}", name), ": ")
}

// runError explains an error of the scheduler in terms of the workfile.
func (pl *Planner) runError(err error) error {
	var cycle *scheduler.CycleError
	var border *scheduler.BorderError
	var empty *scheduler.NoCommandError
	e := &api.Error{Code: api.CodeWorkfile, Message: err.Error(), Where: pl.Path}
	switch {
	case errors.As(err, &cycle):
		return pl.cycleError(cycle)
	case errors.As(err, &border):
		names := pl.Nodes.Names([]string{border.Source, border.Target})
		e.Nodes, e.Where = names, pl.File.Where(pl.File.Document().EdgeLine(border.Edge))
		e.Message = fmt.Sprintf("edge %s -> %s crosses the border of a sub-flow", names[0], names[1])
		e.Fix = "connect the sub-flow itself instead"
	case errors.As(err, &empty):
		e.Nodes = pl.Nodes.Names(empty.Nodes)
		e.Message = fmt.Sprintf("node %s has no command", e.Nodes[0])
		if len(e.Nodes) > 1 {
			e.Message = fmt.Sprintf("the nodes %s have no command", api.Several(e.Nodes, 5))
		}
		e.Where = pl.File.Where(pl.File.Document().NodeLine(empty.Nodes[0]))
		e.Fix = fmt.Sprintf("wf edit set %s label COMMAND", e.Nodes[0])
	}
	return e
}
