package workspace

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"wf/api"
	"wf/graph"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// Runs lists the runs of the workfile, newest first.
func (w *Workspace) Runs(ctx context.Context) (api.RunList, error) {
	list := api.RunList{Schema: api.SchemaRuns, Runs: []api.RunSummary{}}
	active, err := w.activeRuns(ctx)
	if err != nil {
		return list, err
	}
	past, err := w.store.List()
	if err != nil {
		return list, api.Internal("the history cannot be read", err)
	}
	for _, s := range past {
		if _, going := active[s.Request.Run]; !going {
			list.Runs = append(list.Runs, pastSummary(s.Request, s.Result, s.Problem))
		}
	}
	for _, s := range active {
		list.Runs = append(list.Runs, s)
	}
	slices.SortFunc(list.Runs, func(a, b api.RunSummary) int { return numberOf(b.Run) - numberOf(a.Run) })
	return list, nil
}

// numberOf parses a run number that the daemon itself has written.
func numberOf(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func (w *Workspace) activeRuns(ctx context.Context) (map[int]api.RunSummary, error) {
	return ask(ctx, w, func(w *Workspace) (map[int]api.RunSummary, error) {
		active := map[int]api.RunSummary{}
		for _, r := range w.runs {
			if r.Number != 0 {
				active[r.Number] = r.summary()
			}
		}
		return active, nil
	})
}

func pastSummary(req history.Request, res *history.Result, problem string) api.RunSummary {
	s := api.RunSummary{Run: history.RunID(req.Run), Mode: req.Mode, Resumes: history.RunID(req.Resumes), Selection: req.Selection,
		Exclude: req.Exclude, Nodes: req.Nodes, Client: req.Client, User: req.User, Started: req.Time, Problem: problem}
	if res != nil {
		if problem == "" {
			s.Problem = res.Problem
		}
		s.Result, s.Counts = api.Result(res.Result), apiCounts(res.Counts)
		if n := s.Counts.Total(); n > 0 {
			s.Nodes = n
		}
		s.Ended, s.DurationMS, s.Survivors = new(res.Ended), new(res.DurationMS), res.Survivors
		s.Cause, s.ExitCode = res.Cause, new(exitCode(s.Result, res.Cause))
	}
	return s
}

func apiCounts(c history.Counts) api.Counts {
	return api.Counts{OK: c.OK, Failed: c.Failed, Cancelled: c.Cancelled, Blocked: c.Blocked, Idle: c.Idle, Kept: c.Kept, Skipped: c.Skipped, Handled: c.Handled}
}

// load reads a run of the history; "" is the latest.
func (w *Workspace) load(ctx context.Context, name string) (*history.Details, error) {
	n, err := w.runNumber(name)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		list, err := w.Runs(ctx)
		if err != nil {
			return nil, err
		}
		if len(list.Runs) == 0 {
			return nil, api.NotFound("no run yet")
		}
		n = numberOf(list.Runs[0].Run)
	}
	past, err := w.store.Load(n)
	if errors.Is(err, history.ErrNoRun) {
		e := &api.Error{Code: api.CodeNotFound, Message: "no run " + history.RunID(n), Fix: "wf runs lists them"}
		if active, err := w.activeRuns(ctx); err == nil && active[n].Run != "" {
			e.Message, e.Why = "the records of run "+history.RunID(n)+" are gone", "they were removed while it went on: "+w.store.Dir(n)
			e.Fix = "put them back, or wf stop, then wf resume"
		}
		return nil, e
	}
	if err != nil {
		return nil, api.Internal("the history cannot be read", err)
	}
	return past, nil
}

// Run describes one run in full; "" is the latest.
func (w *Workspace) Run(ctx context.Context, name string) (api.RunDetail, error) {
	past, err := w.load(ctx, name)
	if err != nil {
		return api.RunDetail{}, err
	}
	return w.detail(ctx, past)
}

func (w *Workspace) detail(ctx context.Context, past *history.Details) (api.RunDetail, error) {
	req := past.Request
	d := api.RunDetail{Schema: api.SchemaRun, RunSummary: pastSummary(req, past.Result, past.Problem), Workfile: req.Workfile,
		Folder: w.store.Dir(req.Run), Wrapper: req.Wrapper, Cwd: req.Cwd, Jobs: req.Jobs, NoLimit: req.NoLimit, Version: req.Version,
		Execs: []api.Execution{}, Host: req.Host, FailFast: req.FailFast, TimeoutMS: req.TimeoutMS, GraceMS: req.GraceMS}
	active, err := w.activeRuns(ctx)
	if err != nil {
		return d, err
	}
	if s, going := active[req.Run]; going {
		d.RunSummary = s // its journal is still being written, so a missing end is no damage
	}
	ran := map[int]bool{}
	for _, e := range past.Executions {
		ran[e.Node] = true
		d.Execs = append(d.Execs, w.pastExecution(req, e))
	}
	if err := w.nameInstances(ctx, d.Execs); err != nil {
		return d, err
	}
	for i, id := range req.Scope {
		if !ran[i] && req.Mode != api.ModeResume {
			d.Left = append(d.Left, api.NodeStatus{ID: id, Name: req.Names[i], State: api.StateIdle})
		}
	}
	if req.Mode == api.ModeResume {
		d.Kept = w.keptIn(req.Run)
	}
	d.Decisions = decisionsOf(req, past.Decisions)
	w.addControl(&d, req)
	pastLeftovers(&d, past.Result)
	return d, nil
}

// keptIn lists the nodes of the outer flow that a resume has kept, by replaying it. It is nil for a record that cannot be
// read.
func (w *Workspace) keptIn(n int) (kept []string) {
	r, err := replayRun(w.store, n)
	if err != nil {
		return nil
	}
	for i := range r.OuterNodes() {
		if rec := r.Nodes[i].Execution; r.Sched.Status(i) == graph.Ran && (rec == nil || rec.Number == 0) && r.Sched.Members(i) == 0 {
			kept = append(kept, r.Nodes[i].ID)
		}
	}
	return kept
}

func (w *Workspace) pastExecution(req history.Request, e history.Execution) api.Execution {
	x := api.Execution{Node: e.ID, Execution: e.Number, Command: e.Command, PID: e.PID, OK: e.OK, Over: e.Over,
		Reason: api.Reason(e.Reason), Signal: runstate.SignalName(e.Signal), Message: e.Message, Inputs: runstate.ReadInputs(e.Inputs)}
	if x.Name = e.ID; e.Node < len(req.Names) && req.Scope[e.Node] == e.ID {
		x.Name = req.Names[e.Node]
	}
	if !e.Started.IsZero() {
		x.Started = new(e.Started)
	}
	o := output{dir: w.store.Dir(req.Run), out: runstate.ExecutorRange(e.Out), err: runstate.ExecutorRange(e.Err)}
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

// RemoveRun removes a run that is over from the history, with its outputs.
func (w *Workspace) RemoveRun(ctx context.Context, name string) error {
	n, err := w.runNumber(name)
	if err != nil || n == 0 {
		return notRun(name)
	}
	active, err := w.activeRuns(ctx)
	if err != nil {
		return err
	}
	if _, going := active[n]; going {
		return &api.Error{Code: api.CodeConflict, Run: name, Message: "run " + name + " is going", Fix: "wf stop " + name}
	}
	err = w.store.Remove(n, true)
	if errors.Is(err, history.ErrNoRun) {
		return &api.Error{Code: api.CodeNotFound, Message: "no run " + name, Fix: "wf runs lists them"}
	}
	if err != nil {
		return api.Internal("the run cannot be removed", err)
	}
	w.forgetAll([]int{n})
	return nil
}

// forget drops what is known from a removed run, except that its nodes took part in one.
func (w *Workspace) forget(n int) {
	w.nodes.ForgetRun(n)
	for id, m := range w.nodes.Latest {
		if m.Run == n {
			m.Run = 0
			w.file.Statuses().Own(id)
		}
		if m.Execution != nil && m.Execution.Run == n {
			m.Execution = nil
		}
		w.nodes.Latest[id] = m
	}
	if w.latest != nil && w.latest.Run == history.RunID(n) {
		w.latest = nil
	}
}

// pruneLater removes old runs, after a run has ended.
func (w *Workspace) pruneLater() {
	w.loop.Run(func() {
		policy := history.Policy{Keep: w.cfg.KeepRuns, OlderThan: w.cfg.KeepAge, Bytes: w.cfg.KeepBytes, Now: clock.Now()}
		removed, err := w.store.Prune(policy, false)
		if err != nil {
			w.cfg.Log.Warn("old runs cannot be removed", "workspace", w.id, "err", err)
		}
		w.forgetAll(removed)
	})
}

func (w *Workspace) forgetAll(runs []int) {
	if len(runs) == 0 {
		return
	}
	if w.cfg.Forgot != nil {
		w.cfg.Forgot(w.id, runs)
	}
	w.send(call(func(w *Workspace) {
		for _, n := range runs {
			w.forget(n)
		}
	}))
}

// Prune removes old runs: those beyond the newest req.Keep, and those that ended longer ago than req.OlderMS. A limit of 0 is
// none; if all are 0, the limits of the daemon apply.
func (w *Workspace) Prune(ctx context.Context, req api.PruneRequest) (api.PruneResult, error) {
	res := api.PruneResult{Removed: []string{}}
	if req.Keep < 0 || req.OlderMS < 0 || req.Bytes < 0 {
		return res, api.Invalid("keep, older and bytes must not be negative")
	}
	active, err := w.activeRuns(ctx)
	if err != nil {
		return res, err
	}
	policy := history.Policy{Keep: req.Keep, None: req.None, Bytes: req.Bytes, OlderThan: time.Duration(req.OlderMS) * time.Millisecond, Now: clock.Now(),
		Skip: func(n int) bool { _, going := active[n]; return going }}
	if policy.Keep == 0 && policy.OlderThan == 0 && policy.Bytes == 0 && !policy.None {
		policy.Keep, policy.OlderThan, policy.Bytes = w.cfg.KeepRuns, w.cfg.KeepAge, w.cfg.KeepBytes
	}
	removed, err := w.store.Prune(policy, req.DryRun)
	for _, n := range removed {
		res.Removed = append(res.Removed, history.RunID(n))
	}
	if !req.DryRun {
		w.forgetAll(removed)
	}
	if err != nil {
		return res, api.Internal("old runs cannot be removed", err)
	}
	return res, nil
}

// past returns the summary of a run that is over, or nil if it was removed.
func (w *Workspace) past(n int) *api.RunSummary {
	s, err := w.store.Summary(n)
	if err != nil {
		return nil
	}
	return new(pastSummary(s.Request, s.Result, s.Problem))
}
