package main

import (
	"context"
	"io"
	"time"

	"wf/api"
	"wf/cmd/wf/exit"
)

// follow draws the workfile in place after every change, until the run is over, or until q or Ctrl-C, which end it with
// status 0. The last drawing stays.
func (o *graphOptions) follow(ctx context.Context, e *env, s *target) error {
	o.format = "text"
	screen := newScreen(e, s)
	if screen == nil {
		return exit.Usage("--watch needs a terminal")
	}
	active := false // there has been a run
	screen.ask = func(ctx context.Context, s *target) (api.Status, error) { return s.Workspace.Status(ctx, true) }
	screen.print = func(w io.Writer, status *api.Status, now time.Time) error {
		width, height := o.size(e)
		_, err := io.WriteString(w, o.drawing(status, width-1, height, now).Text(o.paint(e)))
		return err
	}
	screen.over = func(status *api.Status) bool {
		if len(status.ActiveRuns) > 0 {
			active = true
		}
		return active && len(status.ActiveRuns) == 0
	}
	return (&statusOptions{}).followOn(ctx, e, s, func(*env, *target) *statusScreen { return screen })
}
