package workspace

import (
	"context"
	"errors"
	"time"

	"wf/api"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/inquiry"
)

// RemoveRun removes a run that is over from the history, with its outputs.
func (w *Workspace) RemoveRun(ctx context.Context, name string) error {
	n, err := w.Reader.RunNumber(name)
	if err != nil || n == 0 {
		return inquiry.NotRun(name)
	}
	active, err := w.Reader.ActiveRuns(ctx)
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
	w.loop.Post(func() {
		for _, n := range runs {
			w.forget(n)
		}
	})
}

// Prune removes old runs: those beyond the newest req.Keep, and those that ended longer ago than req.OlderMS. A limit of 0 is
// none; if all are 0, the limits of the daemon apply.
func (w *Workspace) Prune(ctx context.Context, req api.PruneRequest) (api.PruneResult, error) {
	res := api.PruneResult{Removed: []string{}}
	if req.Keep < 0 || req.OlderMS < 0 || req.Bytes < 0 {
		return res, api.Invalid("keep, older and bytes must not be negative")
	}
	active, err := w.Reader.ActiveRuns(ctx)
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
