package activerun

import (
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// sweptUp notes the processes that executions of the run have left behind.
func (r *Run) sweptUp(rep executor.Report) {
	r.leftovers, r.remained = rep.Count, nil
	for _, l := range rep.Left {
		r.remained = append(r.remained, history.Leftover{Node: l.Node, Execution: l.Execution, PID: l.PID, Program: l.Program})
	}
}

// leftoverNotes returns the notes about this run.
func (r *Run) leftoverNotes() []string {
	return runstate.LeftoverNotes(r.remained, r.leftovers, func(id string) string {
		if i, known := r.Sched.Index(id); known {
			return r.Nodes[i].Name
		}
		return id
	})
}
