package workspace

import (
	"wf/api"
	"wf/graph"
	"wf/graphml"
	"wf/scheduler"
)

// What a run writes into the workfile is said by the graph attribute "results", else by the setting of
// the client's user, else by the file itself (docs/semantics.md, The workfile). The statuses of this machine live in the
// state folder whatever it says, see statuses.go.

// settleResults decides what is written, after the file was read or edited. A misspelt word counts as
// "none": somebody wanted to keep something out of the file. Runs are refused until it is right.
func (w *Workspace) settleResults() {
	text, _ := w.g.Attr(graph.AttrResults)
	word, meant := graph.ParseResults(text)
	switch {
	case meant != "":
		w.results = api.ResultsNone
	case word != "":
		w.results = word
	case w.setting != "":
		w.results = w.setting
	default:
		w.results = defaultResults(w.doc)
	}
}

// defaultResults is what holds where nobody says anything: files with the output keys of Python Workforce
// go on to get outputs.
func defaultResults(doc *graphml.Document) string {
	for _, name := range []string{"stdout", "stderr", "log"} {
		if doc.DeclaresNodeKey(name) {
			return api.ResultsFile
		}
	}
	return api.ResultsStatus
}

// SetResults takes over what the configuration of a client's user says; "" says nothing. It counts
// where the workfile does not decide.
func (w *Workspace) SetResults(word string) {
	if word, _ = graph.ParseResults(word); word == "" {
		return
	}
	w.send(call(func(w *Workspace) {
		if w.setting == word {
			return
		}
		before := w.results
		w.setting = word
		w.settleResults()
		w.resultsChanged(before)
	}))
}

// resultsChanged brings the statuses in line with what is believed by now.
func (w *Workspace) resultsChanged(before string) {
	if w.results == before {
		return
	}
	w.statusesStale = true
	for id := range w.foreign {
		if w.results == api.ResultsNone {
			if n := w.g.Node(id); n != nil {
				w.g.SetStatus(n, graph.Idle)
			}
			delete(w.foreign, id)
		}
	}
}

// resultsEdited takes results that nobody believes any more out of the file.
func (w *Workspace) resultsEdited(before string, origin []byte, res *api.EditResult) {
	if w.results == before {
		return
	}
	w.resultsChanged(before)
	if w.behind = true; w.results != api.ResultsNone {
		return
	}
	if w.file.changed++; w.doc.Bare(origin) {
		res.Notes = append(res.Notes, "the results of earlier runs are taken out of the file; wf status goes on to show those of this machine")
	}
}

// touch notes that the status of a node has changed: it is to be kept, and published where the file
// shows statuses.
func (w *Workspace) touch(n *graph.Node) {
	w.statusesStale = true
	delete(w.foreign, n.ID)
	if w.results != api.ResultsNone {
		w.file.touch(n)
	}
}

// touchOutput is touch for a node whose execution has ended.
func (w *Workspace) touchOutput(n *graph.Node) {
	w.touch(n)
	if w.results == api.ResultsFile {
		w.file.touchOutput(n)
	}
}

// touchEdge is touch for the mark of an edge.
func (w *Workspace) touchEdge(e *graph.Edge) {
	w.statusesStale = true
	if w.results != api.ResultsNone {
		w.file.touchEdge(e)
	}
}

// touchAll publishes every status that the file may not show, at the beginning of a run: the file was
// changed by others since, or lay elsewhere.
func (w *Workspace) touchAll() {
	if !w.behind || w.results == api.ResultsNone {
		return
	}
	w.behind = false
	for _, n := range w.g.Nodes() {
		if _, foreign := w.foreign[n.ID]; !foreign {
			w.file.touch(n)
		}
	}
	for _, e := range w.g.Edges() {
		w.file.touchEdge(e)
	}
}

// fromFile counts the nodes of a scope whose status came with the file.
func (w *Workspace) fromFile(scope scheduler.Scope) (count int) {
	if len(w.foreign) == 0 {
		return 0
	}
	for _, n := range scope.Nodes {
		if _, foreign := w.foreign[n.ID]; foreign {
			count++
		}
	}
	return count
}

// noteStatuses takes notice of statuses that an edit sets, and returns what of it belongs into the
// workfile, nil for nothing.
func (w *Workspace) noteStatuses(done graph.Op) graph.Op {
	ops := flat(done, nil)
	kept := make([]graph.Op, 0, len(ops))
	for _, op := range ops {
		if set, ok := op.(graph.SetNode); ok && set.Attr == "status" {
			if n := w.g.Node(set.ID); n != nil {
				w.know(n)
			}
			if w.statusEdited, w.statusesStale = true, true; w.results == api.ResultsNone {
				continue
			}
		}
		if add, ok := op.(graph.AddNode); ok && w.results == api.ResultsNone {
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
