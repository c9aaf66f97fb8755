package runner

import (
	"slices"

	"wf/executor/rundir"
	"wf/executor/shell"
)

// An environment is the environment of the run, prepared to be combined with the variables of jobs.
type environment struct {
	base    []string
	missing bool // the file is missing or incomplete: the run was closed, or the machine crashed just after its start
	hooked  bool // a variable changes what a shell does, see shell.IsHook

	// The jobs of a run set the same variables, so their removal from base is cached.
	overridden []string
	rest       []string
}

// openEnvironment reads the environment of the run from the file at path.
func openEnvironment(path string) (*environment, error) {
	base, whole, err := rundir.ReadEnvironment(path)
	if err != nil {
		return nil, err
	}
	return &environment{base: base, missing: !whole, hooked: slices.ContainsFunc(base, shell.IsHook)}, nil
}

// with returns the environment with vars added or replaced. It is valid until the next call.
func (e *environment) with(vars []string) []string {
	if e.rest == nil || !slices.EqualFunc(vars, e.overridden, rundir.SameKey) {
		e.overridden = slices.Clone(vars)
		e.rest = make([]string, 0, len(e.base)+len(vars))
		for _, v := range e.base {
			if !slices.ContainsFunc(vars, func(w string) bool { return rundir.SameKey(v, w) }) {
				e.rest = append(e.rest, v)
			}
		}
	}
	return append(e.rest, vars...) // e.rest has spare capacity and keeps its length
}
