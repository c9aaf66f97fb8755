package workspace

import (
	"wf/api"
)

// Counting follows the description at api.Counts, for active runs and for what earlier runs have left.

// growth is what watchers have heard of how many nodes a run has.
type growth struct {
	total     int  // in RunStarted, or in the latest RunGrew
	kept      int  // of these, how many a resume keeps
	beginning bool // the first step is being taken: RunStarted reports all of it
	recalled  bool // instances of an earlier run were added since
}

// grown publishes that the run has other nodes than watchers know, if it has.
func (r *run) grown(w *Workspace) {
	if r.Flow == nil || r.growth.beginning {
		return
	}
	total := r.Sched.Total()
	if total == r.growth.total && !r.growth.recalled {
		return
	}
	if r.growth.recalled {
		r.growth.recalled, r.growth.kept = false, r.CountAll().Kept
	}
	r.growth.total = total
	w.out.Publish(api.Event{Type: api.RunGrew, Run: r.ID, Client: r.Request.Client, Nodes: total, Kept: r.growth.kept})
}
