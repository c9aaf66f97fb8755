package workspace

import (
	"errors"
	"testing"

	"wf/api"
)

var ada, bob = api.Author{Client: "c1", User: "ada"}, api.Author{Client: "c2", User: "bob"}

// TestUndoOwn: who undoes takes back their own edits and nobody else's, and is refused where others have
// changed the same since. One without a name undoes what came last.
func TestUndoOwn(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.open()
	set := func(by api.Author, key, value string) {
		t.Helper()
		if _, err := b.w.Edit(t.Context(), by, api.EditRequest{Edits: []api.Edit{{Op: api.OpSet, Nodes: []string{"id-a"}, Key: key, Value: value}}}); err != nil {
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
	if got := text(b.w.Undo(t.Context(), ada)); got != "set label of id-a" {
		t.Errorf("ada undid: %s", got)
	}
	if got := text(b.w.Undo(t.Context(), ada)); got != "nothing to undo: all that there is was done by bob" {
		t.Errorf("ada undid more: %s", got)
	}
	if got := text(b.w.Redo(t.Context(), bob)); got != "nothing to redo: all that there is was done by ada" {
		t.Errorf("bob did again: %s", got)
	}
	if got := text(b.w.Redo(t.Context(), ada)); got != "set label of id-a" {
		t.Errorf("ada did again: %s", got)
	}
	set(bob, "label", "his")
	if got := text(b.w.Undo(t.Context(), ada)); got != `"set label of id-a" cannot be undone: bob did "set label of id-a" to the same since` {
		t.Errorf("over bob's edit ada undid: %s", got)
	}
	if got := text(b.w.Undo(t.Context(), api.Author{Client: "c3"})); got != "set label of id-a" {
		t.Errorf("somebody undid: %s", got)
	}
	b.close(b.w)
	b.open() // whose edits they are outlives the workspace
	if got := text(b.w.Undo(t.Context(), bob)); got != "set note of id-a" {
		t.Errorf("later, bob undid: %s", got)
	}
	b.close(b.w)
}
