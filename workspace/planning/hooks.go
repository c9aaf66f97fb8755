package planning

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/graph/timespan"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// hookTimeout is the attribute of the graph that bounds each hook; usualHookTime is its default.
const (
	hookTimeout   = "hook_timeout"
	usualHookTime = time.Minute

	fromSettings = "the settings"
)

// addHooks sets the commands around a run and around its nodes: those of the settings of the user, which are for all runs that no
// command of another run starts, then those of the workfile, and then those of single nodes.
func addHooks(pl *Planner, r *Draft, req api.RunRequest) error {
	limit, err := hookTime(pl, req)
	if err != nil {
		return err
	}
	add := func(event, command, from, node string) {
		if strings.TrimSpace(command) != "" {
			r.Request.Hooks = append(r.Request.Hooks, history.Hook{Event: event, Command: command, From: from, TimeoutMS: limit.Milliseconds(), Node: node})
		}
	}
	d := req.Defaults
	if d == nil || req.Caller != nil {
		d = &api.RunDefaults{}
	}
	for _, x := range []struct{ event, command string }{
		{history.BeforeRun, d.BeforeRun}, {history.BeforeNode, d.BeforeNode}, {history.AfterNode, d.AfterNode}, {history.AfterRun, d.AfterRun},
	} {
		own, _ := pl.File.Graph().Attr(x.event)
		add(x.event, x.command, fromSettings, "")
		add(x.event, own, "the workfile", "")
	}
	for _, id := range r.Request.Scope {
		n := pl.File.Graph().Node(id)
		for _, event := range []string{history.BeforeNode, history.AfterNode} {
			if own, _ := n.Attr(event); own != "" && !n.Container {
				add(event, own, "node "+pl.File.Handle(n), id)
			}
		}
	}
	return nodeHooksHere(pl, r, req)
}

// nodeHooksHere returns an error if a node with hooks is executed by an engine: the hooks of a node run beside its command, and an
// engine may execute that on another machine, without wf.
func nodeHooksHere(pl *Planner, r *Draft, req api.RunRequest) error {
	i := slices.IndexFunc(r.Request.Hooks, func(k history.Hook) bool { return k.Event == history.BeforeNode || k.Event == history.AfterNode })
	if i < 0 {
		return nil
	}
	mocks, err := pl.mocks(req.Mocks)
	if err != nil {
		return err
	}
	for _, id := range r.Request.Scope {
		n := pl.File.Graph().Node(id)
		if _, mocked := mocks[id]; mocked || n.Container && !n.SubFlow() {
			continue
		}
		own := ""
		if r.Flow != nil {
			own = ownExecutor(r.Flow, n)
		}
		name := runstate.Elsewhere(cmp.Or(own, r.Request.Executor))
		for _, k := range r.Request.Hooks {
			if name == "" || k.Event != history.BeforeNode && k.Event != history.AfterNode || k.Node != "" && k.Node != id {
				continue
			}
			handle := pl.File.Handle(n)
			e := &api.Error{Code: api.CodeWorkfile, Nodes: []string{handle},
				Message: elsewhereText(k.Event, k.From, name, handle),
				Fix:     "use a wrapper, which is executed with the command (wf help hooks), or remove the hook"}
			if k.From == fromSettings {
				e.Code = api.CodeInvalid
			}
			return e
		}
	}
	return nil
}

// hookTime returns the time limit of a hook.
func hookTime(pl *Planner, req api.RunRequest) (time.Duration, error) {
	text, _ := pl.File.Graph().Attr(hookTimeout)
	if text = strings.TrimSpace(text); text == "" && req.Defaults != nil && req.Defaults.HookTimeoutMS > 0 {
		return time.Duration(req.Defaults.HookTimeoutMS) * time.Millisecond, nil
	}
	if text == "" {
		return usualHookTime, nil
	}
	limit, err := timespan.Parse(text)
	if err != nil || limit <= 0 {
		return 0, &api.Error{Code: api.CodeWorkfile, Message: fmt.Sprintf("%s is %q: it must be a time like 30s or 2m", hookTimeout, text),
			Where: pl.File.Where(pl.File.Document().GraphAttrLine(hookTimeout)), Fix: "wf edit set-graph " + hookTimeout + " 1m"}
	}
	return limit, nil
}

// checkHooks adds problems for a time limit and for hooks around nodes that a run would refuse.
func checkHooks(pl *Planner, c *api.Check, f *flow.Flow) {
	if _, err := hookTime(pl, api.RunRequest{}); err != nil {
		addProblem(c, api.Problem{Severity: "error", Code: hookTimeout, Line: pl.File.Document().GraphAttrLine(hookTimeout), Message: err.(*api.Error).Message})
	}
	for _, n := range pl.File.Graph().Nodes() {
		name := runstate.Elsewhere(cmp.Or(ownExecutor(f, n), f.Executor))
		if name == "" || n.Container && !n.SubFlow() {
			continue
		}
		for _, event := range []string{history.BeforeNode, history.AfterNode} {
			handle, from, line := pl.File.Handle(n), "", 0
			if own, _ := n.Attr(event); own != "" && !n.Container {
				from, line = "node "+handle, pl.File.Document().NodeAttrLine(n.ID, event)
			} else if own, _ = pl.File.Graph().Attr(event); own != "" {
				from, line = "the workfile", pl.File.Document().GraphAttrLine(event)
			}
			if from != "" {
				addProblem(c, api.Problem{Severity: "error", Code: event, Nodes: []string{handle}, Line: line, Message: elsewhereText(event, from, name, handle)})
				return // a workfile with thousands of nodes would have as many of them
			}
		}
	}
}

// elsewhereText says that a hook of a node cannot run because an executor executes the node.
func elsewhereText(event, from, executor, handle string) string {
	return fmt.Sprintf("%s of %s cannot run: the executor %s executes node %s, and hooks around nodes exist only on this machine", event, from, executor, handle)
}

// planHooks adds to a plan the hooks that the run would execute.
func planHooks(pl *Planner, plan *api.Plan, r *Draft, req api.RunRequest) error {
	if err := addHooks(pl, r, req); err != nil {
		return err
	}
	for _, k := range r.Request.Hooks {
		h := api.PlanHook{Event: k.Event, Command: k.Command, From: k.From, TimeoutMS: k.TimeoutMS}
		if k.Node != "" {
			h.Node = pl.File.Handle(pl.File.Graph().Node(k.Node))
		}
		plan.Hooks = append(plan.Hooks, h)
	}
	return nil
}
