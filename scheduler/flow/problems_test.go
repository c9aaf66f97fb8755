package flow

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/graph"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestProblems checks the problems that Read finds in every graph in testdata/*.txt. A graph is lines
//
//	node NAME [in CONTAINER]
//	container NAME [in CONTAINER]
//	edge A -> B, or A ~> B for a non-blocking one
//	.ATTRIBUTE VALUE of the node, container or edge above, or of the graph if there is none; \n is a line end
//
// and ends with an empty line. The problems follow, indented.
func TestProblems(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, block := range strings.Split(strings.TrimRight(string(data), "\n"), "\n\n") {
			out.WriteString(answered(t, block) + "\n\n")
		}
		got := strings.TrimSuffix(out.String(), "\n")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != string(data) {
			t.Errorf("%s: got\n%s", path, got)
		}
	}
}

// answered returns a graph and the problems that Read finds in it.
func answered(t *testing.T, block string) string {
	t.Helper()
	var lines []string
	for _, line := range strings.Split(block, "\n") {
		if !strings.HasPrefix(line, "    ") {
			lines = append(lines, line)
		}
	}
	g := parseGraph(t, lines)
	f, problems := Read(g)
	for _, p := range problems {
		where := strings.Join(p.Nodes, " ")
		if p.Edge >= 0 {
			where = fmt.Sprintf("%s, edge %d", where, p.Edge)
		}
		lines = append(lines, fmt.Sprintf("    %s %s (%s): %s", p.Severity, p.Code, where, p.Message))
	}
	for _, n := range g.Nodes() {
		if r := f.Node(n); r != nil && problems == nil {
			lines = append(lines, "    node "+n.ID+rulesText(r))
		}
	}
	for _, e := range g.Edges() {
		if c := f.Edge(e); c != nil && problems == nil {
			lines = append(lines, fmt.Sprintf("    edge %s -> %s: kind %d, exit %v, case %q, if %v", e.Source.ID, e.Target.ID, c.Kind, c.Exit, c.Case, c.Expr))
		}
		if sources, targets := f.Expand(e); isGroup(e.Source) || isGroup(e.Target) {
			lines = append(lines, fmt.Sprintf("    edge %s -> %s means %s -> %s", e.Source.ID, e.Target.ID, ids(sources), ids(targets)))
		}
	}
	return strings.Join(lines, "\n")
}

func ids(nodes []*graph.Node) string {
	var list []string
	for _, n := range nodes {
		list = append(list, n.ID)
	}
	return strings.Join(list, ",")
}

func rulesText(r *Rules) string {
	text := fmt.Sprintf(": join %d %v %v; timeout %v", r.Join, r.JoinTimeout, r.CancelLosers, r.Timeout)
	if r.Retry != nil {
		text += fmt.Sprintf("; retry %+v", *r.Retry)
	}
	if r.Wait != nil || r.WaitUntil != nil {
		text += fmt.Sprintf("; wait %v until %v", r.Wait, r.WaitUntil)
	}
	if r.Approve != nil {
		text += fmt.Sprintf("; approve %q %v %v", r.Approve, r.ApproveTimeout, r.ApproveDefault)
	}
	if r.Resources != nil {
		for i, t := range r.Resources {
			if t != nil {
				text += fmt.Sprintf("; %s %q", resourceNames[i], t)
			}
		}
	}
	if r.Executor != "" {
		text += "; executor " + r.Executor
	}
	for _, v := range r.Env {
		text += fmt.Sprintf("; %s=%q", v.Name, v.Value)
	}
	if r.Pool != nil {
		text += fmt.Sprintf("; pool %v", r.Pool)
	}
	if s := r.Sub; s != nil {
		text += fmt.Sprintf("; sub %d list %v lines %q items %v times %v test %v most %d parallel %d continue %v least %d %v %v",
			s.Kind, s.List, s.Command, s.Items, s.Times, s.Test, s.MaxIterations, s.Parallel, s.Continue, s.Least, s.LeastPart, s.HasLeast)
		if s.Table != nil {
			text += fmt.Sprintf(" table %q key %q", s.Table, s.Key)
		}
		if s.Rate > 0 {
			text += fmt.Sprintf(" rate %d in %v", s.Rate, s.RatePer)
		}
		if s.Cancel || s.StopWhen != nil {
			text += fmt.Sprintf(" cancel %v stop when %v", s.Cancel, s.StopWhen)
		}
	}
	return text
}

// parseGraph reads the format of TestProblems.
func parseGraph(t testing.TB, lines []string) *graph.Graph {
	t.Helper()
	var nodes []graph.NodeSpec
	var edges []graph.EdgeSpec
	attrs, number := map[string]string{}, map[string]int{}
	extra := attrs
	for _, line := range lines {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "##":
		case words[0] == "node" || words[0] == "container":
			n := graph.NodeSpec{ID: words[1], Name: words[1], Container: words[0] == "container", Parent: -1, Extra: map[string]string{}}
			if !n.Container {
				n.Label = "run " + words[1]
			}
			if len(words) == 4 {
				n.Parent = number[words[3]]
			}
			number[words[1]], extra = len(nodes), n.Extra
			nodes = append(nodes, n)
		case words[0] == "edge":
			e := graph.EdgeSpec{Source: number[words[1]], Target: number[words[3]], Extra: map[string]string{}}
			if words[2] == "~>" {
				e.Type = "non-blocking"
			}
			edges, extra = append(edges, e), e.Extra
		case line[0] == '.':
			name, value, _ := strings.Cut(line[1:], " ")
			value = strings.ReplaceAll(value, `\n`, "\n")
			if name == "label" {
				nodes[len(nodes)-1].Label = value
			} else if name == "name" {
				nodes[len(nodes)-1].Name = value
			} else {
				extra[name] = value
			}
		default:
			t.Fatalf("not a line of a graph: %q", line)
		}
	}
	g, err := graph.Build(nodes, edges, attrs)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
