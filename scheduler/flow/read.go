package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wf/graph"
	"wf/graph/attribute"
	"wf/scheduler/expression"
)

// The codes of problems.
const (
	CodeWhen       = "bad-when"          // error
	CodeExpression = "bad-expression"    // error
	CodeCrossing   = "crossing-edge"     // error
	CodeGroup      = "empty-group"       // error
	CodeGroupCycle = "group-cycle"       // error
	CodeJoin       = "bad-join"          // error
	CodeNumber     = "bad-number"        // error
	CodeTime       = "bad-time"          // error
	CodeWord       = "unknown-word"      // error
	CodeTemplate   = "label-expression"  // error
	CodeEnv        = "bad-env"           // error
	CodePool       = "bad-pool"          // error
	CodeResource   = "bad-resource"      // error
	CodeExecutor   = "bad-executor"      // error
	CodeSubFlow    = "bad-sub-flow"      // error
	CodeParams     = "bad-params"        // error
	CodeSecrets    = "bad-secrets"       // error
	CodeUseless    = "no-effect"         // error if the attribute would decide what runs, otherwise warning
	CodeUnknown    = "unknown-attribute" // likewise
	CodeNever      = "never-fires"       // warning, as all below
	CodeAlways     = "always-fires"
	CodeEndless    = "never-ends"
	CodeMixed      = "mixed-output"
	CodeWorkfile   = "bad-workfile" // error
)

// Read reads the control flow of a graph and finds what is wrong with it, errors first, otherwise in file
// order. A graph with an error must not run: the Flow lacks what could not be read. The time is linear, and
// next to nothing for a graph of plain commands.
func Read(g *graph.Graph) (*Flow, []graph.Problem) {
	r := &reader{g: g, chooses: map[*graph.Node]bool{}, f: &Flow{
		g: g, rules: map[*graph.Node]*Rules{}, conditions: map[*graph.Edge]*Condition{},
		scopes: map[*graph.Node]*expression.Scope{}, groups: map[*graph.Node]*ends{},
	}, groupEnv: map[*graph.Node][]Variable{}}
	r.graph()
	if n := tooDeep(g); n != nil {
		r.nodeProblem(graph.Error, CodeSubFlow, n, "", "more than %d containers are nested in each other here; nest fewer", maxNesting)
		return r.f, r.problems
	}
	r.graphExecutor()
	r.graphEnv()
	r.secrets()
	asked := r.graphHasResources()
	for _, n := range g.Nodes() {
		if n.Container || n.Extra != nil || n.Inherited() != nil {
			r.unreadOfNode(n)
			r.node(n)
			if why := n.PartProblem(); why != "" {
				r.nodeProblem(graph.Error, CodeWorkfile, n, graph.AttrWorkfile, "workfile: %s", why)
			}
			asked = asked || hasResources(n)
		}
		if expression.HasTemplate(n.Label) {
			r.template(n)
		}
	}
	for _, e := range g.Edges() {
		if e.Extra != nil || e.Inherited() != nil {
			r.unreadOfEdge(e)
			r.edge(e)
		}
	}
	if len(r.outerEnv)+len(r.groupEnv) > 0 {
		r.inheritEnv()
	}
	if asked {
		r.resources()
	}
	if r.containers {
		r.borders()
	}
	for _, n := range r.joins {
		r.join(n, r.f.rules[n])
	}
	if !r.f.Plain() {
		r.f.names() // of the present graph, like its readings
		for _, n := range g.Nodes() {
			if r.f.Printed(n) && n.Output() == graph.OutputMerged {
				r.nodeProblem(graph.Warning, CodeMixed, n, "output", "with output=merged its stdout, which an expression reads, also contains what it writes to standard error; write split, or leave output out")
			}
		}
	}
	slices.SortStableFunc(r.problems, func(a, b graph.Problem) int { return cmp.Compare(b.Severity, a.Severity) })
	return r.f, r.problems
}

// maxNesting bounds how many containers may lie in each other.
const maxNesting = 1000

// tooDeep returns a container that is nested too deeply, nil if there is none.
func tooDeep(g *graph.Graph) *graph.Node {
	for _, n := range g.Nodes() {
		if !n.Container {
			continue
		}
		depth := 0
		for p := n.Parent; p != nil && depth <= maxNesting; p = p.Parent {
			depth++
		}
		if depth > maxNesting {
			return n
		}
	}
	return nil
}

// reader is the state of one Read.
type reader struct {
	g        *graph.Graph
	f        *Flow
	problems []graph.Problem

	containers bool                 // some nodes contain others
	chooses    map[*graph.Node]bool // which sources of an else have edges with case, exit or if
	joins      []*graph.Node        // their joins are checked last
	outerEnv   []Variable           // of the graph
	groupEnv   map[*graph.Node][]Variable
	judged     map[judgedName]*attribute.Flaw
	reported   map[judgedName]bool // about a default of the file
}

func (r *reader) add(s graph.Severity, code string, edge int, nodes []*graph.Node, format string, args ...any) {
	p := graph.Problem{Severity: s, Code: code, Message: fmt.Sprintf(format, args...), Edge: edge}
	for _, n := range nodes {
		p.Nodes = append(p.Nodes, n.ID)
	}
	r.problems = append(r.problems, p)
}

func (r *reader) nodeProblem(s graph.Severity, code string, n *graph.Node, attr, format string, args ...any) {
	r.add(s, code, -1, []*graph.Node{n}, "node %s: "+format, append([]any{r.handle(n)}, args...)...)
	r.problems[len(r.problems)-1].Attr = attr
}

func (r *reader) graphError(code, attr, format string, args ...any) {
	r.add(graph.Error, code, -1, nil, format, args...)
	r.problems[len(r.problems)-1].Attr = attr
}

func (r *reader) edgeProblem(s graph.Severity, code string, e *graph.Edge, format string, args ...any) {
	r.add(s, code, e.Key, []*graph.Node{e.Source, e.Target}, "edge %s -> %s: "+format,
		append([]any{r.handle(e.Source), r.handle(e.Target)}, args...)...)
}

// handle returns the name of a node for messages.
func (r *reader) handle(n *graph.Node) string { return r.f.names().handle[n] }

// graph reads the attributes of the graph itself.
func (r *reader) graph() {
	if text, _ := r.g.Attr("params"); strings.TrimSpace(text) != "" {
		params, problems := ParseParams(text)
		r.f.Params = params
		for _, p := range problems {
			r.graphError(CodeParams, "params", "params: %s", p)
		}
	}
	r.unreadOfGraph()
	text, _ := r.g.Attr("on_busy")
	switch strings.TrimSpace(text) {
	case "", "refuse":
	case "queue":
		r.f.OnBusy = Queue
	case "cancel":
		r.f.OnBusy = Cancel
	default:
		r.graphError(CodeWord, "on_busy", "graph attribute on_busy is %q; write refuse, queue or cancel%s", text, closest(text, "refuse", "queue", "cancel"))
	}
}

// closest is the end of a message about an unknown word.
func closest(text string, words ...string) string {
	if word := expression.Closest(strings.TrimSpace(text), words); word != "" {
		return " (did you mean " + word + "?)"
	}
	return ""
}

// template reports expressions in commands, where they would not be evaluated.
func (r *reader) template(n *graph.Node) {
	begin := strings.Index(n.Label, "${{")
	shown := n.Label[begin:]
	if end := strings.Index(shown, "}}"); end >= 0 {
		shown = shown[:end+2]
	}
	if len(shown) > 60 || strings.ContainsAny(shown, "\n\r") {
		shown = "${{ ... }}"
	}
	r.nodeProblem(graph.Error, CodeTemplate, n, "label", "its command contains %s, and values never become part of a command; write the line VALUE=%s into its attribute env, and \"$VALUE\" into the command", shown, shown)
	r.problems[len(r.problems)-1].Line = strings.Count(n.Label[:begin], "\n")
}
