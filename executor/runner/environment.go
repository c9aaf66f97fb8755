package runner

import (
	"slices"

	"wf/executor/rundir"
	"wf/executor/shell"
)

// An environment is that of the run, ready to be combined with that of a job.
type environment struct {
	base    []string
	missing bool // the file is gone or not whole: the run was closed before, or the machine went down just after it began
	hooked  bool // something in it changes what a shell does, see IsHook

	// The jobs of a run set the same variables, so that taking those out of base is done once.
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

// with returns the environment with vars on top. It is valid until the next call.
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
	return append(e.rest, vars...) // into the spare room: e.rest keeps its length
}
