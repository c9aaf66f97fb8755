package workspace

// later reports whether a run that is over is newer than run n.
func (w *Workspace) later(n int) bool {
	numbers, err := w.store.Numbers()
	if err != nil {
		return false
	}
	for _, m := range numbers {
		if m <= n {
			return false
		}
		if w.store.Over(m) {
			return true
		}
	}
	return false
}
