// Package params compares parameter values with the parameters that a workfile declares, and describes both for clients.
// Package planning uses it for runs, plans and lists of parameters. It runs the commands that list choices through the
// executor, but starts no runs.
package params

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wf/api"
	"wf/executor"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// An Asker is an executor that can also run commands outside of runs.
type Asker interface {
	Ask(ctx context.Context, q executor.Question) ([]byte, error)
}

// Problems converts problems of parameters for clients.
func Problems(problems []flow.ParamProblem) []api.ParamProblem {
	var list []api.ParamProblem
	for _, p := range problems {
		list = append(list, api.ParamProblem(p))
	}
	return list
}

// A Check compares given values with the declared parameters. Each command that lists choices runs once.
type Check struct {
	Context  context.Context
	Params   []flow.Param
	Given    map[string]any
	Asker    Asker             // nil if no commands run to list choices
	Question executor.Question // what all commands that list choices have in common

	listed map[string]choices // by parameter
}

// choices is the result of a command that lists choices.
type choices struct {
	list []string
	err  error
}

// Machine returns the checks of values that depend on this machine.
func (c *Check) Machine() flow.Machine {
	return flow.Machine{Choices: c.choicesOf, Exists: c.exists, Variable: c.variable}
}

// variable returns a variable of the environment of the run.
func (c *Check) variable(name string) string {
	for _, v := range slices.Backward(c.Question.Env) {
		if key, value, _ := strings.Cut(v, "="); key == name {
			return value
		}
	}
	return ""
}

// exists returns an error if a path does not exist, as seen by commands of the run.
func (c *Check) exists(path string) error {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Question.Cwd, path)
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

// choicesOf runs the command of a parameter. The command gets the values of the parameters on which it depends.
func (c *Check) choicesOf(p flow.Param, known map[string]any) ([]string, error) {
	if o, done := c.listed[p.Name]; done {
		return o.list, o.err
	}
	o := choices{err: errors.New("this executor runs no commands for that")}
	if c.Asker != nil {
		q := c.Question
		q.Command = p.ChoicesFrom
		q.Env = q.Env[:len(q.Env):len(q.Env)]
		for _, name := range p.DependsOn {
			if value, has := known[name]; has {
				q.Env = append(q.Env, flow.ParamVariable(name)+"="+expression.Format(value))
			}
		}
		var out []byte
		if out, o.err = c.Asker.Ask(c.Context, q); o.err == nil {
			o.list = choiceLines(string(out))
		}
	}
	if c.listed == nil {
		c.listed = map[string]choices{}
	}
	c.listed[p.Name] = o
	return o.list, o.err
}

// choiceLines returns the non-empty lines of a text.
func choiceLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// List describes all parameters, with their choices and the problems of the given values.
func (c *Check) List() api.ParamList {
	_, problems := flow.Resolve(c.Params, c.Given, c.Machine())
	list := api.ParamList{Schema: api.SchemaParams, Params: []api.Param{}, Problems: Problems(problems)}
	for i := range c.Params {
		p := &c.Params[i]
		choices, err := c.Offered(i)
		if err != nil && !slices.ContainsFunc(list.Problems, func(o api.ParamProblem) bool { return o.Param == p.Name }) {
			list.Problems = append(list.Problems, api.ParamProblem{Param: p.Name, Reason: fmt.Sprintf("its choices could not be listed: %v", err)})
		}
		list.Params = append(list.Params, c.Param(i, choices))
	}
	return list
}

// Param describes parameter i.
func (c *Check) Param(i int, choices []string) api.Param {
	p := &c.Params[i]
	value := ""
	if p.DefaultEnv != "" {
		if value = c.variable(p.DefaultEnv); value != "" && p.Type == flow.Secret {
			value = flow.Hidden
		}
	}
	return api.Param{DefaultEnv: p.DefaultEnv, EnvValue: value, Name: p.Name, Type: p.Type.String(), Required: p.Required, Default: p.Default,
		Help: p.Help, Min: p.Min, Max: p.Max, MinLength: p.MinLength, MaxLength: p.MaxLength, Pattern: p.Pattern, MustExist: p.MustExist,
		Choices: choices, ChoicesFrom: p.ChoicesFrom, DependsOn: p.DependsOn}
}

// Offered lists the choices of parameter i. It lists none while a parameter on which i depends has no valid value.
func (c *Check) Offered(i int) ([]string, error) {
	p := c.Params[i]
	if p.ChoicesFrom == "" {
		texts := make([]string, len(p.Choices))
		for k, choice := range p.Choices {
			texts[k] = expression.Format(choice)
		}
		return texts, nil
	}
	var needed []flow.Param
	given := map[string]any{}
	for _, q := range c.Params[:i] {
		if !slices.Contains(p.DependsOn, q.Name) {
			continue
		}
		needed = append(needed, q)
		if value, has := c.Given[q.Name]; has {
			given[q.Name] = value
		}
	}
	known, problems := flow.Resolve(needed, given, flow.Machine{Variable: c.variable})
	if len(problems) > 0 {
		return nil, nil
	}
	return c.choicesOf(p, known)
}
