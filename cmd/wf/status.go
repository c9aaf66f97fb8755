package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/report"
)

// shownStages is how many stages are shown.
const shownStages = 40

// statusOptions are the flags of status.
type statusOptions struct {
	file     string
	watch    bool
	json     bool
	exitCode bool
}

func newStatus(e *env) *cobra.Command {
	o := &statusOptions{}
	cmd := &cobra.Command{
		Use: "status [FILE]",
		Long: `Status shows the active runs, or how the last run ended, and the state of the nodes. With
--exit-code it ends with 7 if a run is active, 1 if nodes have failed, 6 if the last run was
stopped, and otherwise 0.`,
		Example: `  wf status
  wf status --watch
  wf status --json | jq .counts`,
		Args: nargs(0, 1),
		RunE: onTarget(e, &o.file, o.run),
	}
	f := cmd.Flags()
	lookFlag(cmd, &o.file, "f")
	f.BoolVar(&o.watch, "watch", false, "show every change until Ctrl-C, in place on a terminal")
	f.BoolVar(&o.json, "json", false, "print the state as JSON; with --watch a line per change")
	f.BoolVar(&o.exitCode, "exit-code", false, "return the state as the exit status")
	return cmd
}

func (o *statusOptions) run(ctx context.Context, e *env, s *target) error {
	if o.watch {
		return o.follow(ctx, e, s)
	}
	status, err := o.ask(ctx, s)
	if err != nil {
		return err
	}
	if err := o.print(e, s, status); err != nil {
		return err
	}
	if o.exitCode {
		return exit.With(statusCode(status))
	}
	return nil
}

// ask requests the status. The text needs only an overview, which is small even for a large workfile.
func (o *statusOptions) ask(ctx context.Context, s *target) (api.Status, error) {
	if o.json {
		return s.Workspace.Status(ctx, true)
	}
	return s.Workspace.Overview(ctx, shownStages)
}

// print writes the state as JSON or text.
func (o *statusOptions) print(e *env, s *target, status api.Status) error {
	if o.json {
		return console.WriteJSON(e.Stdout, status)
	}
	return report.Status(e.Stdout, e.OutPaint(), status, time.Now(), e.fileFix(s.Path))
}

// statusCode returns the exit status of a state.
func statusCode(s api.Status) int {
	switch {
	case len(s.ActiveRuns) > 0:
		return exit.Busy
	case s.Counts.Failed > 0 || s.LastRun != nil && s.LastRun.Result == api.ResFailed:
		return exit.Failed
	case s.LastRun != nil && s.LastRun.Result == api.Cancelled:
		return exit.Stopped
	}
	return exit.OK
}
