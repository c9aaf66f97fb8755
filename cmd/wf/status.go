package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/words"
)

// shownStages is how many rows the state has at most.
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
		Use:   "status [FILE]",
		Short: "Show the state now",
		Long: `Status shows the active runs, or how the last one ended, and the state of the nodes.
With --exit-code it ends with 7 while a run is going, 1 when nodes have failed, 6 when the
last run was stopped, else 0.`,
		Example: `  wf status
  wf status --watch
  wf status --json | jq .counts`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &o.file, args); err != nil {
				return err
			}
			return o.run(cmd.Context(), e)
		},
	}
	f := cmd.Flags()
	lookFlag(cmd, &o.file, "f")
	f.BoolVar(&o.watch, "watch", false, "show every change until Ctrl-C: in place on a terminal, else one after the other")
	f.BoolVar(&o.json, "json", false, "print the state as JSON; with --watch a line per change")
	f.BoolVar(&o.exitCode, "exit-code", false, "tell the state by the exit status")
	return cmd
}

func (o *statusOptions) run(ctx context.Context, e *env) error {
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
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

// ask fetches as much as is printed: of a large workfile people see a few rows.
func (o *statusOptions) ask(ctx context.Context, s *session) (api.Status, error) {
	if o.json {
		return s.Workspace.Status(ctx, true)
	}
	return s.Workspace.Overview(ctx, shownStages)
}

// print writes the state in the form that was asked for.
func (o *statusOptions) print(e *env, s *session, status api.Status) error {
	if o.json {
		return console.WriteJSON(e.Stdout, status)
	}
	return printStatus(e.Stdout, e.OutPaint(), status, time.Now(), e.fileFix(s.Path))
}

// statusCode is the state as an exit status.
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

// lastRunParts are the counts and the duration of a run that is over.
func lastRunParts(r api.RunSummary) string {
	parts := words.CountParts(r.Counts, "not reached")
	if d := words.SpanMS(r.DurationMS); d != "" {
		parts = append(parts, d)
	}
	return strings.Join(parts, ", ")
}

func endedAgo(r api.RunSummary, now time.Time) string {
	if r.Ended == nil {
		return words.Ago(r.Started, now)
	}
	return words.Ago(*r.Ended, now)
}

// stateDetail says about a node what its glyph cannot.
func stateDetail(n api.NodeStatus, now time.Time) string {
	parts := []string{string(n.State)}
	if n.Wait != nil {
		parts = append(parts, waitDetail(n, now))
	}
	if n.Instances != nil && n.Instances.Begun > 0 {
		parts = append(parts, instancesText(*n.Instances))
	}
	switch n.State {
	case api.StateRetrying:
		if why := words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message); why != "" {
			parts = append(parts, "after "+why)
		}
	case api.StateFailed:
		if why := words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message); why != "" { // not of another program's run
			parts = append(parts, why+ci.HandledText(n.Handled))
		}
	case api.StateRunning:
		if n.Started != nil {
			parts = append(parts, words.Span(now.Sub(*n.Started)))
		}
	}
	if n.State != api.StateRunning && n.DurationMS != nil {
		parts = append(parts, words.SpanMS(n.DurationMS))
	}
	if n.FromFile {
		parts = append(parts, fromFileWord)
	}
	if n.Mocked {
		parts = append(parts, "mocked")
	}
	if n.Executions > 1 && n.Instances == nil {
		parts = append(parts, fmt.Sprintf("%d executions", n.Executions))
	}
	return strings.Join(parts, "  ")
}
