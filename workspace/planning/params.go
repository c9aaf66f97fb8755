package planning

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/executor"
	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/loop"
	"wf/workspace/params"
	"wf/workspace/workfile"
)

// Limits for the commands that list the choices of a parameter.
const (
	choicesTime  = 10 * time.Second
	choicesBytes = 1 << 20
)

// Params lists the parameters of the workfile with their current choices, and the problems of the values in req.
func (pl *Planner) Params(ctx context.Context, req api.ParamsRequest) (api.ParamList, error) {
	c, err := workfile.Ask(ctx, pl.File, func() (*params.Check, error) { return pl.paramCheck(ctx, req.Params, req.Env) })
	if err != nil {
		return api.ParamList{}, err
	}
	return c.List(), ctx.Err()
}

// resolveParams returns the parameter values of a run. It runs commands, so it must not be called on the loop. The error is
// an *api.Error that lists all problems, or the error of ctx.
func (pl *Planner) resolveParams(ctx context.Context, req api.RunRequest) (map[string]any, error) {
	c, err := loop.Ask(ctx, pl.Loop, func() (*params.Check, error) { return pl.paramCheck(ctx, pl.withResumed(req), req.Env) })
	if err != nil {
		return nil, err
	}
	values, problems := flow.Resolve(c.Params, c.Given, c.Machine())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return values, paramError(problems)
}

// withResumed adds the values of the resumed run for parameters that the request does not set and that still exist.
func (pl *Planner) withResumed(req api.RunRequest) map[string]any {
	text, _ := pl.File.Graph().Attr("params")
	if strings.TrimSpace(text) == "" {
		return req.Params
	}
	scope, err := pl.scope(req)
	old := scope.Failed
	if _, holders, _ := pl.Nodes.InstancePaths(req.Nodes); holders != nil {
		old = holders
	}
	if err != nil || len(old) == 0 {
		return req.Params
	}
	latest := 0
	for _, n := range old {
		latest = max(latest, pl.Nodes.LastRun(n))
	}
	then, _ := pl.Nodes.Earlier(latest) // empty if the run was removed from the history
	values, err := params.Decode(then.Params)
	if err != nil || len(values) == 0 {
		return req.Params
	}
	declared, _ := flow.ParseParams(text)
	maps.DeleteFunc(values, func(name string, _ any) bool {
		return !slices.ContainsFunc(declared, func(p flow.Param) bool { return p.Name == name && p.Type != flow.Secret })
	})
	maps.Copy(values, req.Params)
	return values
}

// paramError returns an error that lists problems of parameters, or nil if there are none.
func paramError(problems []flow.ParamProblem) error {
	if len(problems) == 0 {
		return nil
	}
	e := &api.Error{Code: api.CodeInvalid, Message: "1 parameter is not right", Problems: params.Problems(problems),
		Fix: "say it with -p NAME=VALUE, or --params FILE; wf run asks for what is missing on a terminal"}
	if len(problems) > 1 {
		e.Message = fmt.Sprintf("%d parameters are not right", len(problems))
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	e.Why = strings.Join(lines, "\n")
	return e
}

// paramCheck returns a params.Check with the data that belongs to the loop.
func (pl *Planner) paramCheck(ctx context.Context, given map[string]any, env []string) (*params.Check, error) {
	if err := pl.Usable(); err != nil {
		return nil, err
	}
	c := &params.Check{Context: ctx, Given: given}
	text, declared := pl.File.Graph().Attr("params")
	if declared && strings.TrimSpace(text) != "" {
		params, problems := flow.ParseParams(text)
		if len(problems) > 0 {
			return nil, &api.Error{Code: api.CodeWorkfile, Message: "the parameters of the workfile cannot be used", Where: pl.Path,
				Why: problems[0].String(), Fix: "wf check"}
		}
		c.Params = params
	}
	shell, _ := pl.File.Graph().Attr("shell")
	c.Question = executor.Question{Shell: shell, Cwd: pl.Folder(), Limit: choicesBytes, Time: choicesTime,
		Env: append(env[:len(env):len(env)], "WF_WORKFILE="+pl.Path)}
	c.Asker = pl.Asker
	return c, nil
}

// paramMachine returns the checks of values that need no command.
func paramMachine(folder string, env []string) flow.Machine {
	c := params.Check{Question: executor.Question{Cwd: folder, Env: env}}
	m := c.Machine()
	m.Choices = nil
	return m
}

// otherParams returns the names of the parameters whose values differ from those of the resumed run, and the number of that
// run. The nodes that a resume keeps were executed with the old values.
func (pl *Planner) otherParams(scope scheduler.Scope, params map[string]any) (run int, names []string) {
	if scope.Mode != scheduler.Resume {
		return 0, nil
	}
	for _, n := range scope.Failed {
		run = max(run, pl.Nodes.LastRun(n))
	}
	f, _, err := pl.ReadFlow()
	if err != nil || len(f.Params) == 0 || run == 0 {
		return 0, nil
	}
	then, _ := pl.Nodes.Earlier(run)
	if len(then.Params) == 0 {
		return 0, nil
	}
	values, problems := flow.Resolve(f.Params, params, flow.Machine{})
	if len(problems) > 0 {
		return 0, nil // the run is refused anyway
	}
	text, err := json.Marshal(values)
	var now, before map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &now) != nil || json.Unmarshal(then.Params, &before) != nil {
		return 0, nil
	}
	for _, p := range f.Params {
		if was, had := before[p.Name]; had && p.Type != flow.Secret && string(was) != string(now[p.Name]) {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return run, names
}

// withOwnParams handles a run that would resume another one with different parameters. Because this would mix results of
// both, the run becomes a fresh run, unless the request explicitly asks for a resume.
func (pl *Planner) withOwnParams(req api.RunRequest, scope scheduler.Scope) (api.RunRequest, scheduler.Scope, string, error) {
	run, names := pl.otherParams(scope, req.Params)
	switch {
	case len(names) == 0:
		return req, scope, "", nil
	case req.Mode == api.ModeResume:
		return req, scope, fmt.Sprintf("what is kept of run %d was made with another value of %s", run, api.Several(names, 5)), nil
	}
	req.Mode = api.ModeFresh
	scope, err := pl.scope(req)
	return req, scope, fmt.Sprintf("everything runs: run %d had another value of %s (wf resume keeps what it has done)", run, api.Several(names, 5)), err
}
