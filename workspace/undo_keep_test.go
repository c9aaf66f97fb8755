package workspace

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
	"wf/graphml"
)

// bareWorkspace is a workspace without a loop and without files: a graph and a document to edit.
func bareWorkspace(t *rapid.T, text []byte) *Workspace {
	doc, g, _, err := graphml.Parse(text, graphml.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	w := &Workspace{g: g, doc: doc, last: map[string]memory{}}
	w.cfg.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	w.file.init()
	w.out.init()
	return w
}

// content is everything that a graph says, apart from the order, which a node that comes back after
// the file was read again may lose.
func (w *Workspace) content() string {
	var lines []string
	for _, n := range w.g.Nodes() {
		lines = append(lines, fmt.Sprintf("node %s %q %q %v", n.ID, n.Label, n.Name, n.Extra))
	}
	for _, e := range w.g.Edges() {
		lines = append(lines, fmt.Sprintf("edge %s %s %s", e.Source.ID, e.Target.ID, e.Type))
	}
	attrs := w.g.Attrs()
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		lines = append(lines, "graph "+name+"="+attrs[name])
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// randomEdit makes an edit, or a refused one, which changes nothing.
func randomEdit(t *rapid.T, w *Workspace, by api.Author) {
	nodes := w.g.Nodes()
	node := func(name string) string {
		if len(nodes) == 0 {
			return "nobody"
		}
		return nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, name)].ID
	}
	e := api.Edit{Op: rapid.SampledFrom([]string{api.OpAddNode, api.OpRemoveNode, api.OpAddEdge, api.OpRemoveEdge, api.OpEdgeType,
		api.OpSet, api.OpUnset, api.OpSetGraph}).Draw(t, "op")}
	switch e.Op {
	case api.OpAddNode:
		e.Label, e.After = "new", []string{node("after")}
	case api.OpRemoveNode:
		e.Nodes = []string{node("node")}
	case api.OpAddEdge, api.OpRemoveEdge, api.OpEdgeType:
		e.Source, e.Target = node("source"), node("target")
		if edges := w.g.Edges(); e.Op != api.OpAddEdge && len(edges) > 0 {
			edge := edges[rapid.IntRange(0, len(edges)-1).Draw(t, "edge")]
			e.Source, e.Target = edge.Source.ID, edge.Target.ID
		}
		e.Type = rapid.SampledFrom([]string{"blocking", "non-blocking"}).Draw(t, "type")
	case api.OpSet, api.OpUnset:
		e.Nodes, e.Key = []string{node("node")}, rapid.SampledFrom([]string{"label", "note"}).Draw(t, "key")
		e.Value = rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "value")
	default:
		e.Key, e.Value = "wrapper", rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "value")
	}
	w.edit(by, api.EditRequest{Edits: []api.Edit{e}})
}

// TestKeptEdits: whatever was edited and undone before a workfile was closed, undo and redo go the
// same ways after it was opened again, more than once.
func TestKeptEdits(t *testing.T) {
	nodes := []graphml.NewNode{{ID: "a", Label: "x"}, {ID: "b", Label: "y"}, {ID: "c", Label: "z"}}
	edges := []graphml.NewEdge{{Source: "a", Target: "b"}, {Source: "a", Target: "b"}, {Source: "b", Target: "c"}, {Source: "c", Target: "c"}}
	base, err := graphml.CreateGraph(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		w := bareWorkspace(t, base)
		states := []string{w.content()}
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			if randomEdit(t, w, api.Author{Client: "c"}); len(w.edits.undo) == len(states) {
				states = append(states, w.content())
			}
		}
		at := len(states) - 1
		for range rapid.IntRange(2, 6).Draw(t, "walks") {
			to := rapid.IntRange(0, len(states)-1).Draw(t, "to")
			for ; at > to; at-- {
				walk(t, w, "undo", states[at-1])
			}
			for ; at < to; at++ {
				walk(t, w, "redo", states[at+1])
			}
			kept := keptEdits{Redo: w.keepList(w.edits.redo), Undo: w.keepList(w.edits.undo)}
			if got := w.content(); got != states[at] {
				t.Fatalf("keeping the edits changed the graph:\n%s\nnot\n%s", got, states[at])
			}
			w = bareWorkspace(t, bytes.Join(w.doc.Render(), nil))
			w.edits.load(kept)
		}
	})
}

// walk undoes or redoes one edit.
func walk(t *rapid.T, w *Workspace, op, want string) {
	var err error
	if op == "undo" {
		_, err = w.turn(&w.edits.undo, &w.edits.redo, op, api.Author{Client: "c"})
	} else {
		_, err = w.turn(&w.edits.redo, &w.edits.undo, op, api.Author{Client: "c"})
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := w.content(); got != want {
		t.Fatalf("after %s:\n%s\nnot\n%s", op, got, want)
	}
}
