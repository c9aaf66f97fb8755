package graphml

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/graph"
)

// reopened keeps and saves the document, and restores document and graph from the saved file. It
// returns ops with the keys of the restored graph.
func reopened(t rapid.TB, d *Document, g *graph.Graph, ops []graph.Op) (*Document, *graph.Graph, []graph.Op) {
	nodes, edges := map[int]bool{}, map[int]bool{}
	for _, op := range ops {
		graph.Keys(op, func(key int) { nodes[key] = true }, func(key int) { edges[key] = true })
	}
	kept, numbers := d.Keep(nodes, edges)
	text, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	var again Kept
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	saved := joined(d)
	_, read, _, err := Parse(saved, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, n := range read.Nodes() {
		ids = append(ids, n.ID)
	}
	r, err := Resume(saved, again, ids, Limits{})
	if err != nil {
		t.Fatalf("%v of\n%s", err, saved)
	}
	node, edge := r.Next()
	if err := read.Rekey(r.Nodes, r.Edges, node, edge); err != nil {
		t.Fatal(err)
	}
	moved := make([]graph.Op, len(ops))
	for i, op := range ops {
		moved[i] = graph.MapKeys(op, func(key int) int { return r.NodeKey(numbers.Node(key)) }, func(key int) int { return r.EdgeKey(numbers.Edge(key)) })
	}
	if got, want := sortedLines(dump(read, true)), sortedLines(dump(g, true)); got != want {
		t.Fatalf("resumed, the graph is\n%s\nnot\n%s", got, want)
	}
	return r.Document, read, moved
}

// keptEdits makes random edits of a file and undoes some of them, while the document is sometimes kept
// and resumed. In the end it undoes all and compares the bytes.
func keptEdits(t *rapid.T, file []byte) {
	d, g, _, err := Parse(file, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var undo, redo []graph.Op
	apply := func(op graph.Op) (inverse graph.Op, err error) {
		inverse, done, err := g.Apply(op)
		if err == nil {
			if err := d.Apply(done); err != nil {
				t.Fatalf("%+v: %v", done, err)
			}
		}
		return inverse, err
	}
	turn := func(from, to *[]graph.Op) {
		if n := len(*from); n > 0 {
			inverse, err := apply((*from)[n-1])
			if err != nil {
				t.Fatal(err)
			}
			*from, *to = (*from)[:n-1], append(*to, inverse)
			all := reorder(t, d, g, append(slices.Clone(undo), redo...)) // as after every edit that moves something
			undo, redo = all[:len(undo):len(undo)], all[len(undo):]
		}
	}
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		switch rapid.IntRange(0, 9).Draw(t, "step") {
		case 0, 1:
			turn(&undo, &redo)
		case 2:
			turn(&redo, &undo)
		case 3, 4:
			var ops []graph.Op
			d, g, ops = reopened(t, d, g, append(slices.Clone(undo), redo...))
			undo, redo = ops[:len(undo):len(undo)], ops[len(undo):]
		default:
			op := randomOp(t, d, g)
			if add, ok := op.(graph.AddNode); ok && add.Parent != "" && !g.Node(add.Parent).Container {
				continue // no edit makes a command with a node inside
			}
			if set, ok := op.(graph.SetNode); ok && set.Remove && set.Attr == "label" && strings.HasPrefix(set.ID, "new") {
				continue // in a file with a default for commands an empty one is written, and read as a command
			}
			if inverse, err := apply(op); err == nil {
				undo, redo = append(undo, inverse), nil
			}
			if rapid.Bool().Draw(t, "reorder") {
				undo = reorder(t, d, g, undo)
				redo = nil
			}
		}
	}
	for len(undo) > 0 {
		turn(&undo, &redo)
	}
	if out := joined(d); d.dirty() || string(out) != string(file) {
		t.Fatalf("after undo, the file is\n%s\nnot\n%s", out, file)
	}
}

// TestUndoAfterResume checks for random files that undo restores the bytes, also after Resume.
func TestUndoAfterResume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { keptEdits(t, []byte(randomFile(t))) })
}

// TestUndoAfterResumeShared is TestUndoAfterResume for the files of other programs.
func TestUndoAfterResumeShared(t *testing.T) {
	readable(t, func(t *testing.T, _ string, data []byte) {
		if len(data) > 1<<16 {
			t.Skip("too large to be edited at random")
		}
		rapid.Check(t, func(t *rapid.T) { keptEdits(t, data) })
	})
}

// TestDefaultAfterResume checks that a default of the file, which a new element does not have until the
// file is read again, reaches the element then.
func TestDefaultAfterResume(t *testing.T) {
	d, g, _, err := Parse([]byte(`<graphml><key id="s" for="node" attr.name="status"><default>ran</default></key><graph/></graphml>`), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(op graph.Op) graph.Op {
		inverse, done, err := g.Apply(op)
		if err == nil {
			err = d.Apply(done)
		}
		if err != nil {
			t.Fatal(err)
		}
		return inverse
	}
	undo := []graph.Op{apply(graph.AddNode{Node: graph.NodeSpec{ID: "a", Key: graph.NewKey, HasLabel: true}})}
	d, g, undo = reopened(t, d, g, undo)
	undo = append(undo, apply(graph.SetNode{ID: "a", Attr: "status", Remove: true}))
	d, g, undo = reopened(t, d, g, undo)
	apply(undo[1])
	reopened(t, d, g, undo)
}
