package workfile

import (
	"wf/api"
	"wf/graph"
	"wf/graphml"
)

// The graph attribute "results" decides what a run writes into the workfile, otherwise the setting of the client's user,
// otherwise the file itself (docs/semantics.md, The workfile). The state folder contains the statuses of this machine in any
// case, see Statuses.

// settleResults decides what is written. It is called after the file was read or edited. A misspelled word counts as "none",
// because its author wanted to keep results out of the file. Runs are refused until the word is corrected.
func (s *Statuses) settleResults() {
	text, _ := s.f.g.Attr(graph.AttrResults)
	word, meant := graph.ParseResults(text)
	switch {
	case meant != "":
		s.results = api.ResultsNone
	case word != "":
		s.results = word
	case s.setting != "":
		s.results = s.setting
	default:
		s.results = defaultResults(s.f.doc)
	}
}

// defaultResults returns the value without an attribute and a setting. Files with the output keys of Python Workforce get
// outputs.
func defaultResults(doc *graphml.Document) string {
	for _, name := range []string{"stdout", "stderr", "log"} {
		if doc.DeclaresNodeKey(name) {
			return api.ResultsFile
		}
	}
	return api.ResultsStatus
}

// Results returns what runs write into the workfile: api.ResultsNone, ResultsStatus or ResultsFile.
func (s *Statuses) Results() string { return s.results }

// setResults sets the word of the user's configuration; "" means none. It applies if the workfile does not decide.
func (s *Statuses) setResults(word string) {
	if s.setting == word {
		return
	}
	before := s.results
	s.setting = word
	s.settleResults()
	s.resultsChanged(before)
}

// resultsChanged drops the statuses that came with the file if they do not count any more.
func (s *Statuses) resultsChanged(before string) {
	if s.results == before {
		return
	}
	s.stale = true
	if s.results != api.ResultsNone {
		return
	}
	for id := range s.fromFile {
		if n := s.f.g.Node(id); n != nil {
			s.f.g.SetStatus(n, graph.Idle)
		}
	}
	clear(s.fromFile)
}

// resultsEdited removes results from the file that do not count any more. origin is the file without results, or nil if it
// is not known.
func (s *Statuses) resultsEdited(before string, origin []byte, res *api.EditResult) {
	if s.results == before {
		return
	}
	s.resultsChanged(before)
	if s.behind = true; s.results != api.ResultsNone {
		return
	}
	if s.f.disk.changed++; s.f.doc.Bare(origin) {
		res.Notes = append(res.Notes, "the results of earlier runs are taken out of the file; wf status still shows those of this machine")
	}
}

// Touch notes that the status of a node has changed: it is saved in the state folder, and published if the file shows
// statuses.
func (s *Statuses) Touch(n *graph.Node) {
	s.stale = true
	delete(s.fromFile, n.ID)
	if s.results != api.ResultsNone {
		s.f.disk.touch(n, changedStatus)
	}
}

// TouchOutput is Touch for a node whose execution has ended.
func (s *Statuses) TouchOutput(n *graph.Node) {
	s.Touch(n)
	if s.results == api.ResultsFile {
		s.f.disk.touch(n, changedOutput)
	}
}

// TouchEdge is Touch for the mark of an edge.
func (s *Statuses) TouchEdge(e *graph.Edge) {
	s.stale = true
	if s.results != api.ResultsNone {
		s.f.disk.touchEdge(e)
	}
}

// TouchAll publishes all statuses that the file may not show. It is called at the start of a run, because other programs may
// have changed or moved the file.
func (s *Statuses) TouchAll() {
	if !s.behind || s.results == api.ResultsNone {
		return
	}
	s.behind = false
	for _, n := range s.f.g.Nodes() {
		if !s.FromFile(n.ID) {
			s.f.disk.touch(n, changedStatus)
		}
	}
	for _, e := range s.f.g.Edges() {
		s.f.disk.touchEdge(e)
	}
}

// editStatuses applies the statuses that an edit sets, and returns the part of the edit that belongs into the workfile, or
// nil.
func (s *Statuses) editStatuses(done graph.Op) graph.Op {
	ops := flat(done, nil)
	kept := make([]graph.Op, 0, len(ops))
	for _, op := range ops {
		if set, ok := op.(graph.SetNode); ok && set.Attr == "status" {
			if n := s.f.g.Node(set.ID); n != nil {
				s.Know(n)
			}
			if s.edited, s.stale = true, true; s.results == api.ResultsNone {
				continue
			}
		}
		if add, ok := op.(graph.AddNode); ok && s.results == api.ResultsNone {
			add.Node.Status, add.Node.HasStatus = "", false
			op = add
		}
		kept = append(kept, op)
	}
	if len(kept) == 0 && len(ops) > 0 {
		return nil
	}
	return graph.Batch{Ops: kept}
}
