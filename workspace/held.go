package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// A workspace is quarantined when daemons have crashed while they recovered its runs. It opens without these runs: the file can be
// read and edited, the history can be read, and the runs can be stopped without reading their journals. Another process, the
// rehearsal, finds out whether recovery would crash the daemon again. If the rehearsal survives, the runs did not cause the
// crashes, and they are recovered after a pause that grows with the crashes. If it does not, only wf server retry makes
// another attempt, with a rehearsal first.

// held is what a quarantined workspace does not recover. The zero value is a workspace that is not quarantined.
type held struct {
	why  string // for people; "" = not quarantined
	runs []int  // newest first
	past map[int]*api.RunSummary
	// till is when the next attempt is made without a request; zero: never.
	till time.Time
}

// The pause before another attempt after crashes that the rehearsal survived.
const (
	firstTrialPause = 4 * time.Second
	lastTrialPause  = 5 * time.Minute
)

// mayTry decides whether the runs are recovered after earlier crashes. It may take a while.
func (w *Workspace) mayTry(before history.Recovery) (h held, may bool) {
	h.why = heldWhat(before) + "; " + heldWhy(before)
	pause := min(firstTrialPause<<min(before.Tries-history.RecoveryLimit, 10), lastTrialPause)
	if w.cfg.Rehearse == nil {
		return h, w.trial.retry
	}
	if err := w.cfg.Rehearse(w.path); err != nil {
		h.why += ". It would die again: " + lastWords(err)
		return h, false
	}
	if left := pause - max(0, time.Since(before.Last)); left > 0 && !w.trial.retry {
		h.till = time.Now().Add(left)
		return h, false
	}
	w.cfg.Log.Info("a workfile that was held is tried again: another process has survived that", "workfile", w.path, "tries", before.Tries)
	return held{}, true
}

// lastWords returns the first line of the rehearsal's error; the rest is a stack.
func lastWords(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// refusal returns the error for a run in a quarantined workspace.
func (h *held) refusal(w *Workspace) error {
	if h.why == "" {
		return nil
	}
	return &api.Error{Code: api.CodeRefused, Message: "the workfile is quarantined", Where: w.path, Why: h.why,
		Fix: heldFix + ", or wf stop to give its runs up"}
}

// Retry recovers the runs of a quarantined workspace, unless that would crash the daemon. For other workspaces it does nothing.
func (w *Workspace) Retry(ctx context.Context) error {
	is, err := loop.Ask(ctx, w.loop, func() (bool, error) { return w.held.why != "", nil })
	if err != nil || !is {
		return err
	}
	before, err := history.ReadRecovery(w.cfg.State, w.id, w.path)
	if err != nil {
		return api.Internal("the note of the trials cannot be read", err)
	}
	if w.cfg.Rehearse != nil {
		if err := w.cfg.Rehearse(w.path); err != nil {
			return &api.Error{Code: api.CodeRefused, Message: "the workfile stays quarantined: recovering its runs would crash the daemon again", Where: w.path,
				Why: lastWords(err), Fix: "wf stop gives the runs up, without what their journals say; their outputs are kept"}
		}
	}
	_, err = loop.Await(ctx, w.loop, func(reply func(struct{}, error)) {
		w.takeUpHeld(before)
		reply(struct{}{}, nil)
	})
	return err
}

// takeUpHeld ends the quarantine by recovering the runs.
func (w *Workspace) takeUpHeld(before history.Recovery) {
	if w.held.why == "" {
		return
	}
	runs := w.held.runs
	w.held = held{}
	w.noteTrial(before)
	w.file.Recovered()
	for _, n := range runs {
		w.takeUp(n)
	}
}

// tryHeld makes another attempt if the pause is over.
func (w *Workspace) tryHeld() {
	if w.held.till.IsZero() {
		return
	}
	if left := time.Until(w.held.till); left > 0 {
		w.holdTimer.Reset(left)
		return
	}
	w.held.till = time.Time{}
	w.loop.Run(func() {
		before, err := history.ReadRecovery(w.cfg.State, w.id, w.path)
		if err != nil {
			return // a later request for a retry reports the error
		}
		h, may := w.mayTry(before)
		w.loop.Post(func() {
			if may {
				w.takeUpHeld(before)
				return
			}
			w.keepHeld(h)
		})
	})
}

// holdRun adds a run to those that are not recovered, before the loop starts.
func (w *Workspace) holdRun(n int) {
	if w.held.past == nil {
		w.held.past = map[int]*api.RunSummary{}
	}
	w.held.runs, w.held.past[n] = append(w.held.runs, n), w.Reader.Summary(n)
}

// keepHeld publishes why the workspace is quarantined.
func (w *Workspace) keepHeld(h held) {
	h.runs, h.past = w.held.runs, w.held.past
	w.held = h
	w.file.Trouble(h.why)
	if !h.till.IsZero() {
		w.holdTimer.Reset(time.Until(h.till))
	}
}

// heldRun finds a run among those not recovered; "" means the only one.
func (w *Workspace) heldRun(name string) (n int, found bool) {
	if name == "" && len(w.runs) == 0 && len(w.held.runs) == 1 {
		return w.held.runs[0], true
	}
	i := slices.IndexFunc(w.held.runs, func(n int) bool { return history.RunID(n) == name })
	if i < 0 {
		return 0, false
	}
	return w.held.runs[i], true
}

// stopHeld ends a run without recovering it: its runner ends all its processes, and its record is closed. The statuses of its nodes
// remain in its journal.
func (w *Workspace) stopHeld(n int, reply func(api.StopResult, error)) {
	w.loop.Run(func() {
		survivors, err := w.sweepHeld(n)
		summary := w.Reader.Summary(n)
		w.loop.Post(func() {
			if err != nil {
				reply(api.StopResult{}, api.Internal("run "+history.RunID(n)+" cannot be stopped", err))
				return
			}
			w.held.runs = slices.DeleteFunc(w.held.runs, func(x int) bool { return x == n })
			if w.latest = summary; len(w.held.runs) == 0 {
				w.held = held{}
				w.file.Recovered()
				w.unmark()
				w.loop.Run(w.endTrial)
			}
			reply(api.StopResult{Run: history.RunID(n), Survivors: append([]int{}, survivors...)}, nil)
		})
	})
}

// sweepHeld ends the processes of a run and records its end.
func (w *Workspace) sweepHeld(n int) (survivors []int, err error) {
	end := clock.Now()
	res := history.Result{Result: string(api.Cancelled), Ended: end, Cause: "held",
		Problem: "it was stopped during a quarantine: its journal does not have what its nodes did after the last daemon ended"}
	if req, err := w.store.Request(n); err == nil {
		res.Started, res.DurationMS = req.Time, clock.Milliseconds(req.Time, end)
	}
	if !w.store.Bare(n, runstate.PriorFile, workfile.StatusesName) {
		sess, err := w.cfg.Executor.Open(context.Background(), executor.Spec{Dir: w.store.Dir(n), Cwd: "/", Report: func([]executor.Report) {}})
		if err != nil {
			return nil, err
		}
		if survivors, err = sess.Close(context.Background()); err != nil {
			w.cfg.Log.Warn("a run that was held did not end in order", "run", n, "err", err)
		}
	}
	res.Survivors = survivors
	if err := w.store.Settle(n, res); err != nil {
		return survivors, fmt.Errorf("its end cannot be recorded: %w", err)
	}
	return survivors, nil
}

// mayBegin refuses new runs.
func (w *Workspace) mayBegin() error {
	if err := w.held.refusal(w); err != nil {
		return err
	}
	return w.usable()
}
