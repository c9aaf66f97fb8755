package planning

import (
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/graph/timespan"
	"wf/workspace/history"
)

// hookTimeout is the attribute of the graph that bounds each hook; usualHookTime is its default.
const (
	hookTimeout   = "hook_timeout"
	usualHookTime = time.Minute
)

// addHooks sets the commands before and after a run: those of the settings of the user, which are for all runs that no command of
// another run starts, and then those of the workfile.
func addHooks(pl *Planner, r *Draft, req api.RunRequest) error {
	limit, err := hookTime(pl, req)
	if err != nil {
		return err
	}
	add := func(event, command, from string) {
		if strings.TrimSpace(command) != "" {
			r.Request.Hooks = append(r.Request.Hooks, history.Hook{Event: event, Command: command, From: from, TimeoutMS: limit.Milliseconds()})
		}
	}
	d := req.Defaults
	if d == nil || req.Caller != nil {
		d = &api.RunDefaults{}
	}
	for event, command := range map[string]string{history.BeforeRun: d.BeforeRun, history.AfterRun: d.AfterRun} {
		own, _ := pl.File.Graph().Attr(event)
		add(event, command, "the settings")
		add(event, own, "the workfile")
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

// checkHooks adds a problem for a time limit that a run would refuse.
func checkHooks(pl *Planner, c *api.Check) {
	if _, err := hookTime(pl, api.RunRequest{}); err != nil {
		addProblem(c, api.Problem{Severity: "error", Code: hookTimeout, Line: pl.File.Document().GraphAttrLine(hookTimeout), Message: err.(*api.Error).Message})
	}
}
