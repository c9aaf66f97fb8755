package workspace

// The folder of a run may be removed or become read-only while the run is active. Running commands continue. A run ends even
// if there is no folder to record its end in, and a stop request gets an answer even if the end cannot be recorded yet.

// keepFolder makes the folder of the workspace again if it was removed. Run numbers up to last are taken. It is called on a
// helper.
func (w *Workspace) keepFolder(last int) error {
	made, err := w.store.Mend(last)
	if made {
		w.cfg.Log.Warn("the folder of a workspace was removed; it is made again", "workspace", w.id)
	}
	return err
}

// lastNumber returns the highest run number that is known to be in use.
func (w *Workspace) lastNumber() int {
	n := w.file.Statuses().Through()
	for _, r := range w.runs {
		n = max(n, r.Number)
	}
	return n
}
