package workspace

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/graphml"
	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/params"
)

// readFlow reads the control flow of the workfile. unread describes attributes that have no effect although their author probably
// expects one. The error, an *api.Error, lists what keeps the workfile from running.
func (w *Workspace) readFlow() (f *flow.Flow, unread []string, err error) {
	f, problems := flow.Read(w.file.Graph())
	var wrong []api.Problem
	for _, p := range problems {
		switch {
		case p.Severity == graph.Error && p.Code != flow.CodeGroupCycle: // the scheduler finds those in the scope
			wrong = append(wrong, w.problem(p))
		case p.Code == flow.CodeUnknown || p.Code == flow.CodeUseless:
			unread = append(unread, p.Message)
		}
	}
	for _, p := range w.oddities() {
		switch {
		case p.Severity == "error":
			wrong = append(wrong, p)
		case p.Code == graphml.WarnUnread:
			unread = append(unread, p.Message)
		}
	}
	if len(wrong) == 0 {
		return f, few(unread), nil
	}
	first := wrong[0]
	e := &api.Error{Code: api.CodeWorkfile, Message: first.Message, Nodes: first.Nodes, Where: w.file.Where(first.Line),
		Fix: "wf check shows all problems"}
	if more := len(wrong) - 1; more > 0 {
		e.Fix = fmt.Sprintf("wf check shows this and %d more", more)
	}
	return nil, nil, e
}

// few returns the first notes, and how many more there are.
func few(notes []string) []string {
	const most = 3
	if more := len(notes) - most; more > 0 {
		return append(notes[:most:most], fmt.Sprintf("wf check shows %d more like these", more))
	}
	return notes
}

// job returns the job of an execution.
func (r *run) job(i, execution int, line string) executor.Job {
	n := &r.Nodes[i]
	id := executor.ID{Node: i, Execution: execution}
	env := []string{"WF_NODE_ID=" + n.ID, "WF_NODE_NAME=" + n.Name, "WF_EXECUTION=" + history.RunID(execution),
		"WF_OUTPUT=" + r.outputFile(id)}
	return executor.Job{ID: id, Shell: r.Request.Shell, Command: line, Env: append(env, r.Sched.Environment(i)...), Merge: r.Merges(i)}
}

// control fills in what a request says beyond plain commands and dependencies.
func (w *Workspace) control(r *run, f *flow.Flow, scope scheduler.Scope, req api.RunRequest) error {
	if f.Plain() && len(req.Mocks) == 0 && len(req.Params) == 0 {
		return nil
	}
	r.Prior = w.nodes.Prior
	r.Request.Seed = rand.Text()
	params, problems := flow.Resolve(f.Params, req.Params, flow.Machine{})
	if err := paramError(problems); err != nil {
		return err
	}
	mocks, err := w.mocks(req.Mocks)
	if err != nil {
		return err
	}
	var held map[string]int
	if r.Request.Caller != nil {
		held = r.Request.Caller.Held
	}
	if err := w.servable(f, scope.Nodes, mocks, held); err != nil {
		return err
	}
	r.notes = append(r.notes, w.keptMocks(mocks, scope.Mode)...)
	if r.Prior, err = w.outsideMocks(f, mocks, scope.Nodes, r.Prior); err != nil {
		return err
	}
	r.Prior = w.outsideRecords(f, scope.Nodes, r.Prior)
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

// mocks finds the nodes that mocks replace.
func (w *Workspace) mocks(asked []api.Mock) (map[string]scheduler.Mock, error) {
	mocks := map[string]scheduler.Mock{}
	for _, m := range asked {
		outputs, err := params.Exact(m.Outputs)
		if err != nil {
			return nil, api.Invalid("the outputs of the mock %s: %v", m.Nodes, err)
		}
		mock := scheduler.Mock{Skip: m.Skip, Exit: m.Exit, Outputs: outputs}
		if strings.Contains(m.Nodes, "]/") {
			if w.nodes.TemplateOf(m.Nodes) == nil {
				return nil, &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("no node in a sub-flow is called %s", m.Nodes),
					Fix: "wf ls lists all; [*] stands for every instance"}
			}
			mocks[m.Nodes] = mock
			continue
		}
		nodes, err := w.file.Select([]string{m.Nodes})
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			mocks[n.ID] = mock
		}
	}
	return mocks, nil
}
