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

// retention removes runs from the history.
type retention struct{ w *Workspace }

// RemoveRun removes a run that is over from the history, with its outputs.
func (rt *retention) RemoveRun(ctx context.Context, name string) error {
	n, err := rt.w.Reader.RunNumber(name)
	if err != nil || n == 0 {
		return inquiry.NotRun(name)
	}
	active, err := rt.w.Reader.ActiveRuns(ctx)
	if err != nil {
		return err
	}
	if _, going := active[n]; going {
		return &api.Error{Code: api.CodeConflict, Run: name, Message: "run " + name + " is active", Fix: "wf stop " + name}
	}
	err = rt.w.store.Remove(n, true)
	if errors.Is(err, history.ErrNoRun) {
		return &api.Error{Code: api.CodeNotFound, Message: "no run " + name, Fix: "wf runs lists them"}
	}
	if err != nil {
		return api.Internal("the run cannot be removed", err)
	}
	rt.forgetAll([]int{n})
	return nil
}

// forget drops the memory of a removed run, except that its nodes took part in a run.
func (rt *retention) forget(n int) {
	rt.w.nodes.ForgetRun(n)
	for id, m := range rt.w.nodes.Latest {
		if m.Run == n {
			m.Run = 0
			rt.w.file.Statuses().Own(id)
		}
		if m.Execution != nil && m.Execution.Run == n {
			m.Execution = nil
		}
		rt.w.nodes.Latest[id] = m
	}
	if rt.w.presence.latest != nil && rt.w.presence.latest.Run == history.RunID(n) {
		rt.w.presence.latest = nil
	}
}

// pruneLater removes old runs on a helper after a run has ended.
func (rt *retention) pruneLater() {
	rt.w.loop.Run(func() {
		policy := history.Policy{Keep: rt.w.cfg.KeepRuns, OlderThan: rt.w.cfg.KeepAge, Bytes: rt.w.cfg.KeepBytes, Now: clock.Now(), Quick: true}
		removed, err := rt.w.store.Prune(policy, false)
		if err != nil {
			rt.w.cfg.Log.Warn("old runs cannot be removed", "workspace", rt.w.id, "err", err)
		}
		if len(removed) > 0 {
			n := News{Kind: OldRunsRemoved}
			for _, run := range removed {
				n.Runs = append(n.Runs, history.RunID(run))
			}
			rt.w.tell(n)
		}
		rt.forgetAll(removed)
	})
}

func (rt *retention) forgetAll(runs []int) {
	if len(runs) == 0 {
		return
	}
	if rt.w.cfg.Forgot != nil {
		rt.w.cfg.Forgot(rt.w.id, runs)
	}
	rt.w.loop.Post(func() {
		for _, n := range runs {
			rt.forget(n)
		}
	})
}

// Prune removes runs beyond the newest req.Keep, and runs that ended more than req.OlderMS milliseconds ago. A limit of 0
// means no limit. If all limits are 0, those of the daemon apply.
func (rt *retention) Prune(ctx context.Context, req api.PruneRequest) (api.PruneResult, error) {
	res := api.PruneResult{Removed: []string{}}
	if req.Keep < 0 || req.OlderMS < 0 || req.Bytes < 0 {
		return res, api.Invalid("keep, older and bytes must not be negative")
	}
	active, err := rt.w.Reader.ActiveRuns(ctx)
	if err != nil {
		return res, err
	}
	policy := history.Policy{Keep: req.Keep, None: req.None, Bytes: req.Bytes, OlderThan: time.Duration(req.OlderMS) * time.Millisecond, Now: clock.Now(),
		Skip: func(n int) bool { _, going := active[n]; return going }}
	if policy.Keep == 0 && policy.OlderThan == 0 && policy.Bytes == 0 && !policy.None {
		policy.Keep, policy.OlderThan, policy.Bytes = rt.w.cfg.KeepRuns, rt.w.cfg.KeepAge, rt.w.cfg.KeepBytes
	}
	removed, err := rt.w.store.Prune(policy, req.DryRun)
	for _, n := range removed {
		res.Removed = append(res.Removed, history.RunID(n))
	}
	if !req.DryRun {
		rt.forgetAll(removed)
	}
	if err != nil {
		return res, api.Internal("old runs cannot be removed", err)
	}
	return res, nil
}
