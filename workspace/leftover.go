package workspace

import (
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/inquiry"
)

// sweptUp notes the processes that executions of the run have left behind.
func (r *run) sweptUp(rep executor.Report) {
	r.leftovers, r.remained = rep.Count, nil
	for _, l := range rep.Left {
		r.remained = append(r.remained, history.Leftover{Node: l.Node, Execution: l.Execution, PID: l.PID, Program: l.Program})
	}
}

// leftoverNotes returns the notes about this run.
func (r *run) leftoverNotes() []string {
	return inquiry.LeftoverNotes(r.remained, r.leftovers, func(id string) string {
		if i, known := r.Sched.Index(id); known {
			return r.Nodes[i].Name
		}
		return id
	})
}
