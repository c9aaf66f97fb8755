package workfile

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
	"wf/graphml"
)

var ada, bob = api.Author{Client: "c1", User: "ada"}, api.Author{Client: "c2", User: "bob"}

// Two users edit and undo in turn. Each undo fits, and when both have undone everything the file has its first content
// again.
func TestUndoOwnProperty(t *testing.T) {
	nodes := []graphml.NewNode{{ID: "a", Label: "x"}, {ID: "b", Label: "y"}, {ID: "c", Label: "z"}, {ID: "d", Label: "z"}}
	edges := []graphml.NewEdge{{Source: "a", Target: "b"}, {Source: "a", Target: "b"}, {Source: "b", Target: "c"}, {Source: "c", Target: "c"}}
	base, err := graphml.CreateGraph(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		f := bareFile(t, base)
		before := f.contents()
		who := rapid.SampledFrom([]api.Author{ada, bob})
		for range rapid.IntRange(1, 14).Draw(t, "steps") {
			by := who.Draw(t, "who")
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				turnOwn(t, f, "undo", by)
			case 1:
				turnOwn(t, f, "redo", by)
			default:
				randomEdit(t, f, by)
			}
		}
		for stuck := 0; len(f.edits.undo) > 0; {
			by := f.edits.undo[len(f.edits.undo)-1].by // the last one can always be taken back
			if stuck == 0 {
				by = who.Draw(t, "who")
			}
			if turnOwn(t, f, "undo", by) {
				stuck = 0
			} else {
				stuck++
			}
			if stuck > 1 {
				t.Fatalf("%v cannot take back what came last", by)
			}
		}
		if got := f.contents(); got != before {
			t.Fatalf("after all undos:\n%s\nnot\n%s", got, before)
		}
	})
}

// turnOwn undoes or redoes an edit of a user. It returns false if there is none.
func turnOwn(t *rapid.T, f *File, op string, by api.Author) bool {
	from, to := &f.edits.undo, &f.edits.redo
	if op == "redo" {
		from, to = to, from
	}
	n, err := own(*from, op, by.User)
	_, turned := f.edits.turn(from, to, op, by)
	if (turned == nil) != (err == nil && n >= 0) {
		t.Fatalf("%s of %s: %v, although %d, %v", op, by.User, turned, n, err)
	}
	return turned == nil
}

// A user undoes only their own edits, and not those whose part of the file others have changed since. A user
// without a name undoes the latest edit.
func TestUndoOwnEdits(t *testing.T) {
	b := newBench(t, nil)
	set := func(by api.Author, key, value string) {
		t.Helper()
		if _, err := b.f.Edit(t.Context(), by, api.EditRequest{Edits: []api.Edit{{Op: api.OpSet, Nodes: []string{"a"}, Key: key, Value: value}}}); err != nil {
			t.Fatal(err)
		}
	}
	text := func(r api.EditResult, err error) string {
		var refused *api.Error
		if errors.As(err, &refused) {
			return refused.Message + ": " + refused.Why
		}
		return r.Text
	}
	set(ada, "label", "hers")
	set(bob, "note", "his")
	if got := text(b.f.Undo(t.Context(), ada)); got != "set label of a" {
		t.Errorf("ada undid: %s", got)
	}
	if got := text(b.f.Undo(t.Context(), ada)); got != "nothing to undo: all that there is was done by bob" {
		t.Errorf("ada undid more: %s", got)
	}
	if got := text(b.f.Redo(t.Context(), bob)); got != "nothing to redo: all that there is was done by ada" {
		t.Errorf("bob did again: %s", got)
	}
	if got := text(b.f.Redo(t.Context(), ada)); got != "set label of a" {
		t.Errorf("ada did again: %s", got)
	}
	set(bob, "label", "his")
	if got := text(b.f.Undo(t.Context(), ada)); got != `"set label of a" cannot be undone: bob did "set label of a" to the same since` {
		t.Errorf("over bob's edit ada undid: %s", got)
	}
	if got := text(b.f.Undo(t.Context(), api.Author{Client: "c3"})); got != "set label of a" {
		t.Errorf("somebody undid: %s", got)
	}
	b.close()
	b.open() // the note keeps whose edits they are
	if got := text(b.f.Undo(t.Context(), bob)); got != "set note of a" {
		t.Errorf("later, bob undid: %s", got)
	}
}

// TestRedoOfWhatIsGone removes an edge of a node that another person has added, takes back both, and adds another node instead:
// the removal cannot be done again.
func TestRedoOfWhatIsGone(t *testing.T) {
	b := newBench(t, nil)
	edit := func(by api.Author, e api.Edit) {
		t.Helper()
		if _, err := b.f.Edit(t.Context(), by, api.EditRequest{Edits: []api.Edit{e}}); err != nil {
			t.Fatal(err)
		}
	}
	undo := func(by api.Author) {
		t.Helper()
		if _, err := b.f.Undo(t.Context(), by); err != nil {
			t.Fatal(err)
		}
	}
	add := api.Edit{Op: api.OpAddNode, Label: "new", After: []string{"a"}}
	edit(ada, add)
	nodes := b.f.g.Nodes()
	edit(bob, api.Edit{Op: api.OpRemoveEdge, Source: "a", Target: nodes[len(nodes)-1].ID})
	undo(bob)
	undo(ada)
	edit(ada, add)
	_, err := b.f.Redo(t.Context(), bob)
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Message != "nothing to redo" {
		t.Errorf("error %v", err)
	}
}
