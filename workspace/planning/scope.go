package planning

import (
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
)

func (pl *Planner) scope(req api.RunRequest) (scheduler.Scope, error) {
	sreq := scheduler.Request{Explicit: len(req.Nodes) > 0, LastScope: pl.lastScope,
		Active: func(n *graph.Node) bool { return pl.Nodes.RunOf(n) != nil },
		Handled: func(n *graph.Node) bool {
			return pl.Nodes.Prior[n.ID].Handled && pl.Nodes.Prior[n.ID].Status == n.Status
		},
		Due: func(n *graph.Node) bool { return pl.Nodes.Prior[n.ID].Due && pl.Nodes.Prior[n.ID].Status == n.Status }}
	switch req.Mode {
	case api.ModeFresh:
		sreq.Mode = scheduler.Fresh
	case api.ModeResume:
		sreq.Mode = scheduler.Resume
	case "":
	default:
		return scheduler.Scope{}, api.Invalid("unknown mode %q (fresh, resume)", req.Mode)
	}
	var err error
	if sreq.Explicit {
		if blank(req.Nodes) {
			return scheduler.Scope{}, api.Invalid("the selection is empty: it names no node")
		}
		again, holders, err := pl.Nodes.InstancePaths(req.Nodes)
		if err != nil {
			return scheduler.Scope{}, err
		}
		if again != nil {
			return pl.repeatScope(req, sreq, again, holders)
		}
		if sreq.Selected, err = pl.File.Select(req.Nodes); err != nil {
			return scheduler.Scope{}, err
		}
		if len(sreq.Selected) == 0 {
			return scheduler.Scope{}, pl.Nodes.NothingSelected(req.Nodes)
		}
	}
	if err := pl.between(req, &sreq); err != nil {
		return scheduler.Scope{}, err
	}
	if len(req.Exclude) > 0 {
		if sreq.Excluded, err = pl.File.Select(req.Exclude); err != nil {
			return scheduler.Scope{}, err
		}
	}
	return scheduler.Choose(pl.File.Graph(), sreq)
}

// blank reports whether selectors contain no text, for example because of an unset variable in a script. Such a run would do
// nothing and succeed.
func blank(selectors []string) bool {
	return strings.Trim(strings.Join(selectors, ","), ", \t\r\n") == ""
}

// lastScope returns the scope of the last run of a node.
func (pl *Planner) lastScope(id string) ([]string, bool) {
	e, known := pl.Nodes.Earlier(pl.Nodes.Latest[id].Run)
	return e.Scope, known && e.Scope != nil
}

// admit refuses a scope that overlaps an active run, needs the user's consent, or contains nodes that cannot be executed.
func (pl *Planner) admit(scope scheduler.Scope, req api.RunRequest) error {
	for _, r := range pl.Nodes.Runs {
		var shared []string
		for _, n := range scope.Nodes {
			if _, in := r.Sched.Index(n.ID); in {
				shared = append(shared, pl.File.Handle(n))
			}
		}
		if len(shared) > 0 {
			return &api.Error{Code: api.CodeConflict, Run: r.ID, Nodes: shared,
				Message: fmt.Sprintf("run %s is active and covers %s", r.ID, api.Several(shared, 5)),
				Fix:     fmt.Sprintf("wf attach %s watches it, wf stop %s ends it", r.ID, r.ID)}
		}
	}
	if pl.onlyDrawn() && !req.AcceptDrawing {
		return &api.Error{Code: api.CodeWorkfile, Where: pl.Path,
			Message: "the commands of this workfile are texts of a drawing (yEd labels)",
			Why:     "a drawing is not always a workflow: running it needs an explicit yes once",
			Fix:     "look at wf plan, then: wf run --accept-drawing"}
	}
	return pl.executable(scope)
}

// onlyDrawn reports whether the commands are only labels of a drawing that the user has not accepted yet. Running a workfile
// on this machine accepts it.
func (pl *Planner) onlyDrawn() bool {
	return pl.File.Document().FromDrawing() && !slices.ContainsFunc(pl.File.Graph().Nodes(), func(n *graph.Node) bool { return pl.Nodes.LastRun(n) > 0 })
}

// executable refuses nodes that graph.Check does not allow to run.
func (pl *Planner) executable(scope scheduler.Scope) error {
	in := make(map[string]bool, len(scope.Nodes))
	for _, n := range scope.Nodes {
		in[n.ID] = true
	}
	for _, p := range graph.Check(pl.File.Graph()) {
		if p.Severity != graph.Error || p.Code == "cycle" {
			continue // the scheduler checks the cycles within the scope
		}
		if len(p.Nodes) > 0 && !in[p.Nodes[0]] {
			continue
		}
		e := &api.Error{Code: api.CodeWorkfile, Message: p.Message, Nodes: p.Nodes, Fix: "wf check shows all problems"}
		if len(p.Nodes) > 0 {
			e.Where = pl.File.Where(pl.File.Document().NodeLine(p.Nodes[0]))
		}
		return e
	}
	return nil
}

// outerFirst sorts the nodes of a scope: nodes of the outer flow come before nodes of sub-flows.
func outerFirst(nodes []*graph.Node) []*graph.Node {
	var inner []*graph.Node
	for i, n := range nodes {
		if n.Parent != nil && n.Home() != nil {
			if inner == nil {
				nodes = append(make([]*graph.Node, 0, len(nodes)), nodes[:i]...)
				inner = []*graph.Node{}
			}
			inner = append(inner, n)
			continue
		}
		if inner != nil {
			nodes = append(nodes, n)
		}
	}
	return append(nodes, inner...)
}
