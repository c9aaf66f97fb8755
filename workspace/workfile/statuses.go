package workfile

import (
	"slices"

	"wf/api"
	"wf/graph"
	"wf/workspace/history"
)

// Statuses are the statuses of nodes and the marks of edges, beyond the graph. They live in the state
// folder; the workfile shows them where it is allowed to. What this machine knows counts: a node that took
// part in a run here keeps its status, whatever the file says by now. Of the other nodes the file's
// statuses are believed, except with "none", and shown as "from the file".
type Statuses struct {
	f        *File
	results  string              // what is published in the workfile, see Results
	setting  string              // what the user's configuration says about that; "" = nothing
	own      map[string]struct{} // ids of nodes whose status is that of this machine, besides those that runs covered
	fromFile map[string]struct{} // ids of nodes whose status came with the file
	through  int                 // the newest run that is over
	behind   bool                // the workfile may not show all statuses

	stale         bool              // they have changed since they were kept
	found         bool              // the state folder had them when the workfile was opened
	otherWorkflow bool              // what it had is about another workflow, which lay at the same path
	edited        bool              // an edit or a reset has changed a status
	noted         bool              // what is kept says that the workfile lacks some of it
	snapshots     history.Snapshots // of the file
}

// FromFile reports whether the status of a node came with the file.
func (s *Statuses) FromFile(id string) bool {
	_, from := s.fromFile[id]
	return from
}

// CountFromFile counts the nodes whose status came with the file.
func (s *Statuses) CountFromFile() int { return len(s.fromFile) }

// known reports whether this machine knows the status of a node: a run covered it, or an edit set it.
func (s *Statuses) known(id string) bool {
	if s.FromFile(id) {
		return false // a resume may have kept it without executing it
	}
	_, own := s.own[id]
	return own || s.f.cfg.Host.Ran(id)
}

// Know notes that the status of a node is that of this machine.
func (s *Statuses) Know(n *graph.Node) {
	s.own[n.ID] = struct{}{}
	delete(s.fromFile, n.ID)
}

// Found reports whether the state folder had the statuses of this workflow when the file was opened.
func (s *Statuses) Found() bool { return s.found }

// Unknown reports whether the state folder had nothing about what lies at the path.
func (s *Statuses) Unknown() bool { return !s.found && !s.otherWorkflow }

// Relearns reports whether statuses have to be taken from the history: those of the file are not believed,
// and the state folder has none.
func (s *Statuses) Relearns() bool { return s.results == api.ResultsNone && s.Unknown() }

// Relearn gives a node the status that the history has of it.
func (s *Statuses) Relearn(n *graph.Node, status graph.Status) {
	delete(s.fromFile, n.ID)
	if n.Status != status {
		s.f.g.SetStatus(n, status)
		s.behind, s.stale = true, true
	}
}

// Fail gives a node that is not running the status failed; the file still shows it as running.
func (s *Statuses) Fail(n *graph.Node) {
	s.f.g.SetStatus(n, graph.Failed)
	s.behind = true
}

// Through is the newest run that is known to be over.
func (s *Statuses) Through() int { return s.through }

// RunOver notes that a run is over.
func (s *Statuses) RunOver(n int) { s.through = max(s.through, n) }

// Changed notes that the statuses differ from those that are kept.
func (s *Statuses) Changed() { s.stale = true }

// forgetAll drops what this machine knows: another workflow lies at the path now.
func (s *Statuses) forgetAll() {
	clear(s.own)
	s.f.cfg.Host.ForgetAll()
	s.stale = true
}

// Companion is what lies beside the frozen workfile of a run where that does not show the statuses that
// the run starts with. It is nil if the frozen workfile shows them.
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

// forget drops what is known of nodes that are reset.
func (s *Statuses) forget(nodes []*graph.Node) {
	s.stale, s.edited = true, true
	for _, n := range nodes {
		delete(s.own, n.ID)
		delete(s.fromFile, n.ID)
	}
}

// Own notes that the status of a node stays that of this machine although the run that covered it is
// removed from the history.
func (s *Statuses) Own(id string) { s.own[id] = struct{}{} }
