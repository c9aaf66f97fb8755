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
	"wf/scheduler/expression"
)

var update = flag.Bool("update", false, "rewrite the effects in testdata with those that are seen")

// TestScripts runs testdata/*.txt. After the description in the first line come blocks: a command and,
// below "----", its effects. See play.do for the commands.
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
	p := &play{tb: t, lastScope: map[string][]string{}}
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
	tb        testing.TB
	g         *graph.Graph
	text      string // of the graph
	files     map[string]*graph.Graph
	lastScope map[string][]string
	run       *Run
	prior     Prior
	spare     *Run // with the same start, for a replay at the end
	now       int64
	events    []Event
	effects   []Effect

	stored       map[string]*expression.Kept // comes with the next event
	storeProblem string
}

// do executes one block:
//
//	graph, then lines       a graph (see parseGraph)
//	file NAME, then lines   a graph that nodes include: workfile=NAME
//	scope A B               what the last run of these nodes had in scope
//	run [option…]           Choose, NewRun, Start; options: nodes=A,B exclude=A fresh resume
//	                        limit=N instances=N fail-fast prior (the prior state from the previous run) param:NAME=VALUE
//	                        mock:A=exit:3 mock:A=KEY=VALUE skip:A
//	forecast [option…]      what such a run would do
//	orders [option…], then lines  the run in many orders, see orders
//	start A · ok A [KEY=VALUE…, stdout:TEXT] · fail A [reason, exit:N] · unrequested A · stop · cancel A
//	kv KEY=VALUE… · kv-problem TEXT    come with the next event; KEY= is a key without a value
//	approve A [KEY=VALUE…] · reject A · items A [ITEM…] · tick 30s (so much later)
//	explain A · blocked · counts · loop A · env A · outputs A · prior A
func (p *play) do(command string) string {
	head, body, _ := strings.Cut(command, "\n")
	words := strings.Fields(head)
	switch words[0] {
	case "graph":
		var err error
		if p.g, err = p.parse(body); err != nil {
			return err.Error()
		}
		p.prior, p.text = nil, body
		return ""
	case "file":
		g, err := p.parse(body)
		if err != nil {
			return err.Error()
		}
		if p.files == nil {
			p.files = map[string]*graph.Graph{}
		}
		p.files[words[1]] = g
		return ""
	case "scope":
		for _, id := range words[1:] {
			p.lastScope[id] = words[1:]
		}
		return ""
	case "run":
		return p.begin(words[1:])
	case "forecast":
		return p.forecast(words[1:])
	case "orders":
		return p.orders(words[1:], body)
	}
	if p.run == nil {
		return "no run"
	}
	return p.act(words[0], append(words[1:], "", ""))
}

// parse reads a graph, with the files that its nodes name.
func (p *play) parse(text string) (*graph.Graph, error) {
	g, err := parseGraph(text)
	if err != nil {
		return nil, err
	}
	var parts []graph.Part
	for _, n := range graph.Includes(g) {
		parts = append(parts, graph.Part{At: n, Graph: p.files[n.WorkfileName()]})
	}
	if parts == nil {
		return g, nil
	}
	return graph.Include(g, parts), nil
}

func (p *play) begin(options []string) string {
	req, opt := p.options(options)
	f, err := readFlow(p.g)
	if err != nil {
		return err.Error()
	}
	opt.Flow = f
	scope, err := Choose(p.g, req)
	if err != nil {
		return err.Error()
	}
	if opt.Repeat != nil {
		scope.Mode = Resume
	}
	if p.run, err = NewRun(p.g, scope, opt); err != nil {
		return fmt.Sprintf("%T: %v", err, err)
	}
	p.spare, _ = NewRun(p.g, scope, opt)
	p.events, p.effects, p.now = nil, nil, 0
	head := scope.Mode.String() + idsOf(scope.Nodes)
	if scope.All {
		head += " (all)"
	}
	if len(scope.Failed) > 0 {
		head += ", failed" + idsOf(scope.Failed)
	}
	return head + "\n" + p.step(Event{Kind: Start})
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
		case "again":
			req.Mode, req.Explicit, opt.Prior, opt.Repeat = Fresh, true, p.prior, map[string]bool{}
			for path := range strings.SplitSeq(value, ",") {
				opt.Repeat[path] = true
				subflow, _, _ := strings.Cut(path, "[")
				req.Selected = append(req.Selected, p.g.Node(subflow))
			}
		case "limit":
			opt.MaxActivations, _ = strconv.Atoi(value)
		case "instances":
			opt.MaxInstances, _ = strconv.Atoi(value)
		case "fail-fast":
			opt.FailFast = true
		case "prior":
			opt.Prior = p.prior
			req.Due = func(n *graph.Node) bool { return p.prior[n.ID].Due }
			req.Handled = func(n *graph.Node) bool { return p.prior[n.ID].Handled }
		default:
			if !flowOption(&opt, key, value) {
				panic("unknown option " + option)
			}
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

// act executes the commands that need a run.
func (p *play) act(verb string, args []string) (text string) {
	defer func() {
		if failure := recover(); failure != nil {
			text = fmt.Sprint(failure)
		}
	}()
	i, _ := p.run.Index(args[0])
	switch verb {
	case "start": // dispatched and started at once
		return p.step(Event{Kind: Dispatched, Node: i}) + p.step(Event{Kind: Started, Node: i})
	case "hand":
		return p.step(Event{Kind: Dispatched, Node: i})
	case "started":
		return p.step(Event{Kind: Started, Node: i})
	case "unrequested":
		return p.step(Event{Kind: Unrequested, Node: i})
	case "withdrawn":
		return p.step(Event{Kind: Withdrawn, Node: i, Execution: p.run.Executions(i)})
	case "ok", "fail", "items":
		ev := p.ending(verb, args[1:])
		ev.Kind, ev.Node, ev.Execution = Finished, i, p.run.Executions(i)
		return p.step(ev)
	case "rows":
		return p.step(Event{Kind: Listed, Node: i, OK: true, Items: rowsOf(args[1:])})
	case "no-rows":
		return p.step(Event{Kind: Listed, Node: i, Message: args[1]})
	case "current": // UpToDate
		return p.step(Event{Kind: UpToDate, Node: i, Message: "up to date", Outputs: pairs(args[1:])})
	case "approve", "reject":
		ev := p.ending("ok", args[1:])
		return p.step(Event{Kind: Decided, Node: i, OK: verb == "approve", Outputs: ev.Outputs})
	case "stop":
		return p.step(Event{Kind: Stop})
	case "cancel":
		return p.step(Event{Kind: CancelNode, Node: i})
	case "kv":
		p.stored = map[string]*expression.Kept{}
		for key, value := range pairs(args) {
			if p.stored[key] = expression.Keep(value.(string)); value == "" {
				p.stored[key] = nil
			}
		}
		return ""
	case "kv-problem":
		p.storeProblem = args[0]
		return ""
	case "tick":
		p.now += int64(duration(args[0]))
		return p.step(Event{Kind: Tick})
	case "clock": // ClockSet
		by := duration(args[0])
		p.now += int64(by)
		return p.step(Event{Kind: ClockSet, By: int64(by)})
	}
	return p.ask(verb, i)
}

// ask answers a query about the run.
func (p *play) ask(verb string, i int) string {
	switch verb {
	case "explain":
		return p.explain(i)
	case "blocked":
		return p.blocked()
	case "counts":
		return fmt.Sprintf("%+v", p.run.Counts())
	case "loop":
		return p.names(p.run.LoopOf(i))
	case "executor":
		return p.run.Executor(i)
	case "resources":
		return fmt.Sprintf("%+v", p.run.Resources(i))
	case "env":
		return strings.Join(p.run.Environment(i), "\n")
	case "files":
		return fmt.Sprintf("%+v", *p.run.Files(i))
	case "outputs":
		return fmt.Sprint(p.run.Outputs(i))
	case "prior":
		return fmt.Sprintf("%+v", p.run.Prior()[p.run.Path(i)])
	}
	return "unknown command " + verb
}

// step applies an event. It updates the graph as a workspace does, so that a later run of the script
// finds the statuses and marks.
func (p *play) step(ev Event) string {
	var lines strings.Builder
	ev.At = p.now
	ev.Stored, ev.StoreProblem, p.stored, p.storeProblem = p.stored, p.storeProblem, nil, ""
	p.events = append(p.events, ev)
	for _, e := range p.run.Step(ev) {
		p.effects = append(p.effects, e)
		switch e.Kind {
		case NodeChanged:
			if n := p.g.Node(p.run.Path(e.Node)); n != nil {
				p.g.SetStatus(n, e.Status)
			}
		case EdgeChanged:
			p.g.SetMark(p.g.Edge(p.run.EdgeKey(e.Edge)), e.Mark)
		}
		lines.WriteString(p.effect(e) + "\n")
	}
	if p.run.Ended() {
		p.prior = p.run.Prior()
		p.replay()
	}
	return lines.String()
}

func (p *play) effect(e Effect) string {
	switch e.Kind {
	case NodeChanged:
		return p.changed(e)
	case EdgeChanged:
		return p.edge(e.Edge) + map[graph.Mark]string{graph.ToRun: " marked", graph.Dead: " dead", graph.Unmarked: " cleared"}[e.Mark]
	case Execute:
		return fmt.Sprintf("execute %s #%d", p.run.Path(e.Node), e.Execution)
	case Cancel:
		return fmt.Sprintf("cancel %s #%d", p.run.Path(e.Node), e.Execution)
	case ListItems:
		t := p.run.Table(e.Node)
		return fmt.Sprintf("list %s: %s by %q, at most %d", p.run.Path(e.Node), t.File, t.Key, t.MaxRows)
	case Waiting, Answered, NodesAdded, Timer:
		return p.flowEffect(e)
	}
	return "ended: " + e.Result.String()
}

func (p *play) edge(j int) string {
	source, target := p.run.EdgeEnds(j)
	arrow := "->"
	if p.g.Edge(p.run.EdgeKey(j)).Type == graph.NonBlocking {
		arrow = "~>"
	}
	return p.run.Path(source) + arrow + p.run.Path(target)
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
		words = append(words, p.run.Path(i))
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
	if len(ex.Dead) > 0 {
		lines = append(lines, "dead "+p.edges(ex.Dead))
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
