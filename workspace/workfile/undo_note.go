package workfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"wf/api"
	"wf/executor/ownfile"
	"wf/graph"
	"wf/graphml"
	"wf/workspace/history"
	"wf/workspace/loop"
)

// Edits can be undone after the workfile was closed and opened again, which may happen between two commands of a shell. The
// file no longer contains the text that an edit replaced, so a note in the folder of the workspace stores it: the
// differences between the file and the edited document, and the ops for that document. The note becomes invalid when another
// program changes the file.

// keptEdits is the content of the note.
type keptEdits struct {
	File string       `json:"file"` // see identity.String
	Sum  string       `json:"sum"`  // SHA-256 of its bytes
	Doc  graphml.Kept `json:"document"`
	Undo []keptEdit   `json:"undo"`
	Redo []keptEdit   `json:"redo"`
}

// keptEdit is an edit in the note: the ops that undo or redo it. Their keys are the numbers of the kept
// document.
type keptEdit struct {
	Text    string   `json:"text"`
	Client  string   `json:"client"`
	User    string   `json:"user,omitempty"`
	Ops     []keptOp `json:"ops"`
	Touched []part   `json:"touched"`
}

// keptOp is an op: exactly one of its pointers is set.
type keptOp struct {
	AddNode    *graph.AddNode    `json:"add_node,omitempty"`
	RemoveNode *graph.RemoveNode `json:"remove_node,omitempty"`
	MoveNode   *graph.MoveNode   `json:"move_node,omitempty"`
	AddEdge    *graph.AddEdge    `json:"add_edge,omitempty"`
	RemoveEdge *graph.RemoveEdge `json:"remove_edge,omitempty"`
	MoveEdge   *graph.MoveEdge   `json:"move_edge,omitempty"`
	SetNode    *graph.SetNode    `json:"set_node,omitempty"`
	SetEdge    *graph.SetEdge    `json:"set_edge,omitempty"`
	SetGraph   *graph.SetGraph   `json:"set_graph,omitempty"`
}

func (l *editLog) path() string {
	return filepath.Join(l.f.cfg.Folder, "undo.json")
}

// oldPath returns the path of the note of versions before 2026-12. It contains ops without a document, which cannot restore
// every byte.
func (l *editLog) oldPath() string {
	return filepath.Join(l.f.cfg.Folder, "edits.json")
}

// keep writes the note, or removes it if nothing can be undone. It is called when the loop ends.
func (l *editLog) keep() {
	if n := l.note; n != nil {
		if l.f.disk.id.String() == n.File {
			return // there was no edit and no other change
		}
		r, err := n.resume(l.f.doc.Base(), nodeIDs(l.f.raw))
		l.takeUp(n, r, err)
	}
	var kept keptEdits
	if !l.f.disk.unwritten() {
		kept = l.kept()
	}
	if len(kept.Undo)+len(kept.Redo) == 0 {
		for _, path := range []string{l.path(), l.oldPath()} {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				l.f.cfg.Log.Warn("a note of edits cannot be removed", "err", err)
			}
		}
		return
	}
	data, err := json.Marshal(kept)
	if err == nil {
		err = history.ReplaceFile(l.f.cfg.Disk, l.path(), data)
	}
	if err != nil {
		l.f.cfg.Log.Warn("edits cannot be undone later", "workfile", l.f.cfg.Path, "err", err)
	}
}

// kept returns the note for the edits that can be undone and redone now.
func (l *editLog) kept() keptEdits {
	if len(l.undo)+len(l.redo) == 0 {
		return keptEdits{}
	}
	nodes, edges := map[int]bool{}, map[int]bool{}
	for _, list := range [][]edit{l.undo, l.redo} {
		for _, e := range list {
			graph.Keys(e.undo, func(key int) { nodes[key] = true }, func(key int) { edges[key] = true })
		}
	}
	doc, numbers := l.f.doc.Keep(nodes, edges)
	kept := keptEdits{File: l.f.disk.id.String(), Sum: sumOf(l.f.doc.Render()), Doc: doc}
	for _, list := range []struct {
		from []edit
		to   *[]keptEdit
	}{{l.undo, &kept.Undo}, {l.redo, &kept.Redo}} {
		for _, e := range list.from {
			k := keptEdit{Text: e.text, Client: e.by.Client, User: e.by.User, Touched: e.touched}
			for _, op := range flat(graph.MapKeys(e.undo, numbers.Node, numbers.Edge), nil) {
				k.Ops = append(k.Ops, keepOp(op))
			}
			*list.to = append(*list.to, k)
		}
	}
	return kept
}

func sumOf(pieces graphml.Pieces) string {
	h := sha256.New()
	pieces.WriteTo(h) // writing to a hash cannot fail
	return hex.EncodeToString(h.Sum(nil))
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

func keepOp(op graph.Op) keptOp {
	switch op := op.(type) {
	case graph.AddNode:
		return keptOp{AddNode: &op}
	case graph.RemoveNode:
		return keptOp{RemoveNode: &op}
	case graph.MoveNode:
		return keptOp{MoveNode: &op}
	case graph.AddEdge:
		return keptOp{AddEdge: &op}
	case graph.MoveEdge:
		return keptOp{MoveEdge: &op}
	case graph.RemoveEdge:
		return keptOp{RemoveEdge: &op}
	case graph.SetNode:
		return keptOp{SetNode: &op}
	case graph.SetEdge:
		return keptOp{SetEdge: &op}
	case graph.SetGraph:
		return keptOp{SetGraph: &op}
	}
	panic(fmt.Sprintf("internal error: an edit of type %T cannot be kept", op))
}

// op returns the op, or nil if the note has none.
func (k keptOp) op() graph.Op {
	switch {
	case k.AddNode != nil:
		return *k.AddNode
	case k.RemoveNode != nil:
		return *k.RemoveNode
	case k.MoveNode != nil:
		return *k.MoveNode
	case k.AddEdge != nil:
		return *k.AddEdge
	case k.MoveEdge != nil:
		return *k.MoveEdge
	case k.RemoveEdge != nil:
		return *k.RemoveEdge
	case k.SetNode != nil:
		return *k.SetNode
	case k.SetEdge != nil:
		return *k.SetEdge
	case k.SetGraph != nil:
		return *k.SetGraph
	}
	return nil
}

// restore reads the note. The document is rebuilt only before the next edit, see resume.
func (l *editLog) restore() {
	data, err := ownfile.Read(l.path(), MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(l.oldPath()); err == nil {
			l.lost = "the edits before were made with an earlier version of wf, which kept too little to give back every byte"
		}
		return
	}
	kept := &keptEdits{}
	if err == nil {
		err = json.Unmarshal(data, kept)
	}
	if err != nil {
		l.f.cfg.Log.Warn("a note of edits cannot be read", "path", l.path(), "err", err)
		l.lost = l.path() + " cannot be read: " + Plain(err)
		return
	}
	l.note = kept
}

// resume rebuilds the document of the note, so that the next edit, undo or redo follows the edits of an earlier opening. It
// parses on the goroutine of the caller.
func (l *editLog) resume(ctx context.Context) error {
	type state struct {
		note *keptEdits
		base []byte
		ids  []string
	}
	s, err := loop.Ask(ctx, l.f.cfg.Loop, func() (state, error) {
		if l.note == nil {
			return state{}, nil
		}
		return state{l.note, l.f.doc.Base(), nodeIDs(l.f.raw)}, nil
	})
	if err != nil || s.note == nil {
		return err
	}
	r, resumeErr := s.note.resume(s.base, s.ids)
	if resumeErr == nil && s.note.Doc.Bare {
		r.Bare(l.f.origin())
	}
	_, err = loop.Await(ctx, l.f.cfg.Loop, func(reply func(struct{}, error)) {
		if l.note == s.note {
			l.takeUp(s.note, r, resumeErr)
		}
		reply(struct{}{}, nil)
	})
	return err
}

func nodeIDs(g *graph.Graph) []string {
	ids := make([]string, len(g.Nodes()))
	for i, n := range g.Nodes() {
		ids[i] = n.ID
	}
	return ids
}

// errOthers means that the file is not the one that the note belongs to.
var errOthers = errors.New("another program has changed the workfile")

// resume rebuilds the document of the note.
func (n *keptEdits) resume(file []byte, ids []string) (*graphml.Resumed, error) {
	if sumOf(graphml.Pieces{file}) != n.Sum {
		return nil, errOthers
	}
	return graphml.Resume(file, n.Doc, ids, graphml.Limits{})
}

// takeUp installs the document of a note and its edits.
func (l *editLog) takeUp(n *keptEdits, r *graphml.Resumed, err error) {
	l.note = nil
	if err == errOthers {
		return
	}
	var undo, redo []edit
	if err == nil {
		undo, err = n.edits(n.Undo, r)
	}
	if err == nil {
		redo, err = n.edits(n.Redo, r)
	}
	if err == nil {
		err = r.TakeOver(l.f.doc, r.Edges)
	}
	if err == nil {
		node, edge := r.Next()
		collapse(l.f)
		err = l.f.g.Rekey(r.Nodes, r.Edges, node, edge)
		expand(l.f)
	}
	if err != nil {
		l.f.cfg.Log.Error("edits cannot be undone any more", "workfile", l.f.cfg.Path, "err", err)
		l.lost = l.path() + " does not fit the workfile: " + Plain(err)
		return
	}
	l.f.doc, l.undo, l.redo = r.Document, undo, redo
}

// edits returns the edits of a list of the note, with the keys of the document.
func (n *keptEdits) edits(kept []keptEdit, r *graphml.Resumed) ([]edit, error) {
	list := make([]edit, len(kept))
	for i, k := range kept {
		var ops []graph.Op
		for _, o := range k.Ops {
			op := o.op()
			if op == nil {
				return nil, errors.New("an edit without a meaning")
			}
			ops = append(ops, graph.MapKeys(op, r.NodeKey, r.EdgeKey))
		}
		list[i] = edit{undo: graph.Batch{Ops: ops}, text: k.Text, by: api.Author{Client: k.Client, User: k.User}, touched: k.Touched}
	}
	return list, nil
}
