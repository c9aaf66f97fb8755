package progress

import (
	"context"

	"wf/api"
	"wf/tui/plain"
)

// StartRun starts a run. If it has to wait for another one, or to replace it, StartRun calls report with a sentence
// about that. A caller whose ctx ends does not wait any longer.
func (s *Target) StartRun(ctx context.Context, req api.RunRequest, report func(text string)) (api.RunAccepted, error) {
	return s.Workspace.StartRunWaiting(ctx, req, func(busy api.Error) {
		switch {
		case req.OnBusy == api.BusyCancel: // the user has said so
		case busy.OnBusy == api.BusyCancel:
			report(plain.Line(busy.Message) + ": it has to make room")
		default:
			report(plain.Line(busy.Message) + ": waits in line")
		}
	})
}

// Queued says that a run waits for others.
func (v *Display) Queued(text string) {
	if !v.opt.JSON && !v.opt.Quiet {
		v.say("%s", text)
		v.flush()
	}
}

// startAnswer is what becomes of the request for a run.
type startAnswer struct {
	accepted api.RunAccepted
	err      error
}
