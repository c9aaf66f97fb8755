package workfile

import (
	"slices"

	"wf/api"
	"wf/graph"
	"wf/workspace/history"
)

// Statuses contains the statuses of nodes and the marks of edges, beyond those of the graph. They are stored in the state
// folder; the workfile shows them where that is allowed. The statuses of this machine take precedence: a node that took part
// in a run here keeps its status, whatever the file contains. For other nodes the statuses in the file apply and are shown
// as "from the file", except with results "none".
type Statuses struct {
	f        *File
	results  string              // what is published in the workfile, see Results
	setting  string              // the value in the user's configuration; "" if there is none
	own      map[string]struct{} // ids of nodes whose status is of this machine although no run covered them
	fromFile map[string]struct{} // ids of nodes whose status came with the file
	through  int                 // the newest run that is over
	behind   bool                // the workfile may not show all statuses

	stale         bool              // they have changed since they were saved
	found         bool              // the state folder contained them when the workfile was opened
	otherWorkflow bool              // the state folder contained those of another workflow at the same path
	edited        bool              // an edit or a reset has changed a status
	noted         bool              // the saved statuses say that the workfile lacks some of them
	snapshots     history.Snapshots // of the file
}

// FromFile reports whether the status of a node came with the file.
func (s *Statuses) FromFile(id string) bool {
	_, from := s.fromFile[id]
	return from
}

// CountFromFile counts the nodes whose status came with the file.
func (s *Statuses) CountFromFile() int { return len(s.fromFile) }

// known reports whether this machine knows the status of a node, because a run covered it or an edit set it.
func (s *Statuses) known(id string) bool {
	if s.FromFile(id) {
		return false // a resume may have kept it without executing it
	}
	_, own := s.own[id]
	return own || s.f.cfg.Host.Ran(id)
}

// Know notes that the status of a node is of this machine.
func (s *Statuses) Know(n *graph.Node) {
	s.own[n.ID] = struct{}{}
	delete(s.fromFile, n.ID)
}

// Found reports whether the state folder had the statuses of this workflow when the file was opened.
func (s *Statuses) Found() bool { return s.found }

// Unknown reports whether the state folder contained nothing about the path.
func (s *Statuses) Unknown() bool { return !s.found && !s.otherWorkflow }

// Relearns reports whether statuses have to be taken from the history, because those of the file do not count and the state
// folder has none.
func (s *Statuses) Relearns() bool { return s.results == api.ResultsNone && s.Unknown() }

// Relearn gives a node its status from the history.
func (s *Statuses) Relearn(n *graph.Node, status graph.Status) {
	delete(s.fromFile, n.ID)
	if n.Status != status {
		s.f.g.SetStatus(n, status)
		s.behind, s.stale = true, true
	}
}

// Fail gives a node the status failed if the file shows it as running although it is not.
func (s *Statuses) Fail(n *graph.Node) {
	s.f.g.SetStatus(n, graph.Failed)
	s.behind = true
}

// Through returns the newest run that is known to be over.
func (s *Statuses) Through() int { return s.through }

// RunOver notes that a run is over.
func (s *Statuses) RunOver(n int) { s.through = max(s.through, n) }

// Changed notes that the statuses differ from the saved ones.
func (s *Statuses) Changed() { s.stale = true }

// forgetAll drops all statuses of this machine, because another workflow is at the path now.
func (s *Statuses) forgetAll() {
	clear(s.own)
	s.f.cfg.Host.ForgetAll()
	s.stale = true
}

// Companion returns the statuses to store next to the frozen workfile of a run, or nil if the frozen workfile shows them.
func (s *Statuses) Companion() any {
	if s.results != api.ResultsNone || !s.behind && !anyStatus(s.f.g) {
		return nil
	}
	return s.kept()
}

// anyStatus reports whether any node or edge has a status.
func anyStatus(g *graph.Graph) bool {
	return slices.ContainsFunc(g.Nodes(), func(n *graph.Node) bool { return n.Status != graph.Idle }) ||
		slices.ContainsFunc(g.Edges(), func(e *graph.Edge) bool { return e.Mark != graph.Unmarked })
}

// forget drops the statuses of nodes that are reset.
func (s *Statuses) forget(nodes []*graph.Node) {
	s.stale, s.edited = true, true
	for _, n := range nodes {
		delete(s.own, n.ID)
		delete(s.fromFile, n.ID)
	}
}

// Own notes that the status of a node remains that of this machine although the run that covered it is removed from the
// history.
func (s *Statuses) Own(id string) { s.own[id] = struct{}{} }
