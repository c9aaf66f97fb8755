package activerun

import (
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// noteLeftovers notes the processes that executions of the run have left behind.
func (en *ending) noteLeftovers(rep executor.Report) {
	en.leftovers, en.remained = rep.Count, nil
	for _, l := range rep.Left {
		en.remained = append(en.remained, history.Leftover(l))
	}
}

// leftoverNotes returns notes about the processes that the run has left behind.
func (en *ending) leftoverNotes() []string {
	return runstate.LeftoverNotes(en.remained, en.leftovers, func(id string) string {
		if i, known := en.run.Sched.Index(id); known {
			return en.run.Nodes[i].Name
		}
		return id
	})
}
