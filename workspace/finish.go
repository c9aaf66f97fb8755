package workspace

import (
	"slices"

	"wf/workspace/activerun"
	"wf/workspace/nodestate"
)

// finishRuns ends the runs that the scheduler has ended: it sweeps the processes, saves the workfile, records the end, and
// then publishes run_complete, which is always the last event of a run. If a crash interrupts this, the next daemon repeats
// what is missing.
func (w *Workspace) finishRuns() {
	for _, r := range append([]*activerun.Run(nil), w.runs...) {
		if r.EndReady() {
			w.conclude(r)
		}
	}
}

// conclude writes the end of a run to the history on a helper. It first saves statuses that could not be written to the
// workfile, because later daemons do not read the journal of a run that is over.
func (w *Workspace) conclude(r *activerun.Run) {
	last, keepPrior := w.lastNumber(), w.priorFile.keepPrior(r)
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

// complete removes a run whose end is recorded.
func (w *Workspace) complete(r *activerun.Run) {
	w.drop(r)
	w.preparer.unmark()
	w.presence.latest = new(r.Summary())
	w.tell(News{Kind: RunEnded, Run: r.ID, Summary: w.presence.latest})
	r.Complete()
	w.preparer.secrets.End(r.Dir)
	w.queue.startWaiting()
	w.retention.pruneLater()
}

// addRun adds a run to the active runs.
func (w *Workspace) addRun(r *activerun.Run) {
	w.runs, w.nodes.Runs = append(w.runs, r), append(w.nodes.Runs, r.Run)
	w.preparer.note.needed.Store(true)
}

// drop removes a run from the active runs.
func (w *Workspace) drop(r *activerun.Run) {
	r.Leave()
	w.runs = slices.DeleteFunc(w.runs, func(x *activerun.Run) bool { return x == r })
	w.nodes.Runs = slices.DeleteFunc(w.nodes.Runs, func(x *nodestate.Run) bool { return x == r.Run })
}
