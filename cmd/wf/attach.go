package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/progress"
	"wf/cmd/wf/report"
	"wf/tui/words"
)

// attachOptions are the flags of attach.
type attachOptions struct {
	file string
	showOptions
}

func newAttach(e *env) *cobra.Command {
	o := &attachOptions{}
	cmd := &cobra.Command{
		Use: "attach [RUN|FILE]",
		Long: `Attach shows an active run from now until it ends, and exits with the status that wf run
would have. Ctrl-C leaves the run alone and ends with status 0.`,
		Example: `  wf attach
  wf attach 42 --json`,
		Annotations: map[string]string{completesWith: "RUN"},
		Args:        nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.showOptions.check(); err != nil {
				return err
			}
			if err := report.CheckFiles(&e.Console, o.reports); err != nil {
				return err
			}
			e.traced = o.traced
			run := e.runArg(&o.file, first(args))
			return e.open(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.attach(ctx, e, s, run) })
		},
	}
	fileFlag(cmd, &o.file, "f")
	o.showOptions.addFlags(cmd.Flags())
	return cmd
}

// first is the first argument, or "".
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (o *attachOptions) attach(ctx context.Context, e *env, s *target, run string) error {
	f, err := progress.Follow(ctx, &e.Console, &s.Target, o.Options)
	if err != nil {
		return err
	}
	defer f.Close()
	active := f.First.Status.Runs
	if f.Run, err = pickRun(active, run, "wf attach"); err != nil {
		return err
	}
	f.CatchSignals()
	f.OnEnd, f.ShowTUI = o.reportEnd(e, s), e.tuiOf(s)
	for _, r := range active {
		if r.Run == f.Run {
			return f.Attach(ctx, r)
		}
	}
	// The run ended before the snapshot was taken: the history has its result.
	return f.ReportEnded(ctx, f.First.Seq)
}

// pickRun returns the named run, or the only active run if none is named.
func pickRun(active []api.RunSummary, named, command string) (string, error) {
	switch {
	case named != "":
		return named, nil
	case len(active) == 1:
		return active[0].Run, nil
	case len(active) == 0:
		return "", &exit.Failure{Status: exit.BadUsage, What: "nothing is running", Fix: "wf run, or wf runs for what ran"}
	}
	f := exit.Usage("%d runs are active: name one", len(active))
	f.Why = activeList(active)
	f.Fix = command + " " + active[0].Run
	return "", f
}

// activeList describes active runs, one per line.
func activeList(active []api.RunSummary) string {
	text := ""
	for i, r := range active {
		if i > 0 {
			text += "\n"
		}
		text += "run " + r.Run + ": " + words.Plural(r.Nodes, "node") + ", " + fmt.Sprint(r.Counts.Running) + " running"
	}
	return text
}
