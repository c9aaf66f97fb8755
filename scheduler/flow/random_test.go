package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/graph"
	"wf/scheduler/expression"
)

// words are values of attributes; each is valid for some of them.
var words = []string{"", " ", "1", "0", "-1", "3", "any", "all", "30s", "0s", "x", "queue", "exit:2", "exit:1-9,timeout", "gpu:1", "A=1\nB=${{ params.p }}", "A=${{ nodes.n1.outputs.x }}",
	"${{ item }}", "${{ parent.index }}", "${{ [1, 2] }}", "${{ 1 +", "[1, 2]", "[", "lines:ls", "true", "iteration < 3", "nodes.n2.status == \"ran\"", "failure", "success", "done", "else", "case:a", "if:true", "if:nodes.n0.outputs.x == 1",
	"continue", "80%", "cancel", "'; rm -rf ~ #$(x)", "\x00", "ä"}

var edgeTypes = []string{"", "", "non-blocking"}

// anyGraph generates graphs with containers and attributes of all kinds.
func anyGraph(t *rapid.T) *graph.Graph {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range attributes {
			if !yield(name) {
				return
			}
		}
	})
	nodes := make([]graph.NodeSpec, rapid.IntRange(1, 12).Draw(t, "nodes"))
	containers := []int{-1}
	for i := range nodes {
		n := &nodes[i]
		n.ID, n.Label, n.Parent = fmt.Sprintf("n%d", i), "true", rapid.SampledFrom(containers).Draw(t, "parent")
		n.Name = rapid.SampledFrom([]string{"", "", "a", "b", "trim", "n3"}).Draw(t, "name")
		if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			n.Container, n.Label = true, ""
			containers = append(containers, i)
		}
		for range rapid.IntRange(0, 2).Draw(t, "attributes") {
			if n.Extra == nil {
				n.Extra = map[string]string{}
			}
			n.Extra[rapid.SampledFrom(names).Draw(t, "attribute")] = rapid.SampledFrom(words).Draw(t, "value")
		}
	}
	edges := make([]graph.EdgeSpec, rapid.IntRange(0, 15).Draw(t, "edges"))
	for i := range edges {
		e := &edges[i]
		e.Source, e.Target = rapid.IntRange(0, len(nodes)-1).Draw(t, "source"), rapid.IntRange(0, len(nodes)-1).Draw(t, "target")
		e.Type = rapid.SampledFrom(edgeTypes).Draw(t, "type")
		if rapid.IntRange(0, 3).Draw(t, "conditional") == 0 {
			e.Extra = map[string]string{"when": rapid.SampledFrom(words).Draw(t, "when")}
		}
	}
	g, err := graph.Build(nodes, edges, map[string]string{"params": `{"p": {}}`})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestReadNeverFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		f, problems := Read(g)
		wrong, warned := false, false
		for _, p := range problems {
			if p.Message == "" || p.Code == "" || strings.ContainsAny(p.Message, "\n\r") {
				t.Fatalf("%+v", p)
			}
			if p.Severity == graph.Error && warned {
				t.Fatal("an error behind a warning")
			}
			wrong, warned = wrong || p.Severity == graph.Error, warned || p.Severity == graph.Warning
			for _, id := range p.Nodes {
				if g.Node(id) == nil {
					t.Fatalf("%+v names a node that is none", p)
				}
			}
		}
		for _, n := range g.Nodes() {
			checkRules(t, f, n, wrong)
			checkNames(t, f, n)
		}
		for _, e := range g.Edges() {
			for _, side := range f.expanded(e) {
				for _, n := range side {
					if isGroup(n) {
						t.Fatalf("edge %s -> %s means the group %s", e.Source.ID, e.Target.ID, n.ID)
					}
				}
			}
		}
	})
}

// expanded contains both results of Expand.
func (f *Flow) expanded(e *graph.Edge) [2][]*graph.Node {
	sources, targets := f.Expand(e)
	return [2][]*graph.Node{sources, targets}
}

// checkRules checks what the scheduler relies on if there is no error.
func checkRules(t *rapid.T, f *Flow, n *graph.Node, wrong bool) {
	r := f.Node(n)
	if r == nil {
		if n.SubFlow() {
			t.Fatalf("sub-flow %s has no rules", n.ID)
		}
		return
	}
	if (r.Sub != nil) != n.SubFlow() || isGroup(n) {
		t.Fatalf("node %s: sub %v, container %v", n.ID, r.Sub, n.Container)
	}
	if wrong || r.Sub == nil {
		return
	}
	s := r.Sub
	sources := 0
	for _, given := range []bool{s.List != nil, s.Command != "", s.Items != nil, s.Times != nil, s.Test != nil} {
		if given {
			sources++
		}
	}
	if sources != 1 || s.MaxIterations < 1 || s.Parallel < 0 {
		t.Fatalf("node %s: %+v", n.ID, s)
	}
}

// checkNames checks that a node is found by its name wherever it is visible.
func checkNames(t *rapid.T, f *Flow, n *graph.Node) {
	if isGroup(n) {
		return
	}
	if found := f.FindIn(n.Home(), f.LocalName(n)); found != n {
		t.Fatalf("%s is called %s and is not found", n.ID, f.LocalName(n))
	}
	if found := f.Find(n, n.ID); found == nil {
		t.Fatalf("%s is not found by its id", n.ID)
	}
}

// TestPlainGraphsHaveNoProblems reads graphs without attributes of control flow.
func TestPlainGraphsHaveNoProblems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := make([]graph.NodeSpec, rapid.IntRange(1, 10).Draw(t, "nodes"))
		for i := range nodes {
			nodes[i] = graph.NodeSpec{ID: fmt.Sprintf("n%d", i), Label: rapid.SampledFrom([]string{"", "true", "echo ${x} $((1)) {{ y }}"}).Draw(t, "label"), Parent: -1,
				Extra: map[string]string{rapid.SampledFrom([]string{"colour", "idempotent", "uid", "weight", "Label"}).Draw(t, "attribute"): "1", "retries": " "}}
		}
		var edges []graph.EdgeSpec
		for range rapid.IntRange(0, 10).Draw(t, "edges") {
			edges = append(edges, graph.EdgeSpec{Source: rapid.IntRange(0, len(nodes)-1).Draw(t, "source"), Target: rapid.IntRange(0, len(nodes)-1).Draw(t, "target"),
				Extra: map[string]string{"weight": "2", "when": " "}})
		}
		g, err := graph.Build(nodes, edges, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f, problems := Read(g); problems != nil || !f.Plain() {
			t.Fatalf("%v, plain %v", problems, f.Plain())
		}
	})
}

// TestEndsOfGroups compares the ends of groups of acyclic graphs with their definition.
func TestEndsOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := []graph.NodeSpec{{ID: "outside", Parent: -1}}
		groups := []int{-1}
		for i := range rapid.IntRange(2, 12).Draw(t, "nodes") {
			n := graph.NodeSpec{ID: fmt.Sprintf("n%d", i), Parent: rapid.SampledFrom(groups).Draw(t, "parent")}
			if n.Container = rapid.IntRange(0, 2).Draw(t, "kind") == 0; n.Container {
				groups = append(groups, len(nodes))
			}
			nodes = append(nodes, n)
		}
		var edges []graph.EdgeSpec
		for range rapid.IntRange(0, 12).Draw(t, "edges") {
			a, b := rapid.IntRange(0, len(nodes)-1).Draw(t, "source"), rapid.IntRange(0, len(nodes)-1).Draw(t, "target")
			if a < b && !nodes[a].Container && !nodes[b].Container {
				edges = append(edges, graph.EdgeSpec{Source: a, Target: b})
			}
		}
		inner := len(edges)
		for _, group := range groups[1:] {
			edges = append(edges, graph.EdgeSpec{Source: 0, Target: group}, graph.EdgeSpec{Source: group, Target: 0})
		}
		g, err := graph.Build(nodes, edges, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := Read(g)
		for i, group := range groups[1:] {
			_, entries := f.Expand(g.Edges()[inner+2*i])
			exits, _ := f.Expand(g.Edges()[inner+2*i+1])
			var first, last []*graph.Node
			for _, n := range g.Nodes() {
				if n.Container || !around(g.Nodes()[group], n) {
					continue
				}
				within := func(m *graph.Node) bool { return around(g.Nodes()[group], m) }
				if !slices.ContainsFunc(n.In, func(e *graph.Edge) bool { return within(e.Source) && !e.Source.Container }) {
					first = append(first, n)
				}
				if !slices.ContainsFunc(n.Out, func(e *graph.Edge) bool { return within(e.Target) && !e.Target.Container }) {
					last = append(last, n)
				}
			}
			if !slices.Equal(entries, first) || !slices.Equal(exits, last) {
				t.Fatalf("group %s: entries %s, want %s; exits %s, want %s", nodes[group].ID, ids(entries), ids(first), ids(exits), ids(last))
			}
		}
	})
}

// TestInheritedAttributes reads attributes that are defaults of the file.
func TestInheritedAttributes(t *testing.T) {
	inherited := []graph.Attr{{Name: "retries", Value: "2"}, {Name: "retry_delay", Value: "1s"}, {Name: "parallel", Value: "3"}, {Name: "min_success", Value: "1"}}
	g, err := graph.Build([]graph.NodeSpec{
		{ID: "a", Label: "true", Parent: -1, Inherited: inherited},
		{ID: "b", Label: "true", Parent: -1, Inherited: inherited, Extra: map[string]string{"retries": "0"}},
		{ID: "c", Parent: -1, Container: true, Inherited: inherited},
		{ID: "d", Label: "true", Parent: 2},
		{ID: "e", Parent: -1, Container: true, Inherited: inherited, Extra: map[string]string{"times": "2"}},
		{ID: "f", Label: "true", Parent: 4},
	}, []graph.EdgeSpec{{Source: 0, Target: 1, Inherited: []graph.Attr{{Name: "when", Value: "failure"}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, problems := Read(g)
	if problems != nil {
		t.Errorf("defaults that mean nothing somewhere are problems: %v", problems)
	}
	if r := f.Node(g.Node("a")); r == nil || r.Retry.Limit != 2 {
		t.Errorf("a: %+v", r)
	}
	if r := f.Node(g.Node("b")); r == nil || r.Retry != nil {
		t.Errorf("b: %+v", r)
	}
	if f.Node(g.Node("c")) != nil {
		t.Error("a group has rules")
	}
	if r := f.Node(g.Node("e")); r == nil || r.Sub.Parallel != 3 || r.Sub.HasLeast {
		t.Errorf("e: %+v", r)
	}
	if c := f.Edge(g.Edges()[0]); c == nil || c.Kind != OnFailure {
		t.Errorf("the edge: %+v", c)
	}
}

// TestHostileValuesOfEnv renders variables with hostile values for commands.
func TestHostileValuesOfEnv(t *testing.T) {
	g := parseGraph(t, []string{".params {\"p\": {}}", "node a", ".env A=${{ params.p }}\\nB=x${{ params.p }}y\\nC='; $(x)"})
	f, problems := Read(g)
	if problems != nil {
		t.Fatal(problems)
	}
	const value = "'; rm -rf ~ #$(x)\n`y` ${{ params.p }}"
	var got []string
	for _, v := range f.Node(g.Node("a")).Env {
		text, err := v.Value.Render(expression.Env{Params: map[string]any{"p": value}})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v.Name+"="+text)
	}
	if want := []string{"A=" + value, "B=x" + value + "y", "C='; $(x)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
