package progress

import (
	"context"

	"wf/api"
	"wf/tui/plain"
)

// StartRun starts a run. If the run has to wait for another one or to replace it, StartRun calls report with a sentence
// about that. It stops waiting when ctx ends.
func (s *Target) StartRun(ctx context.Context, req api.RunRequest, report func(text string)) (api.RunAccepted, error) {
	return s.Workspace.StartRunWaiting(ctx, req, func(busy api.Error) {
		switch {
		case req.OnBusy == api.BusyCancel: // the user asked for it
		case busy.OnBusy == api.BusyCancel:
			report(plain.Line(busy.Message) + ": it is cancelled")
		default:
			report(plain.Line(busy.Message) + ": the new run is queued")
		}
	})
}

// Queued prints that a run waits for others.
func (v *Display) Queued(text string) {
	if !v.opt.JSON && !v.opt.Quiet {
		v.print("%s", text)
		v.flush()
	}
}

// startAnswer is the answer to the request for a run.
type startAnswer struct {
	accepted api.RunAccepted
	err      error
}
