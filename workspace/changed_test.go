package workspace

import (
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
)

func TestResumeListsChanges(t *testing.T) {
	b := newTestbed(t, "a>b", "c")
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.play(v, s, map[string]int{"b": 1})
	again, s := b.run(api.RunRequest{})
	if len(again.Notes) > 0 {
		t.Errorf("nothing has changed: %q", again.Notes)
	}
	j := b.next(s)
	s.end(j.ID, executor.Exit{Code: 1})
	<-v.over
	for node, label := range map[string]string{"id-b": "echo mended", "id-a": "echo other"} {
		edit := api.EditRequest{Edits: []api.Edit{{Op: api.OpSet, Nodes: []string{node}, Key: "label", Value: label}}}
		if _, err := b.w.Edit(t.Context(), api.Author{Client: "c1"}, edit); err != nil {
			t.Fatal(err)
		}
	}
	changed, s := b.run(api.RunRequest{})
	want := []string{"changed since they ran: the commands of ", "changed after they succeeded, and kept: "}
	if len(changed.Notes) != 2 || !slices.EqualFunc(changed.Notes, want, strings.HasPrefix) {
		t.Errorf("%q", changed.Notes)
	}
	b.play(v, s, nil)
}
