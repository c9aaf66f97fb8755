package workspace

import (
	"context"
	"testing"

	"wf/api"
)

// TestEditWhen: the condition of an edge that somebody else has changed is not overwritten, and an edge that
// is not there has none.
func TestEditWhen(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.open()
	edit := func(e api.Edit) error {
		e.Op = api.OpEdgeWhen
		_, err := b.w.Edit(context.Background(), api.Author{Client: "c"}, api.EditRequest{Edits: []api.Edit{e}})
		return err
	}
	none, failure := "", "failure"
	if err := edit(api.Edit{Source: "id-a", Target: "id-b", Value: "failure", Was: &none}); err != nil {
		t.Fatal(err)
	}
	if err := edit(api.Edit{Source: "id-a", Target: "id-b", Value: "done", Was: &none}); apiCode(err) != api.CodeConflict {
		t.Errorf("over the change of somebody else: %v", err)
	}
	if err := edit(api.Edit{Source: "id-a", Target: "id-b", Value: "done", Was: &failure}); err != nil {
		t.Error(err)
	}
	if err := edit(api.Edit{Source: "id-b", Target: "id-a", Value: "done"}); err == nil {
		t.Error("there is no such edge")
	}
	s, err := b.w.Status(context.Background(), true)
	if err != nil || s.Edges[0].When != "done" {
		t.Errorf("the edge is %+v, %v", s.Edges, err)
	}
	b.close(b.w)
}

// TestPathMatches: selectors of instances, one, all, or those of a page.
func TestPathMatches(t *testing.T) {
	for _, c := range []struct {
		selector, path string
		want           bool
	}{{"each[3]", "each[3]/t", true}, {"each[3]/t", "each[3]/t", true}, {"each[3]/t", "each[3]/u", false}, {"each[*]", "each[12]/t", true},
		{"each[*]/u", "each[12]/t", false}, {"each[10-19]", "each[10]/t", true}, {"each[10-19]", "each[19]/t", true}, {"each[10-19]", "each[20]/t", false},
		{"each[10-19]", "each[1]/t", false}, {"each[10-x]", "each[11]/t", false}, {"other[10-19]", "each[11]/t", false},
		{"a[1]/b[0-1]", "a[1]/b[1]/t", true}, {"a[1]/b[0-1]", "a[2]/b[1]/t", false}, {"each[3]/t", "each[3]", false}, {"each", "each[3]/t", false}} {
		if got := pathMatches(c.selector, c.path); got != c.want {
			t.Errorf("%s and %s: %v", c.selector, c.path, got)
		}
	}
}
