package nodestate

import (
	"slices"

	"wf/api"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// RestoreRun adds the state in which an earlier run left its nodes, except where a later run is known. It returns the number
// of nodes whose status the run explains.
func (ns *Table) RestoreRun(store *history.Store, run int) (explained int) {
	past, err := store.Load(run)
	if err != nil {
		ns.Log.Warn("a run cannot be read", "run", run, "err", err)
		return 0
	}
	ns.NoteRun(past.Request, RepeatedScope(store, past.Request))
	for _, id := range past.Request.Scope {
		if m, n := ns.Latest[id], ns.File.Graph().Node(id); m.Run == 0 && n != nil {
			m.Run = run
			ns.Latest[id] = m
			if n.SubFlow() && n.Status != graph.Idle {
				explained++ // whether the node itself was executed, to list its items, or not
			}
		}
	}
	for _, e := range past.Executions {
		status, known := ns.statusBefore(e.ID)
		m := ns.Latest[e.ID]
		if !known || m.Execution != nil && m.Execution.Run != run {
			continue // a later run replaces it
		}
		if m.Execution == nil {
			m.Execution = &runstate.Execution{Run: run}
			m.Run = max(m.Run, run)
			ns.Latest[e.ID] = m
		}
		before := m.Execution.Status == status
		m.Execution.SetEnd(e)
		if after := m.Execution.Status == status; after && !before && status != graph.Idle && !ns.isSubFlow(e.ID) {
			explained++
		}
	}
	return explained
}

// isSubFlow reports whether an id is that of a sub-flow. The executions of a sub-flow itself only list its items.
func (ns *Table) isSubFlow(id string) bool {
	n := ns.File.Graph().Node(id)
	return n != nil && n.SubFlow()
}

// statusBefore returns the status of a node of the workfile, or of a known instance.
func (ns *Table) statusBefore(id string) (s graph.Status, known bool) {
	if n := ns.File.Graph().Node(id); n != nil {
		return n.Status, true
	}
	p, known := ns.Prior[id]
	return p.Status, known
}

// RestorePrior adds the prior state to the state from the history. Executions of active runs are later than the prior state.
func (ns *Table) RestorePrior() {
	for id, p := range ns.Prior {
		m := ns.Latest[id]
		if m.Execution != nil && ns.active(m.Execution.Run) {
			continue
		}
		// No record contains ends without an execution: mocks, sub-flows, decisions of people. The record of a sub-flow
		// describes the command that lists its items.
		if (m.Execution == nil || m.Execution.Status != p.Status || m.Execution.Run != m.Run) && (p.Mocked || p.Status == graph.Failed) {
			m.Execution = &runstate.Execution{Run: m.Run, Status: p.Status, Reason: api.Reason(p.Reason), ExitCode: p.Exit, Mocked: p.Mocked,
				Message: p.Message}
			ns.Latest[id] = m
		}
		if m.Execution != nil && m.Execution.Status == p.Status {
			m.Execution.Handled, m.Execution.Outputs, m.Execution.Stdout = p.Handled, p.Outputs, p.Stdout
		}
	}
}

func (ns *Table) active(number int) bool {
	return slices.ContainsFunc(ns.Runs, func(r *Run) bool { return r.Number == number })
}
