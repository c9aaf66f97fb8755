package workspace

import (
	"slices"

	"wf/workspace/activerun"
	"wf/workspace/nodestate"
)

// finishRuns ends the runs that the scheduler has ended: sweep the processes, save the workfile, record the end, then publish
// run_complete, which is always the last event of a run. If a crash interrupts this, the next daemon does the rest again.
func (w *Workspace) finishRuns() {
	for _, r := range append([]*activerun.Run(nil), w.runs...) {
		if r.EndReady() {
			w.conclude(r)
		}
	}
}

// conclude lets a helper write the end of a run to the history. Statuses that could not be put into the workfile are noted
// before, because later daemons do not read the journal of a run that is over.
func (w *Workspace) conclude(r *activerun.Run) {
	last, keepPrior := w.given(), w.keepPrior(r)
	w.file.Statuses().RunOver(r.Number)
	keepStatuses := w.file.Statuses().Keep()
	r.RecordEnd(func() (what string, err error) {
		if err = w.keepFolder(last); err == nil && keepPrior != nil {
			err = keepPrior()
		}
		if err != nil {
			return "what later runs need of it", err
		}
		return "the statuses of its nodes", keepStatuses()
	}, func() { w.complete(r) })
}

// complete forgets a run whose end is recorded.
func (w *Workspace) complete(r *activerun.Run) {
	w.drop(r)
	w.unmark()
	w.latest = new(r.Summary())
	r.Complete()
	w.startWaiting()
	w.pruneLater()
}

// addRun puts a run on the list of active runs.
func (w *Workspace) addRun(r *activerun.Run) {
	w.runs, w.nodes.Runs = append(w.runs, r), append(w.nodes.Runs, r.Run)
	w.note.needed.Store(true)
}

// drop takes a run off the list of active runs.
func (w *Workspace) drop(r *activerun.Run) {
	r.Leave()
	w.runs = slices.DeleteFunc(w.runs, func(x *activerun.Run) bool { return x == r })
	w.nodes.Runs = slices.DeleteFunc(w.nodes.Runs, func(x *nodestate.Run) bool { return x == r.Run })
}
