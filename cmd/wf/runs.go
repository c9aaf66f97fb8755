package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// runsOptions are the flags of runs and the commands below it.
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
	verbose bool
	times   string // rel or iso
}

func newRuns(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "runs [FILE]",
		Short: "Show and forget past runs",
		Example: `  wf runs
  wf runs show 42                                   where its time went, what failed
  wf runs show 42 --format chrome > trace.json      for ui.perfetto.dev or chrome://tracing
  wf runs prune --keep 50 --older 30d --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.listOf(cmd, e, args) },
	}
	o.listFlags(cmd)
	o.timesFlag(cmd)
	noun(cmd, newRunsLs(e), newRunsShow(e), newRunsRm(e), newRunsPrune(e))
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && e.isWorkfile(args[0]) {
			return nil
		}
		return nounArgs(cmd, args)
	}
	return cmd
}

// listOf is list with the workfile as an argument.
func (o *runsOptions) listOf(cmd *cobra.Command, e *env, args []string) error {
	if err := fileArg(cmd, &o.file, args); err != nil {
		return err
	}
	return o.list(cmd.Context(), e)
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
		RunE:  func(cmd *cobra.Command, args []string) error { return o.listOf(cmd, e, args) },
	}
	o.listFlags(cmd)
	o.timesFlag(cmd)
	return cmd
}

// timesFlag is for what shows when something was.
func (o *runsOptions) timesFlag(cmd *cobra.Command) {
	o.times = "rel"
	cmd.Flags().Var(&choice{&o.times, []string{"rel", "iso"}}, "timestamps", "times: rel (4m ago) or iso (2006-01-02 15:04:05)")
}

func newRunsShow(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "show [RUN|FILE]",
		Short: "Show one run: the only active one, else the latest",
		Long: `Show tells how a run went: its stages, what failed, which nodes took longest, which chain of
nodes the end waited for, and what of the workfile has changed since. The format chrome is a
trace with a track for each command that ran at the same time.`,
		Example: `  wf runs show 42
  wf runs show 42 -v                                every execution
  wf runs show 42 --format chrome > trace.json      for ui.perfetto.dev or chrome://tracing`,
		Annotations: map[string]string{completesWith: "RUN"},
		Args:        nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.show(cmd.Context(), e, e.runArg(&o.file, first(args)))
		},
	}
	o.listFlags(cmd)
	o.format = "text"
	cmd.Flags().Var(&choice{&o.format, []string{"text", "json", "chrome"}}, "format", "text, json or chrome")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list every execution")
	return cmd
}

func newRunsRm(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "rm RUN...",
		Short: "Forget runs and delete their outputs",
		Args:  nargs(1, -1),
		RunE:  func(cmd *cobra.Command, args []string) error { return o.remove(cmd.Context(), e, args) },
	}
	o.listFlags(cmd)
	return cmd
}

func newRunsPrune(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Forget old runs",
		Long: `Prune forgets runs that are over, with their outputs: those that one of the limits is against;
without a limit those of the daemon count (wf help config: keep-runs, keep-age, keep-size).

With --gone it forgets all that is kept of workfiles that do not exist any more: it lists them, and
asks. A workfile that was only moved keeps its history with wf mv. What runs is never forgotten.`,
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
	cmd.Flags().IntVar(&o.keep, "keep", 0, "keep the newest `N` runs, with 0 none (default: what the daemon keeps by itself)")
	cmd.Flags().StringVar(&o.size, "size", "", "keep of the newest runs what takes no more than this `SIZE`, as 10GB, and the latest")
	cmd.Flags().BoolVar(&o.gone, "gone", false, "forget the histories of workfiles that do not exist any more")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "with --gone: do not ask")
	cmd.Flags().StringVar(&o.older, "older", "", "only runs that ended longer ago than this `AGE`, as 30d or 12h")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say which, and forget none")
	return cmd
}

func (o *runsOptions) list(ctx context.Context, e *env) error {
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	list, err := s.Workspace.Runs(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return console.WriteJSON(e.Stdout, list)
	}
	return printRuns(e.Stdout, e.OutPaint(), list.Runs, o.when(time.Now()))
}

// when is how times are shown.
func (o *runsOptions) when(now time.Time) func(time.Time) string {
	if o.times == "iso" {
		return func(t time.Time) string { return t.Local().Format(time.DateTime) }
	}
	return func(t time.Time) string { return words.Ago(t, now) }
}

// printRuns is the list for people.
func printRuns(w io.Writer, p console.Paint, runs []api.RunSummary, when func(time.Time) string) error {
	var t console.Table
	t.Row("RUN", "WHEN", "RESULT", "NODES", "TIME", "BY", "WHAT")
	for _, r := range runs {
		t.Row(r.Run, when(r.Started), p.Glyph(words.RunState(r))+" "+words.RunWord(r),
			strings.Join(words.CountParts(r.Counts, "not reached"), ", "), words.SpanMS(r.DurationMS), plain.Line(r.User), words.Asked(r))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, r := range runs {
		if r.Problem != "" {
			fmt.Fprintf(w, "note: the records of run %s: %s\n", r.Run, plain.Line(r.Problem))
		}
	}
	return nil
}
