package workspace

import (
	"strings"

	"wf/graph"
	"wf/workspace/history"
)

// later reports whether the history contains a run that is over and newer than run n.
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

// restoreHistory restores the state of earlier runs from the history, newest first, and calls unfinished for those that are not over. It
// stops when the history explains the status of every node.
func (w *Workspace) restoreHistory(unfinished func(n int)) {
	numbers, err := w.store.Numbers()
	if err != nil {
		w.cfg.Log.Error("the history cannot be read", "workspace", w.id, "err", err)
		return
	}
	unexplained := 0
	for _, n := range w.file.Graph().Nodes() {
		if w.file.Statuses().FromFile(n.ID) && w.file.Statuses().Found() {
			continue // no run of this machine explains its status
		}
		if (n.Status != graph.Idle || w.file.Statuses().Relearns()) && (n.Parent == nil || n.Home() == nil) { // the nodes of a sub-flow are executed as instances
			unexplained++
		}
	}
	for path, p := range w.nodes.Prior {
		if strings.Contains(path, "]/") && p.Executed() {
			unexplained++
		}
	}
	for i, n := range numbers {
		if !w.store.Over(n) { // keeps opening a workfile fast, which happens with every command
			unfinished(n)
			continue
		}
		w.file.Statuses().RunOver(n)
		if w.presence.latest == nil {
			w.presence.latest = w.Reader.Summary(n)
			if latest := w.presence.latest; latest != nil && strings.HasPrefix(latest.Cause, history.RefusedCause) {
				unexplained = max(unexplained, 1) // wf why tells the reason of before_run, although no node has a status from it
			}
		}
		if unexplained > 0 && i < restoredRuns {
			unexplained -= w.nodes.RestoreRun(w.store, n)
		}
	}
}

// restoredRuns bounds how many runs are read when a workspace opens.
const restoredRuns = 50
