package workfile

import (
	"context"
	"errors"
	"slices"

	"wf/api"
	"wf/graph"
)

// undoDepth bounds the number of edits that can be undone.
const undoDepth = 500

// edit is an entry of the undo list: all edits of one request.
type edit struct {
	undo, done graph.Op
	again      []redoOp
	text       string
	by         api.Author
	touched    []part
}

// redoOp returns the op of an edit for a graph that was read again. It returns an error if the edit no longer fits.
type redoOp func(*graph.Graph) (graph.Op, error)

// unsaved is an edit that is not on disk yet.
type unsaved struct {
	version uint64
	again   []redoOp
}

// editLog contains the edits that can be undone and redone, and those that are not on disk yet. The keys in the ops belong
// to the present document, so reading another document empties the lists. While note is set, the note contains the lists.
type editLog struct {
	f          *File
	undo, redo []edit
	pending    []unsaved
	note       *keptEdits
	lost       string // why the edits of an earlier opening cannot be undone; "" if they can
}

// idle reports whether there was no edit since the file was read.
func (l *editLog) idle() bool { return len(l.undo)+len(l.redo)+len(l.pending) == 0 }

// saved drops the edits that are on disk now.
func (l *editLog) saved(version uint64) {
	kept := l.pending[:0]
	for _, u := range l.pending {
		if u.version > version {
			kept = append(kept, u)
		}
	}
	l.pending = kept
}

// redoUnsaved applies the edits that are not on disk again, to the graph and document that were just read. It returns the
// number of edits that no longer fit.
func (l *editLog) redoUnsaved() (lost int) {
	pending := l.pending
	l.undo, l.redo, l.pending, l.note = nil, nil, nil, nil
	for _, u := range pending {
		for _, again := range u.again {
			op, err := again(l.f.g)
			if err == nil {
				if err = l.f.applyBoth(op); err == nil {
					l.reorder(op)
				}
			}
			if err != nil {
				lost++
				l.f.cfg.Log.Warn("an edit no longer fits the workfile", "workfile", l.f.cfg.Path, "err", err)
			}
		}
		l.f.disk.changed++
		l.pending = append(l.pending, unsaved{l.f.disk.changed, u.again})
	}
	return lost
}

// reorder gives the nodes and edges the order in which the file has them, if an op has moved some. The edits that can be undone
// and redone get the new keys.
func (l *editLog) reorder(done graph.Op) {
	if !slices.ContainsFunc(flat(done, nil), func(op graph.Op) bool {
		_, moves := op.(graph.MoveNode)
		return moves
	}) {
		return
	}
	keys := l.f.doc.Reorder()
	nodes, edges := make([]int, len(l.f.g.Nodes())), make([]int, len(l.f.g.Edges()))
	for i, n := range l.f.g.Nodes() {
		nodes[i] = keys.Node(n.Key)
	}
	for i, e := range l.f.g.Edges() {
		edges[i] = keys.Edge(e.Key)
	}
	if err := l.f.g.Rekey(nodes, edges, keys.NextNode, keys.NextEdge); err != nil {
		panic("internal error: graph and document disagree: " + err.Error())
	}
	for _, list := range [][]edit{l.undo, l.redo} {
		for i := range list {
			list[i].undo = graph.MapKeys(list[i].undo, keys.Node, keys.Edge)
		}
	}
	l.f.handles = nil
	l.f.cfg.Host.Relink()
}

// applyBoth applies an op to the graph and the document, or to neither.
func (f *File) applyBoth(op graph.Op) error {
	inverse, done, err := f.g.Apply(op)
	if err != nil {
		return err
	}
	if err := f.doc.Apply(done); err != nil {
		f.g.Apply(inverse)
		return err
	}
	f.handles = nil
	return nil
}

// commit adds an edit of the graph to the document and the undo list.
func (l *editLog) commit(e edit) {
	l.mirror(e.done, e.again)
	l.dropRedo(&e)
	l.undo = append(l.undo, e)
	if len(l.undo) > undoDepth {
		l.undo = l.undo[1:]
	}
	l.reorder(e.done)
	l.f.updated("edit", e.by, e.text)
}

// mirror applies an op of the graph to the document.
func (l *editLog) mirror(done graph.Op, again []redoOp) {
	l.f.statuses.settleResults()
	if done = l.f.statuses.editStatuses(done); done == nil {
		return
	}
	if err := l.f.doc.Apply(done); err != nil {
		panic("internal error: graph and document disagree: " + err.Error())
	}
	l.f.handles = nil
	l.f.disk.changed++
	l.pending = append(l.pending, unsaved{l.f.disk.changed, again})
	l.f.cfg.Host.Relink()
}

func (f *File) updated(op string, by api.Author, text string) {
	f.cfg.Host.Publish(api.Event{Type: api.GraphUpdated, Op: op, Client: by.Client, User: by.User, Structure: true, Message: text})
}

// Undo reverts the latest edit of a person.
func (f *File) Undo(ctx context.Context, by api.Author) (api.EditResult, error) {
	return f.edited(ctx, by, func() (api.EditResult, error) {
		return f.edits.turn(&f.edits.undo, &f.edits.redo, "undo", by)
	})
}

// Redo repeats the edit that a person has undone last.
func (f *File) Redo(ctx context.Context, by api.Author) (api.EditResult, error) {
	return f.edited(ctx, by, func() (api.EditResult, error) {
		return f.edits.turn(&f.edits.redo, &f.edits.undo, "redo", by)
	})
}

// turn removes the last entry of a person from one list, undoes it, and adds its inverse to the other list.
func (l *editLog) turn(from, to *[]edit, op string, by api.Author) (api.EditResult, error) {
	if err := l.f.cfg.Host.Refusal(); err != nil {
		return api.EditResult{}, err
	}
	n, err := own(*from, op, by.User)
	if err != nil {
		return api.EditResult{}, err
	}
	if n < 0 {
		why := "edits can be undone until another program changes the workfile"
		if len(*from) > 0 {
			why = "all that there is was done by " + (*from)[len(*from)-1].by.User
		} else if l.lost != "" {
			why = l.lost
		}
		return api.EditResult{}, &api.Error{Code: api.CodeInvalid, Message: "nothing to " + op, Why: why}
	}
	e := (*from)[n]
	again := portable(l.f.g, e.undo)
	inverse, done, err := l.f.g.Apply(e.undo)
	if err != nil {
		return api.EditResult{}, api.Invalid("%s: %s", op, err)
	}
	*from = slices.Delete(*from, n, n+1)
	*to = append(*to, edit{undo: inverse, done: done, text: e.text, by: by, touched: e.touched})
	l.mirror(done, again)
	l.reorder(done)
	l.f.updated(op, by, e.text)
	return api.EditResult{Text: e.text}, nil
}

// portable returns functions that rebuild op for another graph of the same workfile, where keys differ. It is called before
// op is applied to g.
func portable(g *graph.Graph, op graph.Op) []redoOp {
	switch op := op.(type) {
	case graph.Batch:
		var list []redoOp
		for _, o := range op.Ops {
			list = append(list, portable(g, o)...)
		}
		return list
	case graph.AddNode:
		op.Node.Key = graph.NewKey
		return []redoOp{same(op)}
	case graph.AddEdge:
		op.Key = graph.NewKey
		return []redoOp{same(op)}
	case graph.MoveNode:
		op.Keys, op.Step = nil, 0
		return []redoOp{same(op)}
	case graph.MoveEdge:
		return []redoOp{onEdge(g, op.Key, func(key int) graph.Op { o := op; o.Key = key; return o })}
	case graph.RemoveEdge:
		return []redoOp{onEdge(g, op.Key, func(key int) graph.Op { return graph.RemoveEdge{Key: key} })}
	case graph.SetEdge:
		return []redoOp{onEdge(g, op.Key, func(key int) graph.Op { o := op; o.Key = key; return o })}
	}
	return []redoOp{same(op)}
}

func same(op graph.Op) redoOp { return func(*graph.Graph) (graph.Op, error) { return op, nil } }

var errNoEdge = errors.New("the edge is gone")

// onEdge returns a function that finds an edge by its ends and applies make to its key.
func onEdge(g *graph.Graph, key int, make func(key int) graph.Op) redoOp {
	e := g.Edge(key)
	if e == nil { // an earlier op of the same batch created it, so its key is not known yet
		return func(*graph.Graph) (graph.Op, error) { return nil, errNoEdge }
	}
	src, dst := e.Source.ID, e.Target.ID
	at := nth(g.EdgesBetween(e.Source, e.Target), e)
	return func(g *graph.Graph) (graph.Op, error) {
		s, d := g.Node(src), g.Node(dst)
		if s == nil || d == nil {
			return nil, errNoEdge
		}
		if edges := g.EdgesBetween(s, d); at < len(edges) {
			return make(edges[at].Key), nil
		}
		return nil, errNoEdge
	}
}
