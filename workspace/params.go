package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/executor"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// Bounds of the commands that list the choices of a parameter.
const (
	choicesTime  = 10 * time.Second
	choicesBytes = 1 << 20
)

// An asker is an executor that also runs commands that belong to no run.
type asker interface {
	Ask(ctx context.Context, q executor.Question) ([]byte, error)
}

// Params lists the parameters of the workfile, with the choices that their commands print now, and
// what is wrong with the values that req gives.
func (w *Workspace) Params(ctx context.Context, req api.ParamsRequest) (api.ParamList, error) {
	c, err := askNow(ctx, w, func(w *Workspace) (*paramCheck, error) { return w.paramCheck(ctx, req.Params, req.Env) })
	if err != nil {
		return api.ParamList{}, err
	}
	return c.list(), ctx.Err()
}

// resolveParams makes the values of a run out of what was given for them. It runs commands, and so
// must not be called on the loop. The error is an *api.Error that lists all problems, or that of ctx.
func (w *Workspace) resolveParams(ctx context.Context, req api.RunRequest) (map[string]any, error) {
	c, err := ask(ctx, w, func(w *Workspace) (*paramCheck, error) { return w.paramCheck(ctx, w.withResumed(req), req.Env) })
	if err != nil {
		return nil, err
	}
	values, problems := flow.Resolve(c.params, c.given, c.machine())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return values, paramError(problems)
}

// withResumed is what a request gives for the parameters, and for those that it says nothing of what the
// run had that it resumes, as far as they still exist.
func (w *Workspace) withResumed(req api.RunRequest) map[string]any {
	text, _ := w.file.Graph().Attr("params")
	if strings.TrimSpace(text) == "" {
		return req.Params
	}
	scope, err := w.scope(req)
	old := scope.Failed
	if _, holders, _ := w.again(req.Nodes); holders != nil {
		old = holders
	}
	if err != nil || len(old) == 0 {
		return req.Params
	}
	latest := 0
	for _, n := range old {
		latest = max(latest, w.lastRun(n))
	}
	then, err := w.store.Request(latest)
	if err != nil {
		return req.Params // the run is forgotten, and what it was given with it
	}
	values, err := decodeValues(then.Params)
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

// paramError words what is wrong with the parameters of a run; nil if nothing is.
func paramError(problems []flow.ParamProblem) error {
	if len(problems) == 0 {
		return nil
	}
	e := &api.Error{Code: api.CodeInvalid, Message: "1 parameter is not right", Problems: paramProblems(problems),
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

func paramProblems(problems []flow.ParamProblem) []api.ParamProblem {
	var list []api.ParamProblem
	for _, p := range problems {
		list = append(list, api.ParamProblem(p))
	}
	return list
}

// paramCheck holds what was given for the parameters against their declaration. Each command that
// lists choices runs once.
type paramCheck struct {
	ctx    context.Context
	params []flow.Param
	given  map[string]any
	asker  asker // nil: choices are not listed
	asked  map[string]offer
	q      executor.Question // of every such command but for what is its own
}

// offer is what a command that lists choices has printed.
type offer struct {
	list []string
	err  error
}

// paramCheck collects what belongs to the loop.
func (w *Workspace) paramCheck(ctx context.Context, given map[string]any, env []string) (*paramCheck, error) {
	if err := w.usable(); err != nil {
		return nil, err
	}
	c := &paramCheck{ctx: ctx, given: given, asked: map[string]offer{}}
	text, declared := w.file.Graph().Attr("params")
	if declared && strings.TrimSpace(text) != "" {
		params, problems := flow.ParseParams(text)
		if len(problems) > 0 {
			return nil, &api.Error{Code: api.CodeWorkfile, Message: "the parameters of the workfile cannot be used", Where: w.path,
				Why: problems[0].String(), Fix: "wf check"}
		}
		c.params = params
	}
	shell, _ := w.file.Graph().Attr("shell")
	c.q = executor.Question{Shell: shell, Cwd: w.cwd(), Limit: choicesBytes, Time: choicesTime,
		Env: append(env[:len(env):len(env)], "WF_WORKFILE="+w.path)}
	c.asker, _ = w.cfg.Executor.(asker)
	return c, nil
}

// machine is what the checks of values ask here.
func (c *paramCheck) machine() flow.Machine {
	return flow.Machine{Choices: c.choices, Exists: c.exists}
}

// exists says why there is nothing at a path of a parameter, as commands would see it.
func (c *paramCheck) exists(path string) error {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.q.Cwd, path)
	}
	_, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("does not exist: there is no %s", path)
	case err != nil:
		return fmt.Errorf("cannot be used: %w", err)
	}
	return nil
}

// choices runs the command of a parameter, which sees the values of those it depends on.
func (c *paramCheck) choices(p flow.Param, known map[string]any) ([]string, error) {
	if o, done := c.asked[p.Name]; done {
		return o.list, o.err
	}
	o := offer{err: errors.New("this executor runs no commands for that")}
	if c.asker != nil {
		q := c.q
		q.Command = p.ChoicesFrom
		q.Env = q.Env[:len(q.Env):len(q.Env)]
		for _, name := range p.DependsOn {
			if value, has := known[name]; has {
				q.Env = append(q.Env, flow.ParamVariable(name)+"="+expression.Format(value))
			}
		}
		var out []byte
		if out, o.err = c.asker.Ask(c.ctx, q); o.err == nil {
			o.list = choiceLines(string(out))
		}
	}
	c.asked[p.Name] = o
	return o.list, o.err
}

// choiceLines are the lines of a text but for empty ones.
func choiceLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// list words the parameters for a client.
func (c *paramCheck) list() api.ParamList {
	_, problems := flow.Resolve(c.params, c.given, c.machine())
	list := api.ParamList{Schema: api.SchemaParams, Params: []api.Param{}, Problems: paramProblems(problems)}
	for i := range c.params {
		p := &c.params[i]
		choices, err := c.offered(i)
		if err != nil && !hasProblem(list.Problems, p.Name) {
			list.Problems = append(list.Problems, api.ParamProblem{Param: p.Name, Reason: fmt.Sprintf("its choices could not be listed: %v", err)})
		}
		list.Params = append(list.Params, c.param(i, choices))
	}
	return list
}

// param words one parameter.
func (c *paramCheck) param(i int, choices []string) api.Param {
	p := &c.params[i]
	return api.Param{Name: p.Name, Type: p.Type.String(), Required: p.Required, Default: p.Default,
		Help: p.Help, Min: p.Min, Max: p.Max, MinLength: p.MinLength, MaxLength: p.MaxLength, Pattern: p.Pattern, MustExist: p.MustExist,
		Choices: choices, ChoicesFrom: p.ChoicesFrom, DependsOn: p.DependsOn}
}

func hasProblem(problems []api.ParamProblem, param string) bool {
	for _, p := range problems {
		if p.Param == param {
			return true
		}
	}
	return false
}

// offered lists the choices of a parameter; none as long as one that it depends on has no good value.
func (c *paramCheck) offered(i int) ([]string, error) {
	p := c.params[i]
	if p.ChoicesFrom == "" {
		texts := make([]string, len(p.Choices))
		for k, choice := range p.Choices {
			texts[k] = expression.Format(choice)
		}
		return texts, nil
	}
	var needed []flow.Param
	given := map[string]any{}
	for _, q := range c.params[:i] {
		for _, name := range p.DependsOn {
			if q.Name == name {
				needed = append(needed, q)
				if value, has := c.given[name]; has {
					given[name] = value
				}
			}
		}
	}
	known, problems := flow.Resolve(needed, given, flow.Machine{})
	if len(problems) > 0 {
		return nil, nil
	}
	return c.choices(p, known)
}
