package graph

import (
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Select returns the nodes of Picks.
func Select(g *Graph, table *HandleTable, exprs []string, state func(*Node) string) ([]*Node, error) {
	picks, err := Picks(g, table, exprs, state)
	if err != nil {
		return nil, err
	}
	nodes := make([]*Node, len(picks))
	for i, p := range picks {
		nodes[i] = p.Node
	}
	return nodes, nil
}

// shop returns a graph with all kinds of names: handles from commands, ids with special characters, names,
// groups, a container.
func shop(t *testing.T) *Graph {
	t.Helper()
	g, err := Build([]NodeSpec{
		{ID: "0aa1-1", Parent: -1, Name: "fetch", Label: "curl"},
		{ID: "0aa1-2", Parent: -1, Label: "align x", Group: "align"},
		{ID: "0bb2-3", Parent: -1, Label: "align y", Group: "align"},
		{ID: "a b,c", Parent: -1, Label: "sort", Status: "ran"},
		{ID: "sort*", Parent: -1, Label: "merge", Status: "fail"},
		{ID: "box", Parent: -1, Container: true, Name: "box"},
		{ID: "in/box", Parent: 5, Label: "plot", Status: "running"},
		{ID: "+odd+", Parent: -1, Label: "s:x", Status: "fail"},
	}, []EdgeSpec{
		{Source: 0, Target: 1}, {Source: 0, Target: 2}, {Source: 1, Target: 3}, {Source: 2, Target: 3, Type: "non-blocking"},
		{Source: 3, Target: 4}, {Source: 4, Target: 3, Type: "non-blocking"}, {Source: 4, Target: 6},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestFind(t *testing.T) {
	g := shop(t)
	table := Handles(g)
	for _, test := range []struct{ text, want string }{
		{"fetch", "0aa1-1"},
		{"align_x", "0aa1-2"},
		{"align_y", "0bb2-3"},
		{"id:0bb2-3", "0bb2-3"},
		{"id:a b,c", "a b,c"},
		{"a b,c", "a b,c"},
		{"sort*", "sort*"}, // the literal id wins over the glob
		{"0bb2", "0bb2-3"},
		{"align*", "0aa1-2 0bb2-3"},
		{"0aa1-[12]", "0aa1-1 0aa1-2"},
		{"*box", "box"}, // a handle; ids are matched only if no handle matches
		{"in?box", "in/box"},
		{"in*", "in/box"},
	} {
		if got, err := table.find(test.text); err != nil || ids(got) != test.want {
			t.Errorf("%q: %s %v, want %s", test.text, ids(got), err, test.want)
		}
	}
	for _, test := range []struct{ text, want string }{
		{"0aa1", `"0aa1" is the start of the ids of 2 nodes: 0aa1-1, 0aa1-2`},
		{"align", `"align" means 2 nodes: align_x, align_y`},
		{"id:align_x", `no node has the id "align_x"`},
		{"0bb", `no node "0bb"`}, // too short for a prefix
		{"aling", `no node "aling"`},
		{"x*", `no node matches "x*"`},
		{"", `no node ""`},
	} {
		if got, err := table.find(test.text); err == nil || err.Error() != test.want {
			t.Errorf("%q: %s %v, want error %s", test.text, ids(got), err, test.want)
		}
	}
}

func TestFindByName(t *testing.T) {
	g, err := Build([]NodeSpec{
		{ID: "a", Parent: -1, Name: " spaced"}, {ID: "b", Parent: -1, Name: " spaced"},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Handles(g).find(" spaced"); ids(got) != "a b" {
		t.Errorf("%s %v", ids(got), err)
	}
}

func TestSelect(t *testing.T) {
	g := shop(t)
	table := Handles(g)
	state := func(n *Node) string {
		if n.ID == "+odd+" {
			return "cancelled"
		}
		return stateOf[n.Status]
	}
	for _, test := range []struct{ exprs, want string }{
		{"fetch", "0aa1-1"},
		{"sort,fetch", "0aa1-1|a b,c"}, // in file order
		{"fetch align_x\tfetch,,", "0aa1-1|0aa1-2"},
		{"a b,c", "a b,c"},
		{"+a b,c", "0aa1-1|0aa1-2|0bb2-3|a b,c|sort*"}, // all nodes of a loop are upstream of each
		{"+align_x", "0aa1-1|0aa1-2"},
		{"merge+", "a b,c|sort*|in/box"},
		{"+align_y+", "0aa1-1|0bb2-3|a b,c|sort*|in/box"},
		{"align*+", "0aa1-2|0bb2-3|a b,c|sort*|in/box"},
		{"+odd+", "+odd+"}, // an id that looks like an operator
		{"s:failed", "sort*"},
		{"s:cancelled", "+odd+"},
		{"s:fail", "sort*|+odd+"}, // the word of the file
		{"s:ok", "a b,c"},
		{"s:ran", "a b,c"},
		{"s:queued", ""},
		{"s:failed+", "a b,c|sort*|in/box"},
		{"s_x", "+odd+"},
		{"g:align", "0aa1-2|0bb2-3"},
		{"g:al*", "0aa1-2|0bb2-3"},
		{"g:*", "0aa1-2|0bb2-3|in/box"},
		{"g:box", "in/box"},
		{"fetch;sort", "0aa1-1|a b,c"},
		{"", ""},
	} {
		got, err := Select(g, table, strings.Split(test.exprs, ";"), state)
		var list []string
		for _, n := range got {
			list = append(list, n.ID)
		}
		if err != nil || strings.Join(list, "|") != test.want {
			t.Errorf("%q: %q %v, want %q", test.exprs, list, err, test.want)
		}
	}
}

// TestPicks checks the part of the selector that each node is selected by.
func TestPicks(t *testing.T) {
	g := shop(t)
	for _, test := range []struct{ exprs, want string }{
		{"fetch", "fetch named by fetch"},
		{"+align_x", "fetch before align_x|align_x named by align_x"},
		{"al*+", "align_x named by al*|align_y named by al*|sort after al*|merge after al*|plot after al*"},
		{"align_x+;merge,s:running", "align_x named by align_x|sort after align_x|merge named by merge|plot named by s:running"},
	} {
		table := Handles(g)
		picks, err := Picks(g, table, strings.Split(test.exprs, ";"), nil)
		var list []string
		for _, p := range picks {
			list = append(list, table.Of(p.Node)+[...]string{Named: " named by ", Upstream: " before ", Downstream: " after "}[p.Way]+p.By)
		}
		if err != nil || strings.Join(list, "|") != test.want {
			t.Errorf("%q: %q %v, want %q", test.exprs, list, err, test.want)
		}
	}
}

func TestSelectErrors(t *testing.T) {
	g := shop(t)
	table := Handles(g)
	for _, test := range []struct {
		expr, want  string
		suggestions []string
	}{
		{"fetch,aling", `no node "aling"`, []string{"align_x", "align_y"}},
		{"ferch", `no node "ferch"`, []string{"fetch"}},
		{"alig", `no node "alig"`, []string{"align_x", "align_y"}},
		{"plotter", `no node "plotter"`, []string{"plot"}},
		{"etch2", `no node "etch2"`, []string{"fetch"}},
		{"qqqqqq", `no node "qqqqqq"`, nil},
		{"s:faled", `no state "faled" (there are idle, queued, running, ok, failed, cancelled, blocked, skipped, waiting, retrying)`, []string{"failed"}},
		{"s:", `no state "" (there are idle, queued, running, ok, failed, cancelled, blocked, skipped, waiting, retrying)`, nil},
		{"+", `"+" selects nothing: a name must follow`, nil},
		{"g:aling", `no group "aling"`, []string{"align"}},
		{"align", `"align" means 2 nodes: align_x, align_y`, []string{"align_x", "align_y"}},
		{"g:x*", `no group "x*"`, nil},
		{"g:", `"g:" selects nothing: a name must follow`, nil},
	} {
		got, err := Select(g, table, []string{test.expr}, nil)
		var se *SelectorError
		if got != nil || !errors.As(err, &se) || err.Error() != test.want || !slices.Equal(se.Suggestions, test.suggestions) {
			t.Errorf("%q: %s %v %q, want %s %q", test.expr, ids(got), err, se, test.want, test.suggestions)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"*", "a/b", true}, {"a*c", "abcbc", true}, {"a*c", "abcb", false},
		{"?", "ü", true}, {"?", "", false}, {"??", "ü", false},
		{"[a-c]x", "bx", true}, {"[a-c]x", "dx", false}, {"[^a-c]x", "dx", true}, {"[^a-c]x", "ax", false},
		{"[abc", "[abc", true}, {"[]", "[]", true}, {"a", "ab", false}, {"ab", "a", false},
		{"*a*b*", "xaybz", true}, {"*a*b*", "xbya", false}, {"", "", true}, {"", "a", false},
		{"*😀", "x😀😀", true},
	} {
		if got := globMatch(test.pattern, test.text); got != test.want {
			t.Errorf("%q matches %q: %v", test.pattern, test.text, got)
		}
	}
}

// TestGlobAsPathMatch compares with package path on patterns and texts without slashes and sets.
func TestGlobAsPathMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*?]{0,8}`).Draw(t, "pattern")
		text := rapid.StringMatching(`[ab]{0,8}`).Draw(t, "text")
		want, err := path.Match(pattern, text)
		if got := globMatch(pattern, text); err != nil || got != want {
			t.Fatalf("%q matches %q: %v, want %v %v", pattern, text, got, want, err)
		}
	})
}
