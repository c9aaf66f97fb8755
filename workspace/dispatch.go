package workspace

// dispatch shares out the slots and hands over the jobs that they allow.
func (w *Workspace) dispatch() {
	for _, r := range w.runs {
		r.Look()
		r.Prepare()
		r.EnterPools()
	}
	w.shareOut()
	for _, r := range w.runs {
		r.HandOver()
	}
}

// shareOut acquires and returns slots. It serves the runs in turn, so that none of them starves.
func (w *Workspace) shareOut() {
	for _, r := range w.runs {
		r.GiveBack()
	}
	for progress := true; progress; {
		progress = false
		for _, r := range w.runs {
			if r.Acquire() {
				progress = true
			}
		}
	}
}
