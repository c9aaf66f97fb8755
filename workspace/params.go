package workspace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/executor"
	"wf/scheduler/flow"
	"wf/workspace/params"
)

// Bounds of the commands that list the choices of a parameter.
const (
	choicesTime  = 10 * time.Second
	choicesBytes = 1 << 20
)

// Params lists the parameters of the workfile, with the choices that their commands print now, and what is wrong with the
// values in req.
func (w *Workspace) Params(ctx context.Context, req api.ParamsRequest) (api.ParamList, error) {
	c, err := askNow(ctx, w, func(w *Workspace) (*params.Check, error) { return w.paramCheck(ctx, req.Params, req.Env) })
	if err != nil {
		return api.ParamList{}, err
	}
	return c.List(), ctx.Err()
}

// resolveParams returns the values of a run for what a request gives. It runs commands, so it must not be called on the loop.
// The error is an *api.Error that lists all problems, or that of ctx.
func (w *Workspace) resolveParams(ctx context.Context, req api.RunRequest) (map[string]any, error) {
	c, err := ask(ctx, w, func(w *Workspace) (*params.Check, error) { return w.paramCheck(ctx, w.withResumed(req), req.Env) })
	if err != nil {
		return nil, err
	}
	values, problems := flow.Resolve(c.Params, c.Given, c.Machine())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return values, paramError(problems)
}

// withResumed returns the given values. Where a request gives none, the value of the run that it resumes counts, if the parameter
// still exists.
func (w *Workspace) withResumed(req api.RunRequest) map[string]any {
	text, _ := w.file.Graph().Attr("params")
	if strings.TrimSpace(text) == "" {
		return req.Params
	}
	scope, err := w.scope(req)
	old := scope.Failed
	if _, holders, _ := w.nodes.InstancePaths(req.Nodes); holders != nil {
		old = holders
	}
	if err != nil || len(old) == 0 {
		return req.Params
	}
	latest := 0
	for _, n := range old {
		latest = max(latest, w.nodes.LastRun(n))
	}
	then, _ := w.nodes.Earlier(latest) // nothing if the run was removed from the history
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

// paramError returns the error about wrong parameters of a run; nil for none.
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

// paramCheck collects for params.Check what belongs to the loop.
func (w *Workspace) paramCheck(ctx context.Context, given map[string]any, env []string) (*params.Check, error) {
	if err := w.usable(); err != nil {
		return nil, err
	}
	c := &params.Check{Context: ctx, Given: given}
	text, declared := w.file.Graph().Attr("params")
	if declared && strings.TrimSpace(text) != "" {
		params, problems := flow.ParseParams(text)
		if len(problems) > 0 {
			return nil, &api.Error{Code: api.CodeWorkfile, Message: "the parameters of the workfile cannot be used", Where: w.path,
				Why: problems[0].String(), Fix: "wf check"}
		}
		c.Params = params
	}
	shell, _ := w.file.Graph().Attr("shell")
	c.Question = executor.Question{Shell: shell, Cwd: w.cwd(), Limit: choicesBytes, Time: choicesTime,
		Env: append(env[:len(env):len(env)], "WF_WORKFILE="+w.path)}
	c.Asker, _ = w.cfg.Executor.(params.Asker)
	return c, nil
}
