package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	g, err := Build([]NodeSpec{
		{ID: "a", Parent: -1, Label: "echo a", Name: "first"},
		{ID: "b", Parent: -1, Label: "printf '\x1b[0m'", Name: "first"},
		{ID: "c", Parent: -1, Name: "a", Status: "done"},
		{ID: "d", Parent: -1, Label: " <HTML>x", Name: "d"},
		{ID: "e", Parent: -1, HasLabel: true, Status: " ran "},
		{ID: "box", Parent: -1, Container: true},
		{ID: "f", Parent: 5, Label: "tabs\tand\r\nlines"},
		{ID: "h", Parent: -1, Label: "bad \xff byte"},
	}, []EdgeSpec{
		{Source: 0, Target: 1}, {Source: 1, Target: 0}, {Source: 0, Target: 5, Status: "ready"},
		{Source: 5, Target: 6, Type: "maybe"}, {Source: 0, Target: 3, Status: "soon"},
	}, map[string]string{"jobs": "many", "max_activations": "0", "wrapper": "{}"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`error bad-attribute -1 []: graph attribute jobs is "many", not a whole number from 0`,
		`error bad-attribute -1 []: graph attribute max_activations is "0", not a whole number from 1`,
		`error markup-label -1 [d]: the command of node d is HTML, the label of a drawing, not a command`,
		`error control-character -1 [h]: the command of node h contains a byte that is not UTF-8 (0xFF), which XML cannot represent; let the shell make it: printf '\377'`,
		`error cycle 0 [a b]: blocking cycle: first -> first~2 -> first; make one of its edges non-blocking if it is a loop`,
		`warning control-character -1 [b]: the command of node first~2 contains U+001B, which XML cannot represent; let the shell make it: printf '\033'`,
		`warning no-command -1 [c]: node a~2 has no command`,
		`warning unknown-status -1 [c]: node a~2 has the unknown status "done"; it counts as not run`,
		`warning name-is-id -1 [c a]: the name of node a is the id of another node`,
		`warning duplicate-name -1 [a b]: 2 nodes have the name "first"`,
		`warning unknown-edge-type 3 [box f]: edge box -> f: its type "maybe" is unknown; it counts as blocking`,
		`warning unknown-status 4 [a d]: edge first -> d: its status "soon" is unknown; it counts as empty`,
	}
	var got []string
	for _, p := range Check(g) {
		got = append(got, fmt.Sprintf("%v %s %d %v: %s", p.Severity, p.Code, p.Edge, p.Nodes, p.Message))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestNodesThatNeedNoCommand(t *testing.T) {
	g, err := Build([]NodeSpec{
		{ID: "a", Parent: -1, Extra: map[string]string{"approve": "Go?"}}, {ID: "b", Parent: -1, Extra: map[string]string{"wait": "5s"}},
		{ID: "c", Parent: -1, Inherited: []Attr{{"wait_until", "2030-01-01T00:00:00Z"}}}, {ID: "d", Parent: -1, Extra: map[string]string{"approve": " "}},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if problems := Check(g); len(problems) != 1 || problems[0].Nodes[0] != "d" {
		t.Errorf("problems %+v", problems)
	}
}

func TestCheckFindsNothing(t *testing.T) {
	g := mustBuild(t, "a->b", "b~>a", "c~>c")
	for _, attr := range []Attr{{"jobs", " 0 "}, {"max_activations", "1"}} {
		if _, _, err := g.Apply(SetGraph{Attr: attr.Name, Value: attr.Value}); err != nil {
			t.Fatal(err)
		}
	}
	if problems := Check(g); problems != nil {
		t.Errorf("problems %+v", problems)
	}
}

func TestWords(t *testing.T) {
	for _, s := range []Status{Idle, Queued, Running, Ran, Failed} {
		if got, known := ParseStatus(" " + s.String() + "\n"); got != s || !known {
			t.Errorf("status %q reads as %v %v", s, got, known)
		}
	}
	if s, known := ParseStatus("RAN"); s != Idle || known {
		t.Errorf("RAN reads as %v %v", s, known)
	}
	for _, test := range []struct {
		text  string
		want  EdgeType
		known bool
	}{
		{"", Blocking, true}, {" blocking", Blocking, true}, {"non-blocking", NonBlocking, true},
		{"non_blocking\n", NonBlocking, true}, {"nonblocking", Blocking, false},
	} {
		if got, known := ParseEdgeType(test.text); got != test.want || known != test.known {
			t.Errorf("edge type %q reads as %v %v", test.text, got, known)
		}
	}
	for _, test := range []struct {
		text  string
		mark  Mark
		known bool
	}{{"", Unmarked, true}, {"to_run ", ToRun, true}, {"ready", ToRun, true}, {"skip", Dead, true}, {"run", Unmarked, false}} {
		if mark, known := ParseMark(test.text); mark != test.mark || known != test.known {
			t.Errorf("mark %q reads as %v %v", test.text, mark, known)
		}
	}
	for _, name := range []string{"command", "stdout", "stderr", "pid", "error_code", "log"} {
		if !Captured(name) {
			t.Errorf("%s does not count as captured output", name)
		}
	}
	if Captured("label") || Captured("status") {
		t.Error("label or status count as captured output")
	}
}

func TestSubFlows(t *testing.T) {
	g, err := Build([]NodeSpec{
		{ID: "s", Parent: -1, Container: true, Extra: map[string]string{"foreach": "[1]"}},
		{ID: "g", Parent: 0, Container: true, Extra: map[string]string{"times": " ", "parallel": "2"}},
		{ID: "a", Parent: 1},
		{ID: "t", Parent: 1, Container: true, Inherited: []Attr{{"until", "true"}}},
		{ID: "b", Parent: 3},
		{ID: "c", Parent: -1, Extra: map[string]string{"foreach": "[1]"}},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range g.Nodes() {
		home := "none"
		if n.Home() != nil {
			home = n.Home().ID
		}
		got = append(got, fmt.Sprintf("%s %v in %s with %d", n.ID, n.SubFlow(), home, n.Children()))
	}
	if want := []string{"s true in none with 1", "g false in s with 2", "a false in s with 0", "t true in s with 1", "b false in t with 0", "c false in none with 0"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCheckDrawing checks that a graph without commands has one warning, with ids.
func TestCheckDrawing(t *testing.T) {
	var specs []NodeSpec
	for i := range 33 {
		specs = append(specs, NodeSpec{ID: fmt.Sprintf("n%d", i), Parent: -1})
	}
	g, err := Build(specs, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := Check(g); len(p) != 1 || p[0].Message != "33 nodes have no command: n0, n1, n2, ..." || len(p[0].Nodes) != 33 {
		t.Errorf("%+v", p)
	}
}

// TestCheckNames checks the warning about a name that contains selector syntax.
func TestCheckNames(t *testing.T) {
	g, err := Build([]NodeSpec{{ID: "n0", Parent: -1, Label: "x", Name: "s:failed"}, {ID: "n1", Parent: -1, Label: "x", Name: "a b"}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := Check(g); len(p) != 1 || p[0].Message != `the name "s:failed" of node s_failed contains "s:", which has another meaning in a selector` {
		t.Errorf("%+v", p)
	}
}
