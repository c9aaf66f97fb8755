package scheduler

import (
	"errors"
	"slices"
	"testing"

	"wf/graph"
)

// nested is a container with two nodes, one of them in a container of its own, beside a lone one.
func nested(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := graph.Build([]graph.NodeSpec{
		{ID: "outer", Parent: -1, Container: true, Status: "fail"},
		{ID: "a", Parent: 0, Label: "a", Status: "fail"},
		{ID: "inner", Parent: 0, Container: true},
		{ID: "b", Parent: 2, Label: "b", Status: "ran"},
		{ID: "c", Parent: -1, Label: "c", Status: "running"},
		{ID: "d", Parent: -1, Label: "d"},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestChoose(t *testing.T) {
	scopes := map[string][]string{"a": {"a", "b", "gone"}, "c": {"c"}}
	last := func(id string) ([]string, bool) { ids, known := scopes[id]; return ids, known }
	for _, test := range []struct {
		name               string
		selected, excluded []string
		explicit           bool
		mode               Mode
		active             string // a node of a current run
		want               []string
		wantMode           Mode
		all                bool
	}{
		{name: "failed and left over", want: []string{"a", "b", "c"}, wantMode: Resume},
		{name: "a run is going on", active: "c", want: []string{"a", "b"}, wantMode: Resume},
		{name: "fresh", mode: Fresh, want: []string{"a", "b", "c", "d"}, wantMode: Fresh, all: true},
		{name: "container", selected: []string{"outer"}, explicit: true, want: []string{"a", "b"}, wantMode: Fresh},
		{name: "container excluded", excluded: []string{"outer"}, mode: Fresh, want: []string{"c", "d"}, wantMode: Fresh},
		{name: "failures excluded", excluded: []string{"outer", "c"}, want: []string{"d"}, wantMode: Fresh},
		{name: "excluded from a resume", excluded: []string{"b"}, want: []string{"a", "c"}, wantMode: Resume},
		{name: "resume of a selection", selected: []string{"inner", "c"}, explicit: true, mode: Resume, want: []string{"c"}, wantMode: Resume},
		{name: "nothing selected", explicit: true, wantMode: Fresh},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := nested(t)
			nodes := func(ids []string) (list []*graph.Node) {
				for _, id := range ids {
					list = append(list, g.Node(id))
				}
				return list
			}
			scope, err := Choose(g, Request{
				Selected: nodes(test.selected), Explicit: test.explicit, Excluded: nodes(test.excluded), Mode: test.mode,
				LastScope: last, Active: func(n *graph.Node) bool { return n.ID == test.active },
			})
			if err != nil || !slices.Equal(nodeIDs(scope.Nodes), test.want) || scope.Mode != test.wantMode || scope.All != test.all {
				t.Errorf("%v of %v, all %v, %v; want %v of %v, all %v",
					scope.Mode, nodeIDs(scope.Nodes), scope.All, err, test.wantMode, test.want, test.all)
			}
		})
	}
}

func TestResumeNeedsAFailure(t *testing.T) {
	g := nested(t)
	_, err := Choose(g, Request{Mode: Resume, Excluded: []*graph.Node{g.Node("outer"), g.Node("c")}})
	if !errors.Is(err, ErrNothingToResume) {
		t.Errorf("%v, want ErrNothingToResume", err)
	}
	// The container has failed too, but containers do not execute.
	scope, err := Choose(g, Request{Mode: Resume})
	if err != nil || !slices.Equal(nodeIDs(scope.Failed), []string{"a", "c"}) || !scope.All {
		t.Errorf("failed %v, all %v, %v", nodeIDs(scope.Failed), scope.All, err)
	}
}
