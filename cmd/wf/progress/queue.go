package progress

import (
	"context"
	"errors"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// StartRun asks for a run. Where another one is in the way of it, and it is not to be refused for that, it
// says so, with told, and waits until its turn has come. A caller whose ctx ends leaves the line.
func (s *Target) StartRun(ctx context.Context, req api.RunRequest, told func(text string)) (api.RunAccepted, error) {
	asked := req.OnBusy
	if asked != api.BusyCancel {
		req.OnBusy = api.BusyRefuse // first: only then it is known whether it has to wait
	}
	accepted, err := s.Workspace.StartRun(ctx, req)
	var busy *api.Error
	if !exit.IsCode(err, api.CodeConflict) || !errors.As(err, &busy) {
		return accepted, err
	}
	if asked == "" {
		asked = busy.OnBusy
	}
	switch asked {
	case api.BusyQueue:
		told(plain.Line(busy.Message) + ": waits in line")
	case api.BusyCancel:
		told(plain.Line(busy.Message) + ": it has to make room")
	default:
		return accepted, err
	}
	req.OnBusy = asked
	return s.Workspace.StartRun(ctx, req)
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
