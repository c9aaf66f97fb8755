package workspace

import (
	"encoding/json"
	"fmt"
	"slices"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/flow"
)

// Checks before a run starts: what makes it impossible, or different from what its user expects.

// servable refuses a run with a command that needs more units of a pool than the pool has, minus those that the callers of the run
// hold until it ends. mocked nodes are not executed and need nothing.
func (w *Workspace) servable(f *flow.Flow, nodes []*graph.Node, mocks map[string]scheduler.Mock, held map[string]int) error {
	if w.cfg.Pools == nil || f == nil || f.Plain() {
		return nil
	}
	for _, n := range nodes {
		rules := f.Node(n)
		if rules == nil {
			continue
		}
		if _, mocked := mocks[n.ID]; mocked {
			continue
		}
		for _, use := range rules.Pool {
			size := w.cfg.Pools.Size(use.Name)
			if use.Units <= size-held[use.Name] {
				continue
			}
			name := w.file.Handle(n)
			e := &api.Error{Code: api.CodeWorkfile, Nodes: []string{name}, Where: w.file.Where(w.file.Document().NodeLine(n.ID)),
				Message: fmt.Sprintf("node %s needs %s:%d, and the size of pool %s is %d", name, use.Name, use.Units, use.Name, size),
				Fix:     fmt.Sprintf("wf server pools %s=%d, or wf edit set %s pool %s:N with less", use.Name, use.Units, name, use.Name)}
			if use.Units <= size {
				e.Why = fmt.Sprintf("the command that starts this run holds %d of it until the run is over", held[use.Name])
				e.Fix = fmt.Sprintf("wf server pools %s=%d, or let the command that runs %s need less", use.Name, use.Units+held[use.Name], w.path)
			}
			return e
		}
	}
	return nil
}

// otherParams returns the parameters that a resume gives other values than the run that it resumes, and that run. What is kept
// of that run was made with the old values.
func (w *Workspace) otherParams(scope scheduler.Scope, params map[string]any) (run int, names []string) {
	if scope.Mode != scheduler.Resume {
		return 0, nil
	}
	for _, n := range scope.Failed {
		run = max(run, w.nodes.LastRun(n))
	}
	f, _, err := w.readFlow()
	if err != nil || len(f.Params) == 0 || run == 0 {
		return 0, nil
	}
	then, _ := w.nodes.Earlier(run)
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

// withOwnParams handles a run that would resume another one with other parameters. It would mix results of both, so it becomes a
// fresh run, unless the request asks for a resume.
func (w *Workspace) withOwnParams(req api.RunRequest, scope scheduler.Scope) (api.RunRequest, scheduler.Scope, string, error) {
	run, names := w.otherParams(scope, req.Params)
	switch {
	case len(names) == 0:
		return req, scope, "", nil
	case req.Mode == api.ModeResume:
		return req, scope, fmt.Sprintf("what is kept of run %d was made with another value of %s", run, api.Several(names, 5)), nil
	}
	req.Mode = api.ModeFresh
	scope, err := w.scope(req)
	return req, scope, fmt.Sprintf("everything runs: run %d had another value of %s (wf resume keeps what it has done)", run, api.Several(names, 5)), err
}
