package workspace

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wf/api"
	"wf/executor"
	"wf/executor/ownfile"
	"wf/executor/shell"
	"wf/graph"
	"wf/graphml"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/history"
)

// readFlow reads the control flow of the workfile. unread says which attributes have no effect, though
// their author probably thinks so. The error, an *api.Error, lists what keeps it from running in the scope.
func (w *Workspace) readFlow() (f *flow.Flow, unread []string, err error) {
	f, problems := flow.Read(w.g)
	var wrong []api.Problem
	for _, p := range problems {
		switch {
		case p.Severity == graph.Error && p.Code != flow.CodeGroupCycle: // the scheduler looks for those in the scope
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
	e := &api.Error{Code: api.CodeWorkfile, Message: first.Message, Nodes: first.Nodes, Where: w.where(first.Line),
		Fix: "wf check shows all problems"}
	if more := len(wrong) - 1; more > 0 {
		e.Fix = fmt.Sprintf("wf check shows this and %d more", more)
	}
	return nil, nil, e
}

// few are the first notes, and how many there are beside.
func few(notes []string) []string {
	const most = 3
	if more := len(notes) - most; more > 0 {
		return append(notes[:most:most], fmt.Sprintf("wf check shows %d more like these", more))
	}
	return notes
}

// runOptions are the options of a new run, and of one that is taken up: everything in them is in the
// run's folder, or in the environment that the executor keeps.
func runOptions(req history.Request, f *flow.Flow, past scheduler.Prior, env []string) (scheduler.Options, error) {
	opt := scheduler.Options{MaxActivations: req.MaxActivations, MaxInstances: req.MaxInstances, FailFast: req.FailFast}
	if f == nil || f.Plain() && len(req.Mocks) == 0 {
		return opt, nil
	}
	opt.Flow, opt.Prior, opt.Seed = f, past, req.Seed
	opt.Run = expression.Run{ID: runID(req.Run), Workfile: req.Workfile}
	opt.Variable = variable(env)
	if len(req.Again) > 0 {
		opt.Repeat = make(map[string]bool, len(req.Again))
		for _, path := range req.Again {
			opt.Repeat[path] = true
		}
	}
	var params expression.Values
	for what, to := range map[string]struct {
		data json.RawMessage
		into any
	}{"parameters": {req.Params, &params}, "mocks": {req.Mocks, &opt.Mocks}} {
		if len(to.data) == 0 {
			continue
		}
		if err := json.Unmarshal(to.data, to.into); err != nil {
			return opt, fmt.Errorf("the %s of the run: %w", what, err)
		}
	}
	opt.Variable = hideSecrets(f, opt.Variable)
	for _, p := range f.Params {
		if p.Type != flow.Secret || params[p.Name] == nil {
			continue
		}
		if value := variable(env)(flow.ParamVariable(p.Name)); value != "" {
			params[p.Name] = value // of a run that is over it is not known any more
		}
	}
	opt.Params = params
	return opt, nil
}

// variable looks up a variable in an environment; of several of a name the last one counts.
func variable(env []string) func(name string) string {
	return func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if key, value, _ := strings.Cut(env[i], "="); key == name {
				return value
			}
		}
		return ""
	}
}

// pastFile holds what a run knows of earlier ones, in its folder, and what the next one will know, in
// that of the workspace.
const pastFile = "past.json"

func readPast(path string) (scheduler.Prior, error) {
	data, err := ownfile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var past scheduler.Prior
	if err := json.Unmarshal(data, &past); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return past, nil
}

func (w *Workspace) pastPath() string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, pastFile)
}

// readBefore reads what earlier runs have left for later ones. Without it a resume goes by the statuses
// alone.
func (w *Workspace) readBefore() {
	var err error
	if w.before, err = readPast(w.pastPath()); err != nil {
		w.cfg.Log.Warn("what earlier runs have left cannot be read", "workspace", w.id, "err", err)
	}
}

// recallPast adds it to what the history tells.
func (w *Workspace) recallPast() {
	for id, p := range w.before {
		m := w.last[id]
		// What has ended without an execution is in no record: mocks, sub-flows, what waited for a person.
		// Of a sub-flow the record is that of the command that lists its items.
		if (m.rec == nil || m.rec.status != p.Status || m.rec.run != m.run) && (p.Mocked || p.Status == graph.Failed) {
			m.rec = &nodeRecord{run: m.run, status: p.Status, reason: api.Reason(p.Reason), exitCode: p.Exit, mocked: p.Mocked,
				message: p.Message}
			w.last[id] = m
		}
		if m.rec != nil && m.rec.status == p.Status {
			m.rec.handled, m.rec.outputs = p.Handled, p.Outputs
		}
	}
}

// keepPast leaves to later runs what they need to know of this one. What it knew of nodes that were not
// part of it stays.
func (r *run) keepPast(w *Workspace) error {
	mine := r.sched.Prior()
	if mine == nil {
		if mine = r.plainPast(); len(mine) == 0 && !r.inPast(w.before) {
			return nil
		}
	}
	all := make(scheduler.Prior, len(mine)+len(r.past))
	subFlows := r.instancePrefixes()
	for id, p := range w.before {
		if _, ours := r.sched.Index(id); ours {
			continue
		}
		inside := slices.ContainsFunc(subFlows, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
		if !inside || !r.req.All && r.sched.LeavesOut(id) {
			all[id] = p
		}
	}
	for id, p := range mine {
		all[id] = p
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := history.ReplaceFile(w.disk(), w.pastPath(), data); err != nil {
		return err
	}
	w.before = all
	return nil
}

// plainPast is what commands of a run without control flow have put out: a later one may ask for it.
func (r *runState) plainPast() scheduler.Prior {
	past := scheduler.Prior{}
	for i := range r.nodes {
		if rec := r.nodes[i].rec; rec != nil && rec.run == r.n && len(rec.outputs) > 0 {
			past[r.nodes[i].id] = pastOfRecord(rec)
		}
	}
	return past
}

func pastOfRecord(rec *nodeRecord) scheduler.PriorNode {
	p := scheduler.PriorNode{Status: rec.status, Reason: string(rec.reason), Outputs: rec.outputs}
	if code := rec.exit(); code != nil {
		p.Exit, p.HasExit = *code, true
	}
	return p
}

// inPast says whether an earlier run has left something of a node of this one.
func (r *runState) inPast(past scheduler.Prior) bool {
	for id := range past {
		if _, ours := r.sched.Index(id); ours {
			return true
		}
	}
	return false
}

// instancePrefixes are what the paths of all instances of the run begin with.
func (r *runState) instancePrefixes() (prefixes []string) {
	for i := range r.outer() {
		if r.sched.Members(i) > 0 {
			prefixes = append(prefixes, strings.TrimSuffix(r.sched.InstancePath(i, 0), "0]"))
		}
	}
	return prefixes
}

// dropPast forgets what runs have left of nodes that are reset, and of the instances of sub-flows.
func (w *Workspace) dropPast(nodes []*graph.Node) {
	if len(w.before) == 0 {
		return
	}
	all := maps.Clone(w.before)
	for _, n := range nodes {
		delete(all, n.ID)
		if n.SubFlow() {
			maps.DeleteFunc(all, func(id string, _ scheduler.PriorNode) bool { return strings.HasPrefix(id, w.localName(n)+"[") })
		}
	}
	data, err := json.Marshal(all)
	if err == nil {
		err = history.ReplaceFile(w.disk(), w.pastPath(), data)
	}
	if err != nil {
		w.cfg.Log.Warn("what earlier runs have left cannot be forgotten", "workspace", w.id, "err", err)
		return
	}
	w.before = all
}

// job makes the job of an execution.
func (r *run) job(i, execution int, line string) executor.Job {
	n := &r.nodes[i]
	id := executor.ID{Node: i, Execution: execution}
	env := []string{"WF_NODE_ID=" + n.id, "WF_NODE_NAME=" + n.name, "WF_EXECUTION=" + runID(execution),
		"WF_OUTPUT=" + r.outputFile(id)}
	return executor.Job{ID: id, Shell: r.req.Shell, Command: line, Env: append(env, r.sched.Environment(i)...), Merge: r.merges(i)}
}

// merges reports whether a node writes both streams into one output. The command that lists the items of
// a sub-flow never does: what it says on standard error is no item.
func (r *runState) merges(i int) bool {
	if r.sched.ItemsCommand(i) != "" {
		return false
	}
	if own := r.nodes[i].output; own != graph.OutputUnsaid {
		return own == graph.OutputMerged
	}
	return r.req.Output == graph.OutputMerged.String()
}

// line is the command line of the next execution of a node.
func (r *runState) line(i int) string {
	command := r.sched.ItemsCommand(i)
	if command == "" {
		command = r.nodes[i].label
	}
	return shell.Line(r.req.Wrapper, command)
}

// control fills in what a request says beyond plain commands and dependencies, for a run of the flow.
func (w *Workspace) control(r *run, f *flow.Flow, scope scheduler.Scope, req api.RunRequest) error {
	if f.Plain() && len(req.Mocks) == 0 && len(req.Params) == 0 {
		return nil
	}
	r.past = w.before
	r.req.Seed = rand.Text()
	params, problems := flow.Resolve(f.Params, req.Params, flow.Machine{})
	if err := paramError(problems); err != nil {
		return err
	}
	mocks, err := w.mocks(req.Mocks)
	if err != nil {
		return err
	}
	var held map[string]int
	if r.req.Caller != nil {
		held = r.req.Caller.Held
	}
	if err := w.servable(f, scope.Nodes, mocks, held); err != nil {
		return err
	}
	r.notes = append(r.notes, w.keptMocks(mocks, scope.Mode)...)
	if r.past, err = w.outsideMocks(f, mocks, scope.Nodes, r.past); err != nil {
		return err
	}
	r.past = w.outsideRecords(f, scope.Nodes, r.past)
	r.secrets = secretsOf(f, params)
	if r.req.Params, err = json.Marshal(flow.Hide(f.Params, params)); err != nil {
		return invalid("the parameters: %v", err)
	}
	if len(mocks) > 0 {
		if r.req.Mocks, err = json.Marshal(mocks); err != nil {
			return invalid("the mocks: %v", err)
		}
	}
	return nil
}

// mocks finds the nodes that are not executed.
func (w *Workspace) mocks(asked []api.Mock) (map[string]scheduler.Mock, error) {
	mocks := map[string]scheduler.Mock{}
	for _, m := range asked {
		outputs, err := exactValues(m.Outputs)
		if err != nil {
			return nil, invalid("the outputs of the mock %s: %v", m.Nodes, err)
		}
		mock := scheduler.Mock{Skip: m.Skip, Exit: m.Exit, Outputs: outputs}
		if strings.Contains(m.Nodes, "]/") {
			if w.templateOf(m.Nodes) == nil {
				return nil, &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("no node in a sub-flow is called %s", m.Nodes),
					Fix: "wf ls lists all; [*] stands for every instance"}
			}
			mocks[m.Nodes] = mock
			continue
		}
		nodes, err := w.sel([]string{m.Nodes})
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			mocks[n.ID] = mock
		}
	}
	return mocks, nil
}
