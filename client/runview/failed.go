package runview

import "wf/api"

// FailedExecutions are the last executions of the nodes that ended as failed, in order of start.
// What a person stopped is no failure of the node, and one that an edge has fired for is no failure of
// the run.
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

// NamesIn lists the nodes in a state.
func NamesIn(nodes []api.NodeStatus, state api.State) []string {
	var names []string
	for _, n := range nodes {
		if n.State == state {
			names = append(names, n.Name)
		}
	}
	return names
}
