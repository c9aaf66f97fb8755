package scheduler

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wf/graph"
)

var update = flag.Bool("update", false, "rewrite the effects in testdata with those that are seen")

// TestScripts plays testdata/*.txt. After the story in the first line come blocks: a command and
// below "----" what it leads to. See play for the commands.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runScript(t, file) })
	}
}

func runScript(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(strings.TrimRight(string(text), "\n"), "\n\n")
	p := &play{lastScope: map[string][]string{}}
	got := []string{blocks[0]}
	for _, block := range blocks[1:] {
		command, _, _ := strings.Cut(block, "\n----")
		got = append(got, strings.TrimRight(command+"\n----\n"+p.do(command), "\n"))
	}
	if p.run != nil && !p.run.Ended() {
		t.Errorf("the script ends before the run does")
	}
	played := strings.Join(got, "\n\n") + "\n"
	if played == string(text) {
		return
	}
	if !*update {
		t.Errorf("effects differ (-update rewrites them); got:\n%s", played)
	} else if err := os.WriteFile(file, []byte(played), 0o644); err != nil {
		t.Fatal(err)
	}
}

// play is the state of a script.
type play struct {
	g         *graph.Graph
	lastScope map[string][]string
	run       *Run
}

// do carries out one block:
//
//	graph, then lines       a graph (see parseGraph)
//	scope A B               what the last run of these nodes had in scope
//	run [option…]           Choose, NewRun, Begin; options: nodes=A,B exclude=A fresh resume
//	                        limit=N fail-fast
//	start A · ok A · fail A [reason] · stray A · stop · cancel A
//	explain A · blocked · counts · loop A
func (p *play) do(command string) string {
	head, body, _ := strings.Cut(command, "\n")
	words := strings.Fields(head)
	switch words[0] {
	case "graph":
		var err error
		if p.g, err = parseGraph(body); err != nil {
			return err.Error()
		}
		return ""
	case "scope":
		for _, id := range words[1:] {
			p.lastScope[id] = words[1:]
		}
		return ""
	case "run":
		return p.begin(words[1:])
	}
	if p.run == nil {
		return "no run"
	}
	return p.act(words[0], append(words[1:], "", "")[:2])
}

func (p *play) begin(options []string) string {
	req, opt := p.options(options)
	scope, err := Choose(p.g, req)
	if err != nil {
		return err.Error()
	}
	if p.run, err = NewRun(p.g, scope, opt); err != nil {
		return fmt.Sprintf("%T: %v", err, err)
	}
	head := scope.Mode.String() + idsOf(scope.Nodes)
	if scope.All {
		head += " (all)"
	}
	if len(scope.Failed) > 0 {
		head += ", failed" + idsOf(scope.Failed)
	}
	return head + "\n" + p.step(Event{Kind: Begin})
}

func (p *play) options(options []string) (req Request, opt Options) {
	req.LastScope = func(id string) ([]string, bool) { ids, known := p.lastScope[id]; return ids, known }
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "nodes":
			req.Selected, req.Explicit = p.nodes(value), true
		case "exclude":
			req.Excluded = p.nodes(value)
		case "fresh":
			req.Mode = Fresh
		case "resume":
			req.Mode = Resume
		case "limit":
			opt.MaxActivations, _ = strconv.Atoi(value)
		case "fail-fast":
			opt.FailFast = true
		default:
			panic("unknown option " + option)
		}
	}
	return req, opt
}

func (p *play) nodes(list string) (nodes []*graph.Node) {
	for _, id := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		nodes = append(nodes, p.g.Node(id))
	}
	return nodes
}

// act carries out what needs a run.
func (p *play) act(verb string, args []string) string {
	i, _ := p.run.Index(args[0])
	switch verb {
	case "start": // handed over and started at once
		return p.step(Event{Kind: Dispatched, Node: i}) + p.step(Event{Kind: Started, Node: i})
	case "hand":
		return p.step(Event{Kind: Dispatched, Node: i})
	case "started":
		return p.step(Event{Kind: Started, Node: i})
	case "stray":
		return p.step(Event{Kind: Strayed, Node: i})
	case "withdrawn":
		return p.step(Event{Kind: Withdrawn, Node: i, Execution: p.run.Executions(i)})
	case "ok":
		return p.step(Event{Kind: Finished, Node: i, Execution: p.run.Executions(i), OK: true})
	case "fail":
		return p.step(Event{Kind: Finished, Node: i, Execution: p.run.Executions(i), Reason: args[1]})
	case "stop":
		return p.step(Event{Kind: Stop})
	case "cancel":
		return p.step(Event{Kind: CancelNode, Node: i})
	case "explain":
		return p.explain(i)
	case "blocked":
		return p.blocked()
	case "counts":
		return fmt.Sprintf("%+v", p.run.Counts())
	case "loop":
		return p.names(p.run.LoopOf(i))
	}
	return "unknown command " + verb
}

// step applies an event. What it did to the graph is kept there, as a workspace does, so that a
// later run of the script finds it.
func (p *play) step(ev Event) string {
	var lines strings.Builder
	for _, e := range p.run.Step(ev) {
		switch e.Kind {
		case NodeChanged:
			p.g.SetStatus(p.g.Node(p.run.NodeID(e.Node)), e.Status)
		case EdgeChanged:
			p.g.SetMark(p.g.Edge(p.run.EdgeKey(e.Edge)), e.Mark)
		}
		lines.WriteString(p.effect(e) + "\n")
	}
	return lines.String()
}

func (p *play) effect(e Effect) string {
	switch e.Kind {
	case NodeChanged:
		return strings.TrimRight(fmt.Sprintf("%s is %s %s", p.run.NodeID(e.Node), orIdle(e.Status), e.Reason), " ")
	case EdgeChanged:
		if e.Mark == graph.ToRun {
			return p.edge(e.Edge) + " marked"
		}
		return p.edge(e.Edge) + " cleared"
	case Execute:
		return fmt.Sprintf("execute %s #%d", p.run.NodeID(e.Node), e.Execution)
	case Cancel:
		return fmt.Sprintf("cancel %s #%d", p.run.NodeID(e.Node), e.Execution)
	}
	return "ended: " + e.Result.String()
}

func (p *play) edge(j int) string {
	source, target := p.run.EdgeEnds(j)
	arrow := "->"
	if p.g.Edge(p.run.EdgeKey(j)).Type == graph.NonBlocking {
		arrow = "~>"
	}
	return p.run.NodeID(source) + arrow + p.run.NodeID(target)
}

func (p *play) edges(list []int) string {
	var words []string
	for _, j := range list {
		words = append(words, p.edge(j))
	}
	return strings.Join(words, " ")
}

func (p *play) names(list []int) string {
	var words []string
	for _, i := range list {
		words = append(words, p.run.NodeID(i))
	}
	return strings.Join(words, " ")
}

func (p *play) explain(i int) string {
	ex := p.run.Explain(i)
	kinds := [...]string{"none", "start", "resume", "join", "trigger"}
	lines := []string{
		fmt.Sprintf("%s %s", orIdle(ex.Status), ex.Reason),
		fmt.Sprintf("activations %d, executions %d, pending %d", ex.Activations, ex.Executions, ex.Pending),
		"cause " + kinds[ex.Cause.Kind] + " " + p.edges(ex.Cause.Edges),
		"have " + p.edges(ex.Have),
		"lack " + p.edges(ex.Lack),
		"upstream " + p.names(ex.Upstream),
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

func (p *play) blocked() string {
	var list []int
	for i, b := range p.run.Blocked() {
		if b {
			list = append(list, i)
		}
	}
	return p.names(list)
}

func orIdle(s graph.Status) string {
	if s == graph.Idle {
		return "idle"
	}
	return s.String()
}

func idsOf(nodes []*graph.Node) string {
	ids := ""
	for _, n := range nodes {
		ids += " " + n.ID
	}
	return ids
}
