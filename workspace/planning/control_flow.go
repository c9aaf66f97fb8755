package planning

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/graphml"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/params"
)

// ReadFlow reads the control flow of the workfile. unread describes attributes that have no effect although their author
// probably expects one. The error is an *api.Error that lists the problems that prevent runs.
func (pl *Planner) ReadFlow() (f *flow.Flow, unread []string, err error) {
	f, problems := flow.Read(pl.File.Graph())
	var wrong []api.Problem
	for _, p := range problems {
		switch {
		case p.Severity == graph.Error && p.Code != flow.CodeGroupCycle: // the scheduler reports cycles within the scope
			wrong = append(wrong, pl.problem(p))
		case p.Code == flow.CodeUnknown || p.Code == flow.CodeUseless:
			unread = append(unread, p.Message)
		}
	}
	for _, p := range pl.parserWarnings() {
		switch {
		case p.Severity == "error":
			wrong = append(wrong, p)
		case p.Code == graphml.WarnUnread:
			unread = append(unread, p.Message)
		}
	}
	if len(wrong) == 0 {
		return f, firstNotes(unread), nil
	}
	first := wrong[0]
	e := &api.Error{Code: api.CodeWorkfile, Message: first.Message, Nodes: first.Nodes, Where: pl.File.Where(first.Line),
		Fix: "wf check shows all problems"}
	if more := len(wrong) - 1; more > 0 {
		e.Fix = fmt.Sprintf("wf check shows this and %d more", more)
	}
	return nil, nil, e
}

// firstNotes returns the first notes, and the number of further ones.
func firstNotes(notes []string) []string {
	const most = 3
	if more := len(notes) - most; more > 0 {
		return append(notes[:most:most], fmt.Sprintf("wf check shows %d more like these", more))
	}
	return notes
}

// control adds the control flow of a request to a draft: parameters, mocks and prior state.
func (pl *Planner) control(r *Draft, f *flow.Flow, scope scheduler.Scope, req api.RunRequest) error {
	if f.Plain() && len(req.Mocks) == 0 && len(req.Params) == 0 {
		return nil
	}
	r.Prior = pl.Nodes.Prior
	r.Request.Seed = rand.Text()
	params, problems := flow.Resolve(f.Params, req.Params, paramMachine(pl.Folder(), req.Env))
	if err := paramError(problems); err != nil {
		return err
	}
	mocks, err := pl.mocks(req.Mocks)
	if err != nil {
		return err
	}
	var held map[string]int
	if r.Request.Caller != nil {
		held = r.Request.Caller.Held
	}
	if err := pl.servable(f, scope.Nodes, mocks, held); err != nil {
		return err
	}
	r.notes = append(r.notes, pl.keptMocks(mocks, scope.Mode)...)
	if r.Prior, err = pl.outsideMocks(f, mocks, scope.Nodes, r.Prior); err != nil {
		return err
	}
	r.Prior = pl.outsideRecords(f, scope.Nodes, r.Prior)
	r.secrets = secretsOf(f, params)
	if r.Request.Params, err = json.Marshal(flow.Hide(f.Params, params)); err != nil {
		return api.Invalid("the parameters: %v", err)
	}
	if len(mocks) > 0 {
		if r.Request.Mocks, err = json.Marshal(mocks); err != nil {
			return api.Invalid("the mocks: %v", err)
		}
	}
	return nil
}

// mocks resolves the nodes that the mocks of a request replace.
func (pl *Planner) mocks(asked []api.Mock) (map[string]scheduler.Mock, error) {
	mocks := map[string]scheduler.Mock{}
	for _, m := range asked {
		outputs, err := params.Exact(m.Outputs)
		if err != nil {
			return nil, api.Invalid("the outputs of the mock %s: %v", m.Nodes, err)
		}
		mock := scheduler.Mock{Skip: m.Skip, Exit: m.Exit, Outputs: outputs}
		if strings.Contains(m.Nodes, "]/") {
			if pl.Nodes.TemplateOf(m.Nodes) == nil {
				return nil, &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("no node in a sub-flow is called %s", m.Nodes),
					Fix: "wf ls lists all; [*] stands for every instance"}
			}
			mocks[m.Nodes] = mock
			continue
		}
		nodes, err := pl.File.Select([]string{m.Nodes})
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			mocks[n.ID] = mock
		}
	}
	return mocks, nil
}

// secretsOf returns the secret parameters of a run as environment variables. While the run is active they are stored only in
// its environment.
func secretsOf(f *flow.Flow, params map[string]any) []string {
	var env []string
	for _, p := range f.Params {
		if value, given := params[p.Name]; given && p.Type == flow.Secret {
			env = append(env, flow.ParamVariable(p.Name)+"="+expression.Format(value))
		}
	}
	return env
}
