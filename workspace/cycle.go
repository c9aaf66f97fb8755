package workspace

import (
	"fmt"
	"strings"

	"wf/api"
	"wf/executor/shell"
	"wf/graph"
	"wf/scheduler"
)

// cycleError names a cycle of blocking edges, node by node, and the edge that closes it.
func (w *Workspace) cycleError(cycle *scheduler.CycleError) error {
	names := w.nodes.Names(cycle.Nodes)
	closing := cycle.Edges[len(cycle.Edges)-1]
	from, to := names[len(names)-1], names[0]
	e := &api.Error{Code: api.CodeCycle, Nodes: names, Where: w.file.Where(w.file.Document().EdgeLine(closing)),
		Message: "blocking edges form a cycle, so none of these nodes could ever start",
		Why:     fmt.Sprintf("the edge %s -> %s closes it", from, to),
		Fix: fmt.Sprintf("wf edit type %s %s non-blocking     re-triggers instead of waiting\nor wf edit remove-edge %s %s",
			shellWord(from), shellWord(to), shellWord(from), shellWord(to))}
	switch more := graph.CyclicGroups(w.file.Graph().Nodes()) - 1; more {
	case 0:
	case 1:
		e.Why += "; elsewhere there is another cycle"
	default:
		e.Why += fmt.Sprintf("; elsewhere there are %d other cycles", more)
	}
	return e
}

// shellWord writes a handle as a word of a command that people can paste.
func shellWord(name string) string {
	return strings.TrimPrefix(shell.Line(": {}", name), ": ")
}
