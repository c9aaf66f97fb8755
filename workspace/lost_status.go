package workspace

import (
	"wf/api"
	"wf/graph"
	"wf/workspace/runstate"
)

// settleStatuses decides about statuses that only the history explains, and about nodes that a run left
// running although no run executes them.
func (ns *nodeTable) settleStatuses(complete bool) {
	s := ns.file.Statuses()
	for _, n := range ns.file.Graph().Nodes() {
		fromFile := s.FromFile(n.ID)
		if fromFile && s.Unknown() && (ns.record(n) != nil || ns.last[n.ID].run != 0) {
			s.Know(n) // a run of an earlier version, which kept statuses in the workfile only
		}
		if s.Relearns() {
			ns.relearn(n)
		}
		if n.Status == graph.Running && !ns.covered(n) && complete {
			ns.lose(n, fromFile)
		}
	}
}

// relearn takes the status of a node from the history, where neither the state folder nor the file has it.
func (ns *nodeTable) relearn(n *graph.Node) {
	status := graph.Idle
	switch rec := ns.last[n.ID].rec; {
	case ns.covered(n):
		return
	case rec != nil && rec.Status == n.Status:
		return
	case rec != nil && ns.last[n.ID].run == rec.Run:
		status = rec.Status
	}
	ns.file.Statuses().Relearn(n, status)
}

// covered reports whether an active run covers a node, itself or by its instances.
func (ns *nodeTable) covered(n *graph.Node) bool {
	for _, r := range ns.runs {
		if _, in := r.Sched.Index(n.ID); in || r.Templates[n.ID] != nil {
			return true
		}
	}
	return false
}

// runOf returns the active run whose scope contains the node, or nil.
func (ns *nodeTable) runOf(n *graph.Node) *linkedRun {
	for _, r := range ns.runs {
		if _, in := r.Sched.Index(n.ID); in {
			return r
		}
	}
	return nil
}

// lose fails a node that has the status running although no run executes it: its run is lost, or, if the
// status came with the file, was never here.
func (ns *nodeTable) lose(n *graph.Node, fromFile bool) {
	m := ns.last[n.ID]
	message := "its run is gone"
	if fromFile {
		m.run, message = 0, "the workfile says that it runs, and no run of this machine does that"
	}
	rec := runstate.Execution{Run: m.run, Status: graph.Failed, Reason: api.ReasonLost, Message: message}
	if m.rec != nil && m.rec.Run == m.run {
		rec.Number, rec.StartedAt, rec.Command, rec.Out, rec.Err = m.rec.Number, m.rec.StartedAt, m.rec.Command, m.rec.Out, m.rec.Err
	}
	m.rec = &rec
	ns.last[n.ID] = m
	ns.file.Statuses().Fail(n)
}

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

// fromFile counts the nodes whose status came with the file.
func (ns *nodeTable) fromFile(nodes []*graph.Node) (count int) {
	for _, n := range nodes {
		if ns.file.Statuses().FromFile(n.ID) {
			count++
		}
	}
	return count
}
