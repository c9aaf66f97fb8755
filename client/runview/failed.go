package runview

import "wf/api"

// FailedExecutions returns the last executions of the nodes that ended as failed, in order of start. It leaves out
// executions that a user stopped and failures that an edge handled.
func FailedExecutions(detail api.RunDetail) []api.Execution {
	last := make(map[string]int, len(detail.Execs))
	for i, x := range detail.Execs {
		last[x.Node] = i
	}
	var failed []api.Execution
	for i, x := range detail.Execs {
		if last[x.Node] == i && x.Over && !x.OK && x.Reason != api.ReasonCancelled && !x.Handled {
			failed = append(failed, x)
		}
	}
	return failed
}

// NamesIn returns the names of the nodes in a state.
func NamesIn(nodes []api.NodeStatus, state api.State) []string {
	var names []string
	for _, n := range nodes {
		if n.State == state {
			names = append(names, n.Name)
		}
	}
	return names
}
