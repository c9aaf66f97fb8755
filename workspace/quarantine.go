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

// A workspace is quarantined after daemons have crashed while they recovered its runs. It opens without these runs: the file
// can be read and edited, the history can be read, and the runs can be stopped without reading their journals. A rehearsal,
// which is another process, finds out whether recovery would crash the daemon again. If the rehearsal survives, the runs did
// not cause the crashes, and the daemon recovers them after a pause that grows with the number of crashes. If it does not
// survive, only wf server retry makes another attempt, with a rehearsal first.

// quarantine decides whether the runs of a workfile are recovered. It belongs to the loop, and to Open before the loop
// starts.
type quarantine struct {
	w       *Workspace
	attempt attempt
	state   quarantineState
}

// quarantineState lists the runs that are not recovered. The zero value means that the workspace is not quarantined.
type quarantineState struct {
	why  string // for people; "" if not quarantined
	runs []int  // newest first
	past map[int]*api.RunSummary
	// till is the time of the next automatic attempt; zero means never.
	till time.Time
}

// The pause before another attempt if the rehearsal survived.
const (
	firstAttemptPause = 4 * time.Second
	lastAttemptPause  = 5 * time.Minute
)

// mayAttempt decides whether the runs are recovered after earlier crashes. It may run the rehearsal, which takes time.
func (q *quarantine) mayAttempt(before history.Recovery) (h quarantineState, may bool) {
	h.why = quarantineWhat(before) + "; " + quarantineWhy(before)
	pause := min(firstAttemptPause<<min(before.Tries-history.RecoveryLimit, 10), lastAttemptPause)
	if q.w.cfg.Rehearse == nil {
		return h, q.attempt.retry
	}
	if err := q.w.cfg.Rehearse(q.w.path); err != nil {
		h.why += ". It would die again: " + lastWords(err)
		return h, false
	}
	if left := pause - max(0, time.Since(before.Last)); left > 0 && !q.attempt.retry {
		h.till = time.Now().Add(left)
		return h, false
	}
	q.w.cfg.Log.Info("a workfile that was held is tried again: another process has survived that", "workfile", q.w.path, "tries", before.Tries)
	return quarantineState{}, true
}

// lastWords returns the first line of the rehearsal's error. The rest is a stack.
func lastWords(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// refusal returns the error for starting a run in a quarantined workspace.
func (h *quarantineState) refusal(w *Workspace) error {
	if h.why == "" {
		return nil
	}
	return &api.Error{Code: api.CodeRefused, Message: "the workfile is quarantined", Where: w.path, Why: h.why,
		Fix: retryCommand + ", or wf stop to give its runs up"}
}

// Retry recovers the runs of a quarantined workspace, unless that would crash the daemon. It does nothing for other
// workspaces.
func (q *quarantine) Retry(ctx context.Context) error {
	is, err := loop.Ask(ctx, q.w.loop, func() (bool, error) { return q.state.why != "", nil })
	if err != nil || !is {
		return err
	}
	before, err := history.ReadRecovery(q.w.cfg.State, q.w.id, q.w.path)
	if err != nil {
		return api.Internal("the note of the trials cannot be read", err)
	}
	if q.w.cfg.Rehearse != nil {
		if err := q.w.cfg.Rehearse(q.w.path); err != nil {
			return &api.Error{Code: api.CodeRefused, Message: "the workfile stays quarantined: recovering its runs would crash the daemon again", Where: q.w.path,
				Why: lastWords(err), Fix: "wf stop gives the runs up, without what their journals say; their outputs are kept"}
		}
	}
	_, err = loop.Await(ctx, q.w.loop, func(reply func(struct{}, error)) {
		q.recoverRuns(before)
		reply(struct{}{}, nil)
	})
	return err
}

// recoverRuns ends the quarantine by recovering the runs.
func (q *quarantine) recoverRuns(before history.Recovery) {
	if q.state.why == "" {
		return
	}
	runs := q.state.runs
	q.state = quarantineState{}
	q.noteAttempt(before)
	q.w.file.Recovered()
	for _, n := range runs {
		q.w.retries.recoverRun(n)
	}
}

// attemptAgain makes another attempt if the pause is over.
func (q *quarantine) attemptAgain() {
	if q.state.till.IsZero() {
		return
	}
	if left := time.Until(q.state.till); left > 0 {
		q.w.retries.holdTimer.Reset(left)
		return
	}
	q.state.till = time.Time{}
	q.w.loop.Run(func() {
		before, err := history.ReadRecovery(q.w.cfg.State, q.w.id, q.w.path)
		if err != nil {
			return // the next retry request reports the error
		}
		h, may := q.mayAttempt(before)
		q.w.loop.Post(func() {
			if may {
				q.recoverRuns(before)
				return
			}
			q.keepQuarantine(h)
		})
	})
}

// quarantineRun adds a run to those that are not recovered. It is called before the loop starts.
func (q *quarantine) quarantineRun(n int) {
	if q.state.past == nil {
		q.state.past = map[int]*api.RunSummary{}
	}
	q.state.runs, q.state.past[n] = append(q.state.runs, n), q.w.Reader.Summary(n)
}

// keepQuarantine publishes the reason of the quarantine.
func (q *quarantine) keepQuarantine(h quarantineState) {
	h.runs, h.past = q.state.runs, q.state.past
	q.state = h
	q.w.file.Trouble(h.why)
	if !h.till.IsZero() {
		q.w.retries.holdTimer.Reset(time.Until(h.till))
	}
}

// quarantinedRun finds one of the runs that are not recovered. "" means the only one.
func (q *quarantine) quarantinedRun(name string) (n int, found bool) {
	if name == "" && len(q.w.runs) == 0 && len(q.state.runs) == 1 {
		return q.state.runs[0], true
	}
	i := slices.IndexFunc(q.state.runs, func(n int) bool { return history.RunID(n) == name })
	if i < 0 {
		return 0, false
	}
	return q.state.runs[i], true
}

// stopQuarantined ends a run without recovering it. The runner ends all processes of the run, and the history records the
// end. The statuses of its nodes stay in its journal.
func (q *quarantine) stopQuarantined(n int, reply func(api.StopResult, error)) {
	q.w.loop.Run(func() {
		survivors, err := q.endQuarantined(n)
		summary := q.w.Reader.Summary(n)
		q.w.loop.Post(func() {
			if err != nil {
				reply(api.StopResult{}, api.Internal("run "+history.RunID(n)+" cannot be stopped", err))
				return
			}
			q.state.runs = slices.DeleteFunc(q.state.runs, func(x int) bool { return x == n })
			if q.w.presence.latest = summary; len(q.state.runs) == 0 {
				q.state = quarantineState{}
				q.w.file.Recovered()
				q.w.preparer.unmark()
				q.w.loop.Run(q.endAttempt)
			}
			reply(api.StopResult{Run: history.RunID(n), Survivors: append([]int{}, survivors...)}, nil)
		})
	})
}

// endQuarantined ends the processes of a run and records its end.
func (q *quarantine) endQuarantined(n int) (survivors []int, err error) {
	end := clock.Now()
	res := history.Result{Result: string(api.Cancelled), Ended: end, Cause: "held",
		Problem: "it was stopped during a quarantine: its journal does not have what its nodes did after the last daemon ended"}
	if req, err := q.w.store.Request(n); err == nil {
		res.Started, res.DurationMS = req.Time, clock.Milliseconds(req.Time, end)
	}
	if !q.w.store.Bare(n, runstate.PriorFile, workfile.StatusesName) {
		sess, err := q.w.cfg.Executor.Open(context.Background(), executor.Spec{Dir: q.w.store.Dir(n), Cwd: "/", Report: func([]executor.Report) {}})
		if err != nil {
			return nil, err
		}
		if survivors, err = sess.Close(context.Background()); err != nil {
			q.w.cfg.Log.Warn("a run that was held did not end in order", "run", n, "err", err)
		}
	}
	res.Survivors = survivors
	if err := q.w.store.Settle(n, res); err != nil {
		return survivors, fmt.Errorf("its end cannot be recorded: %w", err)
	}
	return survivors, nil
}

// mayStart refuses new runs.
func (q *quarantine) mayStart() error {
	if err := q.state.refusal(q.w); err != nil {
		return err
	}
	return q.w.usable()
}
