package convert

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"wf/api"
	"wf/graph/attribute"
)

// randomGraph generates a graph without blocking cycles. Names contain characters that are special in
// formats, commands contain everything that a workfile can represent.
func randomGraph(t *rapid.T, name string) *api.Graph {
	g := &api.Graph{}
	if rapid.Bool().Draw(t, "graph attributes") {
		g.Attrs = map[string]string{"params": anyText(t), "wrapper": anyText(t)}
	}
	count := rapid.IntRange(0, 8).Draw(t, "nodes")
	containers := []string{"", ""}
	for i := range count {
		n := api.GraphNode{
			ID: fmt.Sprint("id", i), Name: fmt.Sprint(rapid.StringMatching(name).Draw(t, "name"), i),
			Group:  rapid.SampledFrom([]string{"", "", "one", `t "w" o`}).Draw(t, "group"),
			Parent: rapid.SampledFrom(containers).Draw(t, "parent"),
			State:  rapid.SampledFrom([]api.State{api.StateIdle, api.StateOK, api.StateFailed}).Draw(t, "state"),
		}
		if n.Command = anyText(t); rapid.IntRange(0, 3).Draw(t, "container") == 0 {
			n.Command, n.Container, n.SubFlow = "", true, "foreach"
			n.Attrs = map[string]string{"foreach": anyText(t), "parallel": "2"}
			containers = append(containers, n.ID)
		} else if rapid.Bool().Draw(t, "attributes") {
			n.Attrs = map[string]string{"approve": anyText(t), "retries": "3", "env": "A=1\nB=" + anyText(t)}
		}
		g.Nodes = append(g.Nodes, n)
	}
	for range rapid.IntRange(0, 2*count).Draw(t, "edges") {
		from, to := rapid.IntRange(0, count-1).Draw(t, "from"), rapid.IntRange(0, count-1).Draw(t, "to")
		kind := "blocking"
		if from >= to {
			kind = "non-blocking"
		}
		when := rapid.SampledFrom([]string{"", "", "failure", "done", "else", "exit:2,10-20", `case:a "b"`, `if:nodes["x"].exit_code == 1 && "]" < "}"`}).Draw(t, "when")
		g.Edges = append(g.Edges, api.GraphEdge{Source: g.Nodes[from].ID, Target: g.Nodes[to].ID, Type: kind, When: when})
	}
	return g
}

// anyText generates a text of a command or an attribute.
func anyText(t *rapid.T) string {
	return rapid.StringMatching(`[a-z <>&"'#;|%\[\]{}()\\$*_~=\n.:-]{0,12}[a-z"\\;#]`).Draw(t, "text")
}

// workflow returns the expected result of importing a graph.
func workflow(g *api.Graph) *Workflow {
	w := &Workflow{Attrs: g.Attrs}
	names, seen := map[string]string{}, map[string]bool{}
	for _, n := range g.Nodes {
		names[n.ID] = n.Name
		w.Nodes = append(w.Nodes, api.NewNode{ID: n.Name, Name: n.Name, Group: n.Group, Parent: names[n.Parent], Container: n.Container,
			Command: strings.TrimRight(n.Command, "\n"), Attrs: n.Attrs})
	}
	for _, e := range g.Edges {
		if pair := e.Source + " " + e.Target + " " + e.When; !seen[pair] {
			seen[pair] = true
			w.Edges = append(w.Edges, api.NewEdge{Source: names[e.Source], Target: names[e.Target], Type: e.Type, When: e.When})
		}
	}
	return w
}

func TestDotReadsWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, `[a-z "~/;{}<>-]{1,5}`)
		text := Dot(g)
		w, err := Import("dot", text, Options{})
		if got, want := sorted(describe(w, err)), sorted(describe(workflow(g), nil)); got != want {
			t.Fatalf("%s\nis read as\n%s\nnot\n%s", text, got, want)
		}
	})
}

// TestMermaidReadsWhatItWrites: The nodes of groups come last.
func TestMermaidReadsWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, `[a-z]{1,5}[-.]`)
		text := Mermaid(g)
		w, err := Import("mermaid", text, Options{})
		if got, want := sorted(describe(w, err)), sorted(describe(workflow(g), nil)); got != want {
			t.Fatalf("%s\nis read as\n%s\nnot\n%s", text, got, want)
		}
	})
}

// sorted sorts the lines of a description.
func sorted(text string) string {
	parts := strings.Split(strings.ReplaceAll(text, "\n  |", "\x00  |"), "\n")
	slices.Sort(parts)
	return strings.ReplaceAll(strings.Join(parts, "\n"), "\x00", "\n")
}

// TestDotAndMermaidStoreEveryAttribute: This holds for all attributes that users can set.
func TestDotAndMermaidStoreEveryAttribute(t *testing.T) {
	g := &api.Graph{Attrs: map[string]string{}, Nodes: []api.GraphNode{
		{ID: "a", Name: "a", Command: "true", Attrs: map[string]string{}},
		{ID: "c", Name: "c", Container: true, SubFlow: "foreach", Attrs: map[string]string{}},
		{ID: "b", Name: "b", Command: "true", Parent: "c"},
	}}
	for a := range attribute.On(attribute.Node | attribute.Graph) {
		if !a.Settable() || slices.Contains([]string{"name", "label", "group", "x", "y"}, a.Name) {
			continue
		}
		if a.On&attribute.Graph != 0 {
			g.Attrs[a.Name] = "graph " + a.Name
		}
		if a.On&attribute.Command != 0 {
			g.Nodes[0].Attrs[a.Name] = "node " + a.Name
		}
		if a.On&attribute.SubFlow != 0 {
			g.Nodes[1].Attrs[a.Name] = "container " + a.Name
		}
	}
	g.Nodes[0].Attrs["retires"] = "3"
	lost := "retires of a, which is not an attribute of wf"
	if got := Lost(g); !slices.Equal(got, []string{lost}) {
		t.Errorf("lost: %q", got)
	}
	texts := map[string][]byte{"dot": Dot(g), "mermaid": Mermaid(g)}
	delete(g.Nodes[0].Attrs, "retires")
	for format, text := range texts {
		w, err := Import(format, text, Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", format, err, text)
		}
		if !maps.Equal(w.Attrs, g.Attrs) {
			t.Errorf("%s: the graph has %v", format, w.Attrs)
		}
		for i := range g.Nodes {
			at := slices.IndexFunc(w.Nodes, func(n api.NewNode) bool { return n.Name == g.Nodes[i].Name })
			if !maps.Equal(w.Nodes[at].Attrs, g.Nodes[i].Attrs) {
				t.Errorf("%s: %s has %v", format, g.Nodes[i].Name, w.Nodes[at].Attrs)
			}
		}
	}
}

func TestOddNamesSurviveTheRoundTrip(t *testing.T) {
	g := &api.Graph{}
	for _, name := range []string{"end", "n0", `a\b`, "x y", "subgraph", "o--", "graph", "n1"} {
		g.Nodes = append(g.Nodes, api.GraphNode{ID: name, Name: name, Command: "true"})
	}
	for format, text := range map[string][]byte{"dot": Dot(g), "mermaid": Mermaid(g)} {
		w, err := Import(format, text, Options{})
		if err != nil || len(w.Nodes) != len(g.Nodes) {
			t.Errorf("%s\nis read as\n%s", text, describe(w, err))
		}
	}
}

// FuzzImport checks that no input makes a reader panic or hang, that errors name a line of the input, and
// that workflows are complete.
func FuzzImport(f *testing.F) {
	for i, format := range Formats() {
		archive, err := txtar.ParseFile(filepath.Join("testdata", "import", format+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		for _, input := range archive.Files {
			f.Add(uint8(i), input.Data)
		}
	}
	f.Fuzz(func(t *testing.T, format uint8, data []byte) {
		w, err := Import(Formats()[int(format)%len(Formats())], data, Options{})
		var at *Error
		switch {
		case errors.As(err, &at):
			lines := 1 // at most: counts all line ends of YAML
			for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
				lines += strings.Count(string(data), end)
			}
			if at.Line < 1 || at.Line > lines {
				t.Errorf("the error names line %d of %d: %v", at.Line, lines, err)
			}
		case err != nil:
			t.Errorf("an error without a line: %v", err)
		default:
			checkWhole(t, w)
		}
	})
}

// checkWhole checks that edges end at nodes, and that ids are unique.
func checkWhole(t *testing.T, w *Workflow) {
	ids := map[string]bool{}
	for _, n := range w.Nodes {
		if ids[n.ID] {
			t.Errorf("two nodes have the id %q", n.ID)
		}
		ids[n.ID] = true
	}
	for _, e := range w.Edges {
		if !ids[e.Source] || !ids[e.Target] {
			t.Errorf("edge %q -> %q has an end without a node", e.Source, e.Target)
		}
	}
}

// TestExportsContainControlFlow: A sub-flow is a node with a cluster, conditions are labels of edges, and an edge to
// a group leads to its first nodes.
func TestExportsContainControlFlow(t *testing.T) {
	g := &api.Graph{Nodes: []api.GraphNode{
		{ID: "1", Name: "list", Command: "ls", State: api.StateOK},
		{ID: "2", Name: "align", Container: true, SubFlow: "foreach", State: api.StateRetrying},
		{ID: "3", Name: "trim", Command: "trim", State: api.StateOK, Parent: "2"},
		{ID: "4", Name: "sort", Command: "sort", State: api.StateRetrying, Parent: "2"},
		{ID: "5", Name: "ask", Command: "true", State: api.StateWaiting},
		{ID: "6", Name: "late", Container: true},
		{ID: "7", Name: "first", Command: "one", State: api.StateSkipped, Parent: "6"},
		{ID: "8", Name: "second", Command: "two", State: api.StateSkipped, Parent: "6"},
	}, Edges: []api.GraphEdge{
		{Source: "1", Target: "2", Type: "blocking"}, {Source: "3", Target: "4", Type: "blocking"}, {Source: "7", Target: "8", Type: "blocking"},
		{Source: "2", Target: "5", Type: "blocking", When: `if:nodes.align.exit_code == 1 && "x" < "y"`},
		{Source: "5", Target: "6", Type: "blocking", When: "case:go"}, {Source: "6", Target: "1", Type: "non-blocking", When: "done"},
	}}
	for name, text := range map[string][]byte{"control.dot": Dot(g), "control.mmd": Mermaid(g)} {
		golden(t, filepath.Join("testdata", name), string(text))
	}
}

// TestExportsMatchGoldenFiles: The graph has all states and odd texts.
func TestExportsMatchGoldenFiles(t *testing.T) {
	x, y := 1.5, 2.0
	g := &api.Graph{Wrapper: "sh -c '{}'", Nodes: []api.GraphNode{
		{ID: "1", Name: "fetch", Command: "curl -o a 'x?a=1&b=<2>' \\\n  --fail", State: api.StateOK, X: &x, Y: &y},
		{ID: "2", Name: "group", Container: true},
		{ID: "3", Name: "sort \"it\"", Command: "sort a > b", State: api.StateRunning, Parent: "2"},
		{ID: "4", Name: "größe_数据", Command: "wc -c 数据数据数据数据数据数据数据数据数据数据数据数据数据", State: api.StateFailed, Parent: "2"},
		{ID: "5", Name: "evil\x1b[2J", Command: "printf '\x1b]8;;http://x\x07' </text><script>", State: api.StateBlocked},
		{ID: "6", Name: "again", Command: "", State: api.StateIdle, Group: "late"},
		{ID: "7", Name: "alone", Command: "true", State: api.StateCancelled},
		{ID: "8", Name: "queue", Command: "true", State: api.StateQueued},
	}, Edges: []api.GraphEdge{
		{Source: "1", Target: "3", Type: "blocking"}, {Source: "1", Target: "4", Type: "blocking"}, {Source: "3", Target: "5", Type: "blocking"},
		{Source: "4", Target: "5", Type: "blocking"}, {Source: "1", Target: "5", Type: "blocking"}, {Source: "5", Target: "6", Type: "blocking"},
		{Source: "6", Target: "1", Type: "non-blocking"}, {Source: "6", Target: "6", Type: "non-blocking"}, {Source: "2", Target: "7", Type: "blocking"},
	}}
	for name, text := range map[string][]byte{"graph.dot": Dot(g), "graph.mmd": Mermaid(g)} {
		if strings.ContainsAny(string(text), "\x1b\x07") {
			t.Errorf("%s contains control characters", name)
		}
		golden(t, filepath.Join("testdata", name), string(text))
	}
}
