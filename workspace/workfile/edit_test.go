package workfile

import (
	"context"
	"strings"
	"testing"

	"wf/api"
)

func TestEditUndoIsByteExact(t *testing.T) {
	b := newBench(t, nil)
	before := b.read()
	edits := []api.Edit{
		{Op: api.OpSet, Nodes: []string{"a"}, Key: "label", Value: "echo <&> ]]>\nx"},
		{Op: api.OpAddNode, Label: "true", Name: "new", After: []string{"b"}},
		{Op: api.OpEdgeType, Source: "a", Target: "b", Type: "non-blocking"},
		{Op: api.OpRemoveNode, Nodes: []string{"c"}},
		{Op: api.OpSetGraph, Key: "wrapper", Value: "bash -c '{}'"},
		{Op: api.OpStatus, Nodes: []string{"b"}, Value: "ran"},
	}
	for _, e := range edits {
		if _, err := b.f.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{e}}); err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
	}
	if got := b.read(); !strings.Contains(got, ">new<") || strings.Contains(got, `<node id="c"`) {
		t.Errorf("the edits were answered before they were in the file:\n%s", got)
	}
	for range edits {
		if _, err := b.f.Undo(context.Background(), api.Author{Client: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.f.Undo(context.Background(), api.Author{Client: "c"}); apiCode(err) != api.CodeInvalid {
		t.Errorf("one undo too many: %v", err)
	}
	b.close()
	if got := b.read(); got != before {
		t.Errorf("after undo:\n%s\nwant:\n%s", got, before)
	}
}

func TestEditIsAllOrNothing(t *testing.T) {
	b := newBench(t, nil)
	before := b.read()
	_, err := b.f.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{
		{Op: api.OpSet, Nodes: []string{"a"}, Key: "label", Value: "other"},
		{Op: api.OpAddEdge, Source: "b", Target: "missing"},
	}})
	if apiCode(err) != api.CodeUnknownNode {
		t.Fatalf("edit: %v", err)
	}
	b.close()
	if got := b.read(); got != before {
		t.Errorf("half an edit was saved:\n%s", got)
	}
}

// An edit of a value that has changed since its author noticed it is refused.
func TestEditOfAChangedValueIsRefused(t *testing.T) {
	b := newBench(t, nil)
	edit := func(e api.Edit) error {
		_, err := b.f.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{e}})
		return err
	}
	for _, e := range []api.Edit{
		{Op: api.OpSet, Nodes: []string{"a"}, Key: "group", Value: "g"},
		{Op: api.OpSetGraph, Key: "wrapper", Value: "nice {}"},
	} {
		if err := edit(e); err != nil {
			t.Fatal(err)
		}
	}
	b.on(func() {
		if n := b.f.Graph().Node("a"); n.Group != "g" {
			t.Errorf("the group of a is %q", n.Group)
		}
	})
	stale, group, wrapper := "", "g", "nice {}"
	for _, x := range []struct{ op, key, is string }{
		{api.OpSet, "group", group}, {api.OpUnset, "group", group}, {api.OpSetGraph, "wrapper", wrapper}, {api.OpUnsetGraph, "wrapper", wrapper},
	} {
		e := api.Edit{Op: x.op, Key: x.key, Value: x.is, Was: &stale}
		if x.key == "group" {
			e.Nodes = []string{"a"}
		}
		if err := edit(e); apiCode(err) != api.CodeConflict {
			t.Errorf("%s %s over another one's edit: %v", x.op, x.key, err)
		}
		e.Was = &x.is
		if err := edit(e); err != nil {
			t.Errorf("%s %s: %v", x.op, x.key, err)
		}
		if x.op == api.OpUnset { // for the next rounds
			if err := edit(api.Edit{Op: api.OpSet, Nodes: []string{"a"}, Key: "group", Value: group}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
