package workspace

import (
	"strings"

	"wf/graph"
)

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

// recall brings back what is known of past runs and hands over to takeUp those that are not over.
// Newer runs know better; it stops when every node with a status is explained.
func (w *Workspace) recall(takeUp func(n int)) {
	numbers, err := w.store.Numbers()
	if err != nil {
		w.cfg.Log.Error("the history cannot be read", "workspace", w.id, "err", err)
		return
	}
	unexplained := 0
	for _, n := range w.file.Graph().Nodes() {
		if w.file.Statuses().FromFile(n.ID) && w.file.Statuses().Found() {
			continue // no run of this machine explains it
		}
		if (n.Status != graph.Idle || w.file.Statuses().Relearns()) && (n.Parent == nil || n.Home() == nil) { // in a sub-flow its instances are executed
			unexplained++
		}
	}
	for path, p := range w.nodes.Prior {
		if strings.Contains(path, "]/") && p.Executed() {
			unexplained++
		}
	}
	for i, n := range numbers {
		if !w.store.Over(n) { // of many runs only this is asked: a workfile opens with every command
			takeUp(n)
			continue
		}
		w.file.Statuses().RunOver(n)
		if w.latest == nil {
			w.latest = w.Reader.Summary(n)
		}
		if unexplained > 0 && i < recallRuns {
			unexplained -= w.nodes.RecallRun(w.store, n)
		}
	}
}

// recallRuns bounds how far back a workspace looks when it opens.
const recallRuns = 50
