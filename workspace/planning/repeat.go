package planning

import (
	"context"
	"fmt"
	"slices"
	"time"

	"wf/api"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/loop"
)

// repeatFree is the duration up to which a run is repeated without confirmation.
const repeatFree = time.Minute

// checkRepeat refuses a run that would repeat everything although all nodes are done, if the repeated runs took long. A
// client that can ask its user sends the request again with the mode "fresh".
func (pl *Planner) checkRepeat(ctx context.Context, req api.RunRequest) error {
	if !req.AskRepeat || req.Mode != "" || len(req.Nodes)+len(req.Exclude)+len(req.Until)+len(req.From) > 0 {
		return nil
	}
	done, err := loop.Ask(ctx, pl.Loop, func() (int, error) { return pl.allDone(), nil })
	if err != nil || done == 0 {
		return err
	}
	list, err := pl.Store.List()
	if err != nil {
		return nil // the check is optional
	}
	runs, took := lastComplete(list)
	if took <= repeatFree {
		return nil
	}
	return &api.Error{Code: api.CodeDone, Message: fmt.Sprintf("%d of %d nodes are done", done, done),
		Fix: "wf run --fresh runs all of them again", Repeat: &api.Repeat{Done: done, Runs: runs, TookMS: took.Milliseconds()}}
}

// allDone returns the number of nodes if all are done, otherwise 0. A sub-flow counts by its own status.
func (pl *Planner) allDone() (done int) {
	for _, n := range pl.File.Graph().Nodes() {
		if !n.Runnable() || n.Parent != nil && n.Home() != nil {
			continue
		}
		rec := pl.Nodes.Record(n)
		switch {
		case n.Status == graph.Ran, n.Status == graph.Skipped, n.Status == graph.Failed && rec != nil && rec.Handled:
			done++
		default:
			return 0
		}
	}
	return done
}

// lastComplete returns the latest run of everything and the runs that resumed it, oldest first, with their total duration.
func lastComplete(list []history.Summary) (runs []string, took time.Duration) {
	byNumber := make(map[int]history.Summary, len(list))
	for _, s := range list {
		byNumber[s.Run] = s
	}
	for _, s := range list { // newest first
		runs, took = runs[:0], 0
		for s.Result != nil && s.Again == nil {
			runs, took = append(runs, history.RunID(s.Run)), took+time.Duration(s.Result.DurationMS)*time.Millisecond
			if s.Mode != api.ModeResume && s.All {
				slices.Reverse(runs)
				return runs, took
			}
			before, known := byNumber[s.Resumes]
			if s.Mode != api.ModeResume || !known || before.Run >= s.Run {
				break
			}
			s = before
		}
	}
	return nil, 0
}
