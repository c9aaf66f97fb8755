package planning

import (
	"cmp"
	"fmt"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// executors chooses and checks the executors of nodes.
type executors struct {
	*Planner
	known []string // names of those besides this machine
}

func (pl *Planner) executors() executors {
	if pl.Engines == nil {
		return executors{pl, nil}
	}
	return executors{pl, pl.Engines()}
}

// use sets the executor of the nodes that name none. It returns an error if a node needs one that does not exist here.
func (pl executors) use(r *history.Request, f *flow.Flow, nodes []*graph.Node, req api.RunRequest) error {
	usual := ""
	if req.Defaults != nil {
		usual = req.Defaults.Executor
	}
	if err := pl.choose(r, f, req.Executor, usual); err != nil {
		return err
	}
	if r.Executor == "" && f.Plain() {
		return nil
	}
	mocks, err := pl.mocks(req.Mocks)
	if err != nil {
		return err
	}
	if err := pl.allKnown(r, f, nodes, mocks); err != nil || r.Executor == "" {
		return err
	}
	return pl.resourcesRead()
}

// resourcesRead returns an error if the text of a resource cannot be read. Without an executor that reads it, it is a warning of wf
// check, because it may be of another program.
func (pl executors) resourcesRead() error {
	_, problems := flow.Read(pl.File.Graph())
	for _, p := range problems {
		if p.Code == flow.CodeResource || p.Code == flow.CodeExpression && p.Severity == graph.Warning {
			x := pl.problem(p)
			return &api.Error{Code: api.CodeWorkfile, Message: x.Message, Nodes: x.Nodes, Where: pl.File.Where(x.Line), Fix: "wf check shows all problems"}
		}
	}
	return nil
}

// choose sets the executor of the nodes that name none: that of the request, or else of the request before it, the graph, or
// the user's settings.
func (pl executors) choose(r *history.Request, f *flow.Flow, asked, usual string) error {
	r.Executor = runstate.Elsewhere(cmp.Or(f.Executor, usual))
	if asked != "" {
		if err := flow.CheckExecutor(asked); err != nil {
			return api.Invalid("the executor %q %v", asked, err)
		}
		r.Executor, r.ExecutorAsked = runstate.Elsewhere(asked), true
		return nil
	}
	if r.Mode == api.ModeResume && r.Resumes > 0 {
		if before, _ := pl.Nodes.Earlier(r.Resumes); before.ExecutorAsked {
			r.Executor, r.ExecutorAsked = before.Executor, true
		}
	}
	return nil
}

func (pl executors) allKnown(r *history.Request, f *flow.Flow, nodes []*graph.Node, mocks map[string]scheduler.Mock) error {
	for _, n := range nodes {
		if _, mocked := mocks[n.ID]; mocked || n.Container && !n.SubFlow() {
			continue
		}
		own := ownExecutor(f, n)
		name := cmp.Or(own, r.Executor)
		err := executor.CheckEngine(name, pl.known)
		if err == nil {
			continue
		}
		e := &api.Error{Code: api.CodeWorkfile, Message: err.Error(), Fix: "describe it in " + tableOf(name)}
		switch {
		case own != "":
			handle := pl.File.Handle(n)
			e.Nodes, e.Where = []string{handle}, pl.File.Where(pl.line(n))
			e.Why = fmt.Sprintf("node %s asks for it", handle)
			e.Fix += fmt.Sprintf("; or wf edit set %s executor=local", handle)
		case r.ExecutorAsked:
			e.Code, e.Fix = api.CodeInvalid, e.Fix+"; or --executor local"
		case f.Executor == "":
			e.Code, e.Why, e.Fix = api.CodeInvalid, "the setting default-executor asks for it", e.Fix+"; or wf run --executor local"
		default:
			e.Why, e.Where = "the graph asks for it", pl.File.Where(pl.File.Document().GraphAttrLine("executor"))
			e.Fix += "; or wf run --executor local"
		}
		return e
	}
	return nil
}

// tableOf names the table of the configuration that describes an executor.
func tableOf(name string) string {
	return "[executor." + name + "] of your configuration (wf help executors)"
}

// ownExecutor returns the executor that a node or a container around it asks for.
func ownExecutor(f *flow.Flow, n *graph.Node) string {
	if rules := f.Node(n); rules != nil {
		return rules.Executor
	}
	return ""
}

// line returns the line of the element that gives a node its executor.
func (pl executors) line(n *graph.Node) int {
	for on := n; on != nil; on = on.Parent {
		if text, _ := on.Attr("executor"); text != "" {
			return pl.File.Document().NodeAttrLine(on.ID, "executor")
		}
	}
	return pl.File.Document().NodeLine(n.ID)
}

// check adds a warning for each executor that does not exist here. The workfile may be meant for another machine.
func (pl executors) check(c *api.Check, f *flow.Flow) {
	seen := map[string]bool{"": true}
	add := func(name string, line int, nodes ...string) {
		if seen[name] {
			return
		}
		seen[name] = true
		if err := executor.CheckEngine(name, pl.known); err != nil {
			addProblem(c, api.Problem{Severity: "warning", Code: "unknown-executor", Line: line, Nodes: nodes,
				Message: err.Error() + "; wf run is refused until it is described in " + tableOf(name)})
		}
	}
	add(f.Executor, pl.File.Document().GraphAttrLine("executor"))
	if f.Plain() {
		return
	}
	for _, n := range pl.File.Graph().Nodes() {
		if name := ownExecutor(f, n); !seen[name] {
			add(name, pl.line(n), pl.File.Handle(n))
		}
	}
}
