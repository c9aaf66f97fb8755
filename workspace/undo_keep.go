package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"wf/api"
	"wf/graph"
	"wf/history"
	"wf/ownfile"
)

// Edits can be undone after the workfile was closed and opened again, which between two commands
// of a shell happens soon. What undoes them lies beside the history, for the file as it was left:
// once another program has changed it, it is void. The keys in ops belong to one reading of the
// file, so that nodes and edges are written down by what everybody knows of them.

// keptEdits is the content of the file.
type keptEdits struct {
	File string     `json:"file"` // see fileID.String
	Undo []keptEdit `json:"undo"`
	Redo []keptEdit `json:"redo"`
}

// keptEdit is an edit as the ops that turn it.
type keptEdit struct {
	Text   string   `json:"text"`
	Client string   `json:"client"`
	User   string   `json:"user,omitempty"`
	Ops    []keptOp `json:"ops"`
}

// keptOp is an op without keys: exactly one of its pointers is set. Edges that exist are found by
// their ends: the one with this number among those between the two.
type keptOp struct {
	AddNode    *graph.AddNode    `json:"add_node,omitempty"`
	RemoveNode *graph.RemoveNode `json:"remove_node,omitempty"`
	AddEdge    *graph.AddEdge    `json:"add_edge,omitempty"`
	RemoveEdge *graph.RemoveEdge `json:"remove_edge,omitempty"`
	SetNode    *graph.SetNode    `json:"set_node,omitempty"`
	SetEdge    *graph.SetEdge    `json:"set_edge,omitempty"`
	SetGraph   *graph.SetGraph   `json:"set_graph,omitempty"`

	Edge *markedEdge `json:"edge,omitempty"`
}

// String tells one state of the file from another, in words that can be kept.
func (id fileID) String() string {
	return fmt.Sprintf("%d:%d:%d:%d:%d", id.dev, id.ino, id.size, id.mtime.UnixNano(), id.ctime.UnixNano())
}

func (w *Workspace) editsPath() string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, "edits.json")
}

// keepEdits writes down what can be undone, or takes an older note away. It is for a workspace that
// ends: the graph is turned back on the way and is of no use afterwards.
func (w *Workspace) keepEdits() {
	kept := keptEdits{File: w.file.id.String()}
	if w.file.changed == w.file.written {
		kept.Redo = w.keepList(w.edits.redo)
		kept.Undo = w.keepList(w.edits.undo)
	}
	if len(kept.Undo)+len(kept.Redo) == 0 {
		if err := os.Remove(w.editsPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.cfg.Log.Warn("a note of edits cannot be removed", "err", err)
		}
		return
	}
	data, err := json.Marshal(kept)
	if err == nil {
		err = history.ReplaceFile(w.disk(), w.editsPath(), data)
	}
	if err != nil {
		w.cfg.Log.Warn("edits cannot be undone later", "workfile", w.path, "err", err)
	}
}

// keepList words the entries of a list. Each belongs to the graph as the later ones leave it, so
// they are made one after the other, and then taken back. One that no longer fits ends the list.
func (w *Workspace) keepList(list []edit) []keptEdit {
	kept := make([]keptEdit, len(list))
	var back []graph.Op
	for i := len(list) - 1; i >= 0; i-- {
		ops, inverses, err := w.keepEntry(list[i])
		back = append(back, inverses...)
		if err != nil {
			w.cfg.Log.Error("an edit could not be undone", "workfile", w.path, "edit", list[i].text, "err", err)
			kept = kept[i+1:]
			break
		}
		kept[i] = keptEdit{Text: list[i].text, Client: list[i].by.Client, User: list[i].by.User, Ops: ops}
	}
	for i := len(back) - 1; i >= 0; i-- {
		if _, _, err := w.g.Apply(back[i]); err != nil {
			panic("internal error: edits taken back: " + err.Error())
		}
	}
	return kept
}

// keepEntry words the ops of one entry while it makes them: each belongs to the graph as those
// before it leave it.
func (w *Workspace) keepEntry(e edit) (kept []keptOp, inverses []graph.Op, err error) {
	apply := func(k keptOp, op graph.Op) error {
		inverse, _, err := w.g.Apply(op)
		if err == nil {
			kept, inverses = append(kept, k), append(inverses, inverse)
		}
		return err
	}
	for _, k := range e.kept {
		op, err := k.op(w.g)
		if err == nil {
			err = apply(k, op)
		}
		if err != nil {
			return nil, inverses, err
		}
	}
	if e.kept != nil {
		return kept, inverses, nil
	}
	for _, op := range flat(e.undo, nil) {
		if err := apply(w.keepOp(op), op); err != nil {
			return nil, inverses, err
		}
	}
	return kept, inverses, nil
}

func flat(op graph.Op, to []graph.Op) []graph.Op {
	batch, ok := op.(graph.Batch)
	if !ok {
		return append(to, op)
	}
	for _, op := range batch.Ops {
		to = flat(op, to)
	}
	return to
}

// keepOp words an op that is about to be made.
func (w *Workspace) keepOp(op graph.Op) keptOp {
	edge := func(key int) *markedEdge {
		e := w.g.Edge(key)
		if e == nil {
			return nil
		}
		return &markedEdge{e.Source.ID, e.Target.ID, nth(w.g.EdgesBetween(e.Source, e.Target), e)}
	}
	switch op := op.(type) {
	case graph.AddNode:
		op.Node.Key = graph.NewKey
		return keptOp{AddNode: &op}
	case graph.RemoveNode:
		return keptOp{RemoveNode: &op}
	case graph.AddEdge:
		op.Key = graph.NewKey
		return keptOp{AddEdge: &op}
	case graph.RemoveEdge:
		return keptOp{RemoveEdge: &op, Edge: edge(op.Key)}
	case graph.SetNode:
		return keptOp{SetNode: &op}
	case graph.SetEdge:
		return keptOp{SetEdge: &op, Edge: edge(op.Key)}
	case graph.SetGraph:
		return keptOp{SetGraph: &op}
	}
	panic(fmt.Sprintf("internal error: an edit of type %T cannot be kept", op))
}

// op is the op for a graph; it fails when the edge that it is about is gone.
func (k keptOp) op(g *graph.Graph) (graph.Op, error) {
	switch {
	case k.AddNode != nil:
		return *k.AddNode, nil
	case k.RemoveNode != nil:
		return *k.RemoveNode, nil
	case k.AddEdge != nil:
		return *k.AddEdge, nil
	case k.SetNode != nil:
		return *k.SetNode, nil
	case k.SetGraph != nil:
		return *k.SetGraph, nil
	}
	if k.Edge == nil || g.Node(k.Edge.Source) == nil || g.Node(k.Edge.Target) == nil {
		return nil, errNoEdge
	}
	edges := g.EdgesBetween(g.Node(k.Edge.Source), g.Node(k.Edge.Target))
	if k.Edge.N < 0 || k.Edge.N >= len(edges) {
		return nil, errNoEdge
	}
	switch key := edges[k.Edge.N].Key; {
	case k.RemoveEdge != nil:
		return graph.RemoveEdge{Key: key}, nil
	case k.SetEdge != nil:
		op := *k.SetEdge
		op.Key = key
		return op, nil
	}
	return nil, errors.New("an edit without a meaning")
}

// recallEdits takes up what an earlier workspace kept, if the file is still the one that it left.
func (w *Workspace) recallEdits() {
	data, err := ownfile.Read(w.editsPath(), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return // as usual
	}
	var kept keptEdits
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil {
		w.cfg.Log.Warn("a note of edits cannot be read", "path", w.editsPath(), "err", err)
		w.edits.lost = w.editsPath() + " cannot be read: " + plain(err)
		return
	}
	if kept.File == w.file.id.String() {
		w.edits.load(kept)
	}
}

// load takes over what was kept.
func (l *editLog) load(kept keptEdits) {
	for _, list := range []struct {
		from []keptEdit
		to   *[]edit
	}{{kept.Undo, &l.undo}, {kept.Redo, &l.redo}} {
		for _, k := range list.from {
			*list.to = append(*list.to, edit{kept: k.Ops, text: k.Text, by: api.Author{Client: k.Client, User: k.User}, touched: keptTouches(k.Ops)})
		}
	}
}

// applyEntry makes the ops of an entry on the graph, all or none.
func (w *Workspace) applyEntry(e edit) (inverse, done graph.Op, again []redoOp, err error) {
	if e.kept == nil {
		again = portable(w.g, e.undo)
		inverse, done, err = w.g.Apply(e.undo)
		return inverse, done, again, err
	}
	b := editBuilder{w: w}
	for _, k := range e.kept {
		op, err := k.op(w.g)
		if err == nil {
			err = b.apply(op, "")
		}
		if err != nil {
			b.rollBack()
			w.handles = nil
			return nil, nil, nil, err
		}
	}
	entry := b.entry(api.Author{})
	return entry.undo, entry.done, b.again, nil
}
