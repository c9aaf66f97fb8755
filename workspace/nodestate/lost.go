package nodestate

import (
	"wf/api"
	"wf/graph"
	"wf/workspace/runstate"
)

// SettleStatuses decides about statuses that only the history explains. complete means that Runs contains all active runs.
// Then it also fails nodes with the status running that no run executes.
func (ns *Table) SettleStatuses(complete bool) {
	s := ns.File.Statuses()
	for _, n := range ns.File.Graph().Nodes() {
		fromFile := s.FromFile(n.ID)
		if fromFile && s.Unknown() && (ns.Record(n) != nil || ns.Latest[n.ID].Run != 0) {
			s.Know(n) // a run of an earlier version, which kept statuses only in the workfile
		}
		if s.Relearns() {
			ns.relearn(n)
		}
		if n.Status == graph.Running && !ns.Covered(n) && complete {
			ns.MarkLost(n, fromFile)
		}
	}
}

// relearn takes the status of a node from the history, because neither the state folder nor the file contains it.
func (ns *Table) relearn(n *graph.Node) {
	status := graph.Idle
	switch rec := ns.Latest[n.ID].Execution; {
	case ns.Covered(n):
		return
	case rec != nil && rec.Status == n.Status:
		return
	case rec != nil && ns.Latest[n.ID].Run == rec.Run:
		status = rec.Status
	}
	ns.File.Statuses().Relearn(n, status)
}

// Covered reports whether an active run covers a node or instances of it.
func (ns *Table) Covered(n *graph.Node) bool {
	for _, r := range ns.Runs {
		if _, in := r.Sched.Index(n.ID); in || r.Templates[n.ID] != nil {
			return true
		}
	}
	return false
}

// RunOf returns the active run whose scope contains the node, or nil.
func (ns *Table) RunOf(n *graph.Node) *Run {
	for _, r := range ns.Runs {
		if _, in := r.Sched.Index(n.ID); in {
			return r
		}
	}
	return nil
}

// MarkLost fails a node that has the status running although no run executes it. Either its run is lost, or the status came
// with the file (fromFile) and the run was on another machine.
func (ns *Table) MarkLost(n *graph.Node, fromFile bool) {
	m := ns.Latest[n.ID]
	message := "its run is gone"
	if fromFile {
		m.Run, message = 0, "the workfile says that it runs, and no run of this machine does that"
	}
	rec := runstate.Execution{Run: m.Run, Status: graph.Failed, Reason: api.ReasonLost, Message: message}
	if m.Execution != nil && m.Execution.Run == m.Run {
		rec.Number, rec.StartedAt, rec.Command, rec.Out, rec.Err = m.Execution.Number, m.Execution.StartedAt, m.Execution.Command, m.Execution.Out, m.Execution.Err
	}
	m.Execution = &rec
	ns.Latest[n.ID] = m
	ns.File.Statuses().Fail(n)
}

// CountFromFile counts the nodes whose status came with the file.
func (ns *Table) CountFromFile(nodes []*graph.Node) (count int) {
	for _, n := range nodes {
		if ns.File.Statuses().FromFile(n.ID) {
			count++
		}
	}
	return count
}
