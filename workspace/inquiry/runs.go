package inquiry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
)

// Runs lists the runs of the workfile, newest first.
func (q *Reader) Runs(ctx context.Context) (api.RunList, error) {
	list := api.RunList{Schema: api.SchemaRuns, Runs: []api.RunSummary{}}
	active, err := q.ActiveRuns(ctx)
	if err != nil {
		return list, err
	}
	past, err := q.store.List()
	if err != nil {
		return list, api.Internal("the history cannot be read", err)
	}
	for _, s := range past {
		if _, is := active[s.Request.Run]; !is {
			list.Runs = append(list.Runs, summaryOf(s.Request, s.Result, s.Problem))
		}
	}
	for _, s := range active {
		list.Runs = append(list.Runs, s)
	}
	slices.SortFunc(list.Runs, func(a, b api.RunSummary) int { return NumberOf(b.Run) - NumberOf(a.Run) })
	return list, nil
}

// NumberOf parses a run number that the daemon has written.
func NumberOf(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func (q *Reader) ActiveRuns(ctx context.Context) (map[int]api.RunSummary, error) {
	return loop.Ask(ctx, q.loop, func() (map[int]api.RunSummary, error) {
		active := map[int]api.RunSummary{}
		for _, r := range q.nodes.Runs {
			if r.Number != 0 {
				active[r.Number] = r.Active.Summary()
			}
		}
		return active, nil
	})
}

func summaryOf(req history.Request, res *history.Result, problem string) api.RunSummary {
	s := api.RunSummary{Run: history.RunID(req.Run), Mode: req.Mode, Resumes: history.RunID(req.Resumes), Selection: req.Selection,
		Exclude: req.Exclude, Until: req.Until, From: req.From, Nodes: req.Nodes, Client: req.Client, User: req.User, Started: req.Time, Problem: problem}
	if res != nil {
		if problem == "" {
			s.Problem = res.Problem
		}
		s.Result, s.Counts = api.Result(res.Result), apiCounts(res.Counts)
		if n := s.Counts.Total(); n > 0 {
			s.Nodes = n
		}
		s.Ended, s.DurationMS, s.Survivors = new(res.Ended), new(res.DurationMS), res.Survivors
		s.Cause, s.ExitCode = res.Cause, new(runstate.ExitCode(s.Result, res.Cause))
	}
	return s
}

func apiCounts(c history.Counts) api.Counts {
	return api.Counts{OK: c.OK, Failed: c.Failed, Cancelled: c.Cancelled, Blocked: c.Blocked, Idle: c.Idle, Kept: c.Kept, Skipped: c.Skipped, Handled: c.Handled, UpToDate: c.UpToDate}
}

// load reads a run of the history. "" means the latest run.
func (q *Reader) load(ctx context.Context, name string) (*history.Details, error) {
	n, err := q.RunNumber(name)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		list, err := q.Runs(ctx)
		if err != nil {
			return nil, err
		}
		if len(list.Runs) == 0 {
			return nil, api.NotFound("no run yet")
		}
		n = NumberOf(list.Runs[0].Run)
	}
	past, err := q.store.Load(n)
	if errors.Is(err, history.ErrNoRun) {
		return nil, q.noRun(ctx, n)
	}
	if err != nil {
		return nil, api.Internal("the history cannot be read", err)
	}
	return past, nil
}

// noRun returns the error about a run without a folder.
func (q *Reader) noRun(ctx context.Context, n int) error {
	e := &api.Error{Code: api.CodeNotFound, Message: "no run " + history.RunID(n), Fix: "wf runs lists them"}
	if active, err := q.ActiveRuns(ctx); err == nil && active[n].Run != "" {
		e.Message, e.Why = "the records of run "+history.RunID(n)+" are gone", "they were removed while it went on: "+q.store.Dir(n)
		e.Fix = "put them back, or wf stop, then wf resume"
	}
	return e
}

// Run describes one run in full. "" means the latest run.
func (q *Reader) Run(ctx context.Context, name string) (api.RunDetail, error) {
	past, err := q.load(ctx, name)
	if err != nil {
		return api.RunDetail{}, err
	}
	var replayed *runstate.State // what only a resume or control flow needs
	if past.Request.Mode == api.ModeResume || past.Request.Seed != "" {
		if r, err := replayRun(q.store, past.Request.Run); err == nil {
			replayed = r.State
		}
	}
	return q.detail(ctx, past, replayed)
}

// detail describes a run. replayed is its state after all records; nil if the run cannot be replayed.
func (q *Reader) detail(ctx context.Context, past *history.Details, replayed *runstate.State) (api.RunDetail, error) {
	req := past.Request
	d := api.RunDetail{Schema: api.SchemaRun, RunSummary: summaryOf(req, past.Result, past.Problem), Workfile: req.Workfile,
		Folder: q.store.Dir(req.Run), Wrapper: req.Wrapper, Cwd: req.Cwd, Jobs: req.Jobs, NoLimit: req.NoLimit, Version: req.Version, Trigger: triggerOf(req, q.store.Dir(req.Run)),
		Execs: []api.Execution{}, Host: req.Host, FailFast: req.FailFast, NoCache: req.NoCache, TimeoutMS: req.TimeoutMS, GraceMS: req.GraceMS, Masked: req.Secrets != nil}
	if req.Profile != nil {
		d.Profile = req.Profile.Name
	}
	active, err := q.ActiveRuns(ctx)
	if err != nil {
		return d, err
	}
	if s, is := active[req.Run]; is {
		d.RunSummary = s // its journal is still being written, so a missing end is no damage
	}
	ran := map[int]bool{}
	for _, e := range past.Executions {
		ran[e.Node] = true
		d.Execs = append(d.Execs, q.executionOf(req, e))
	}
	addSurroundings(&d, req, replayed, past.Executions)
	q.nameIncluded(past.Request.Run, d.Execs)
	if err := q.nameInstances(ctx, d.Execs); err != nil {
		return d, err
	}
	for i, id := range req.Scope {
		if !ran[i] && req.Mode != api.ModeResume {
			d.Left = append(d.Left, api.NodeStatus{ID: id, Name: req.Names[i], State: api.StateIdle})
		}
	}
	if req.Mode == api.ModeResume && replayed != nil {
		d.Kept = keptIn(replayed)
	}
	d.Decisions = decisionsOf(req, past.Decisions)
	addControl(&d, req, replayed)
	addLeftovers(&d, past.Result)
	return hidden(q, req.Run, d), nil
}

// addSurroundings adds those of the nodes to executions.
func addSurroundings(d *api.RunDetail, req history.Request, replayed *runstate.State, executions []history.Execution) {
	if len(req.Surroundings) == 0 {
		return
	}
	if replayed == nil { // there are no instances
		replayed = &runstate.State{Request: req}
	}
	for k, e := range executions {
		s := runstate.SurroundingsOfID(replayed, e.ID)
		if s == nil && replayed.Sched != nil && e.Node < len(replayed.Nodes) {
			s = runstate.SurroundingsOf(replayed, e.Node)
		}
		d.Execs[k].Surroundings = s.Words()
	}
}

// keptIn returns the nodes of the outer flow that a run kept.
func keptIn(r *runstate.State) (kept []string) {
	for i := range r.OuterNodes() {
		if rec := r.Nodes[i].Execution; r.Sched.Status(i) == graph.Ran && (rec == nil || rec.Number == 0) && r.Sched.Members(i) == 0 {
			kept = append(kept, r.Nodes[i].ID)
		}
	}
	return kept
}

func (q *Reader) executionOf(req history.Request, e history.Execution) api.Execution {
	x := api.Execution{Node: e.ID, Execution: e.Number, Command: e.Command, PID: e.PID, OK: e.OK, Over: e.Over,
		Reason: api.Reason(e.Reason), Signal: runstate.SignalName(e.Signal), Message: e.Message, Inputs: runstate.ReadInputs(e.Inputs),
		Engine: runstate.DescribeJob(e.Engine), PeakBytes: e.PeakBytes}
	if x.Name = e.ID; e.Node < len(req.Names) && req.Scope[e.Node] == e.ID {
		x.Name = req.Names[e.Node]
	}
	if !e.Started.IsZero() {
		x.Started = new(e.Started)
	}
	o := output{dir: q.store.Dir(req.Run), out: e.Out, err: e.Err}
	x.OutBytes, x.ErrBytes, x.Merged = o.size(o.out), o.size(o.err), o.merged()
	if !e.Over {
		return x
	}
	begin := e.Started
	if begin.IsZero() {
		begin = e.Ended
	}
	x.Ended, x.DurationMS, x.UserMS, x.SysMS = new(e.Ended), new(clock.Milliseconds(begin, e.Ended)), e.UserMS, e.SysMS
	rec := runstate.Execution{Number: e.Number, ExitCode: e.ExitCode, Signal: e.Signal, Reason: api.Reason(e.Reason)}
	x.ExitCode = rec.Exit()
	return x
}

// Summary returns the summary of a run that is over, or nil if it was removed.
func (q *Reader) Summary(n int) *api.RunSummary {
	s, err := q.store.Summary(n)
	if err != nil {
		return nil
	}
	return new(summaryOf(s.Request, s.Result, s.Problem))
}

// decisionsOf returns the decisions of a run that is over, in order.
func decisionsOf(req history.Request, records []history.Record) []api.NodeDecision {
	var list []api.NodeDecision
	for _, rec := range records {
		d := api.NodeDecision{Node: rec.ID, Name: rec.ID, DecisionMade: runstate.DecisionOf(rec)}
		if rec.Node < len(req.Names) && req.Scope[rec.Node] == rec.ID {
			d.Name = req.Names[rec.Node]
		}
		list = append(list, d)
	}
	return list
}

// NotRun returns the error about a text that is not a run number.
func NotRun(name string) error {
	return &api.Error{Code: api.CodeInvalid, Message: strconv.Quote(name) + " is not a run: runs have numbers", Fix: "wf runs lists them"}
}

// RunNumber parses a run number. "" is 0.
func (q *Reader) RunNumber(name string) (int, error) {
	if name == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(name)
	if err != nil || n <= 0 {
		return 0, NotRun(name)
	}
	return n, nil
}

// triggerOf returns what started a run, nil if a person or a command did. dir is the folder of the run.
func triggerOf(req history.Request, dir string) *api.RunTrigger {
	t := req.Trigger
	if t == nil {
		return nil
	}
	return &api.RunTrigger{Name: t.Name, Time: t.Time, Run: t.Run, Files: req.TriggerFiles, Event: t.Event, BodyFile: t.BodyPath(dir)}
}

// addControl adds the control flow of a run to its description: parameters, mocks, handled failures, and nodes that no path
// reached. If r is nil, it adds only what the request contains.
func addControl(d *api.RunDetail, req history.Request, r *runstate.State) {
	if req.Seed == "" {
		return
	}
	d.Mocks = mocksOf(req)
	var params expression.Values
	if len(req.Params) > 0 && json.Unmarshal(req.Params, &params) == nil {
		d.Params = params
	}
	if r == nil {
		return
	}
	last := map[int]int{}
	for k, x := range d.Execs {
		if i, ok := r.Sched.Index(x.Node); ok {
			last[i] = k
		}
	}
	for i, k := range last {
		d.Execs[k].Handled = r.Sched.Handled(i)
	}
	d.Notes = append(d.Notes, r.UnmatchedNotes()...)
	d.Left = slices.DeleteFunc(d.Left, func(n api.NodeStatus) bool {
		i, ok := r.Sched.Index(n.ID)
		return !ok || r.Sched.Status(i) != graph.Idle
	})
}

// mocksOf returns the mocks of a run, by the handles that its nodes had.
func mocksOf(req history.Request) []api.Mock {
	var stored map[string]scheduler.Mock
	if len(req.Mocks) == 0 || json.Unmarshal(req.Mocks, &stored) != nil {
		return nil
	}
	var mocks []api.Mock
	for id, m := range stored {
		name := id
		if i := slices.Index(req.Scope, id); i >= 0 {
			name = req.Names[i]
		}
		mocks = append(mocks, api.Mock{Nodes: name, Skip: m.Skip, Exit: m.Exit, Outputs: m.Outputs})
	}
	slices.SortFunc(mocks, func(a, b api.Mock) int { return cmp.Compare(a.Nodes, b.Nodes) })
	return mocks
}

// NotActive returns the error about a run that is not active.
func NotActive(name string) error {
	return &api.Error{Code: api.CodeNotFound, Message: "run " + name + " is not active", Fix: "wf status shows active runs, wf runs earlier ones"}
}
