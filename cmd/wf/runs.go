package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/report"
	"wf/tui/words"
)

// runsOptions are the flags of runs and its sub-commands.
type runsOptions struct {
	file    string
	json    bool
	keep    int
	older   string
	size    string
	gone    bool
	yes     bool
	dryRun  bool
	format  string
	frozen  bool
	verbose bool
	times   string // rel or iso
}

func newRuns(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use: "runs [FILE]",
		Example: `  wf runs
  wf runs show 42                                   its failures, and where its time went
  wf runs show 42 --format chrome > trace.json      for ui.perfetto.dev or chrome://tracing
  wf runs diff 41 42                                what was changed, and what that did
  wf runs prune --keep 50 --older 30d --dry-run`,
		RunE: onTarget(e, &o.file, o.list),
	}
	o.listFlags(cmd)
	o.timesFlag(cmd)
	noun(cmd, newRunsLs(e), newRunsShow(e), newRunsDiff(e), newRunsRm(e), newRunsPrune(e))
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && e.isWorkfile(args[0]) {
			return nil
		}
		return nounArgs(cmd, args)
	}
	return cmd
}

func (o *runsOptions) listFlags(cmd *cobra.Command) {
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
}

func newRunsLs(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "ls [FILE]",
		Short: "List the runs, newest first",
		Args:  nargs(0, 1),
		RunE:  onTarget(e, &o.file, o.list),
	}
	o.listFlags(cmd)
	o.timesFlag(cmd)
	return cmd
}

// timesFlag adds --timestamps.
func (o *runsOptions) timesFlag(cmd *cobra.Command) {
	o.times = "rel"
	cmd.Flags().Var(&choice{&o.times, []string{"rel", "iso"}}, "timestamps", "times: rel (4m ago) or iso (2006-01-02 15:04:05)")
}

func newRunsShow(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "show [RUN|FILE]",
		Short: "Show one run: the only active one, or else the latest",
		Long: `Show prints the stages of a run, what failed, the slowest nodes, the critical path, and the
changes of the workfile since. The format chrome is a trace with one track for each of the
commands that ran at the same time, and otlp one of OpenTelemetry. With --workfile it prints the workfile as it was at the start
of the run, byte for byte.`,
		Example: `  wf runs show 42
  wf runs show 42 -v                                with every execution
  wf runs show 42 --format chrome > trace.json      for ui.perfetto.dev or chrome://tracing
  wf runs show 42 --workfile > Workfile.42`,
		Annotations: map[string]string{completesWith: "RUN"},
		Args:        nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.json && (o.format == "chrome" || o.format == "otlp") {
				return exit.Usage("--json cannot be used with --format %s", o.format)
			}
			if o.frozen && (o.json || o.verbose || cmd.Flags().Changed("format")) {
				return exit.Usage("--workfile cannot be used with --json, --format or --verbose")
			}
			run := e.runArg(&o.file, first(args))
			return e.open(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.show(ctx, e, s, run) })
		},
	}
	o.listFlags(cmd)
	o.format = "text"
	cmd.Flags().Var(&choice{&o.format, []string{"text", "json", "chrome", "otlp"}}, "format", "text, json, chrome or otlp")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list every execution")
	cmd.Flags().BoolVar(&o.frozen, "workfile", false, "print the workfile as it was at the start of the run")
	return cmd
}

func newRunsRm(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "rm RUN...",
		Short: "Delete runs and their outputs",
		Args:  nargs(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.open(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.remove(ctx, e, s, args) })
		},
	}
	o.listFlags(cmd)
	return cmd
}

func newRunsPrune(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete old runs",
		Long: `Prune deletes finished runs and their outputs that exceed one of the given limits. Without a
limit it uses those of the daemon (wf help config: keep-runs, keep-age, keep-size).

With --gone it deletes the histories of workfiles that do not exist any more. It lists them and asks
first. wf mv keeps the history of a workfile that was only moved. Active runs are never deleted.`,
		Example: `  wf runs prune --keep 50 --older 30d --dry-run
  wf runs prune --size 10GB
  wf runs prune --gone --dry-run`,
		Args: nargs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.gone {
				return o.pruneGone(cmd.Context(), e, cmd.Flags())
			}
			return o.prune(cmd.Context(), e, cmd.Flags().Changed("keep"))
		},
	}
	o.listFlags(cmd)
	cmd.Flags().IntVar(&o.keep, "keep", 0, "keep the newest `N` runs; 0 keeps none (default: the limit of the daemon)")
	cmd.Flags().StringVar(&o.size, "size", "", "keep the newest runs up to this total `SIZE`, such as 10GB, and always the latest")
	cmd.Flags().BoolVar(&o.gone, "gone", false, "delete the histories of workfiles that do not exist any more")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "with --gone: do not ask")
	cmd.Flags().StringVar(&o.older, "older", "", "only runs that ended longer ago than this `AGE`, such as 30d or 12h")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print which runs, and delete none")
	return cmd
}

func (o *runsOptions) list(ctx context.Context, e *env, s *target) error {
	list, err := s.Workspace.Runs(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return console.WriteJSON(e.Stdout, list)
	}
	return report.Runs(e.Stdout, e.OutPaint(), list.Runs, o.when(time.Now()))
}

// when returns the function that formats times.
func (o *runsOptions) when(now time.Time) func(time.Time) string {
	if o.times == "iso" {
		return func(t time.Time) string { return t.Local().Format(time.DateTime) }
	}
	return func(t time.Time) string { return words.Ago(t, now) }
}
