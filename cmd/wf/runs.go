package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
)

// runsOptions are the flags of runs and the commands below it.
type runsOptions struct {
	file   string
	json   bool
	keep   int
	older  string
	dryRun bool
}

func newRuns(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "Show and forget past runs",
		Example: `  wf runs
  wf runs show 42
  wf runs prune --keep 50 --older 30d --dry-run`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.list(cmd.Context(), e) },
	}
	o.listFlags(cmd)
	return noun(cmd, newRunsLs(e), newRunsShow(e), newRunsRm(e), newRunsPrune(e))
}

func (o *runsOptions) listFlags(cmd *cobra.Command) {
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
}

func newRunsLs(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the runs, newest first",
		Args:  nargs(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.list(cmd.Context(), e) },
	}
	o.listFlags(cmd)
	return cmd
}

func newRunsShow(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "show [RUN]",
		Short: "Show one run and what it executed: the only active one, else the latest",
		Args:  nargs(0, 1),
		RunE:  func(cmd *cobra.Command, args []string) error { return o.show(cmd.Context(), e, first(args)) },
	}
	o.listFlags(cmd)
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
	fileFlag(cmd, &o.file, "f")
	return cmd
}

func newRunsPrune(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:     "prune",
		Short:   "Forget old runs",
		Example: `  wf runs prune --keep 50 --older 30d --dry-run`,
		Args:    nargs(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.prune(cmd.Context(), e) },
	}
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().IntVar(&o.keep, "keep", 0, "keep the newest `N` runs (default: what the daemon keeps by itself)")
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
	list, err := s.ws.Runs(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(e.stdout, list)
	}
	return printRuns(e.stdout, e.outPaint(), list.Runs, time.Now())
}

// printRuns is the list for people.
func printRuns(w io.Writer, p paint, runs []api.RunSummary, now time.Time) error {
	var t table
	t.row("RUN", "WHEN", "RESULT", "NODES", "TIME", "BY", "WHAT")
	for _, r := range runs {
		t.row(r.Run, ago(r.Started, now), p.glyph(resultState(r.Result))+" "+resultWord(r.Result),
			strings.Join(countParts(r.Counts, "not reached"), ", "), spanMS(r.DurationMS), oneLine(r.User), runWhat(r))
	}
	if err := t.write(w); err != nil {
		return err
	}
	for _, r := range runs {
		if r.Problem != "" {
			fmt.Fprintf(w, "note: the records of run %s: %s\n", r.Run, oneLine(r.Problem))
		}
	}
	return nil
}

// resultState is the state whose look a result borrows.
func resultState(result api.Result) api.State {
	switch result {
	case api.Succeeded:
		return api.StateOK
	case api.ResFailed:
		return api.StateFailed
	case api.Cancelled:
		return api.StateCancelled
	}
	return api.StateRunning
}

// runWhat says what was asked for.
func runWhat(r api.RunSummary) string {
	switch {
	case len(r.Selection) > 0:
		return "--nodes " + oneLine(strings.Join(r.Selection, " "))
	case r.Mode == api.ModeResume:
		return "resume " + r.Resumes
	}
	return "all"
}

func (o *runsOptions) show(ctx context.Context, e *env, run string) error {
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	if run == "" {
		if run, err = presentRun(ctx, s); err != nil {
			return err
		}
	}
	detail, err := s.ws.Run(ctx, run)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(e.stdout, detail)
	}
	return printRun(e.stdout, e.outPaint(), detail)
}

// presentRun is the run that is meant when none is named: the only active one, else the latest.
func presentRun(ctx context.Context, s *session) (string, error) {
	list, err := s.ws.Runs(ctx)
	if err != nil {
		return "", err
	}
	if len(list.Runs) == 0 {
		return "", &api.Error{Code: api.CodeNotFound, Message: "no run yet", Fix: "wf run"}
	}
	var active []string
	for _, r := range list.Runs {
		if r.Result == "" {
			active = append(active, r.Run)
		}
	}
	if len(active) == 1 {
		return active[0], nil
	}
	return list.Runs[0].Run, nil
}

// printRun is one run for people: how it was started, then every execution.
func printRun(w io.Writer, p paint, d api.RunDetail) error {
	fmt.Fprintf(w, "%s run %s %s  %s  %s\n", p.glyph(resultState(d.Result)), d.Run, resultWord(d.Result),
		strings.Join(countParts(d.Counts, "not reached"), " "+p.dot()+" "), spanMS(d.DurationMS))
	var fields, executions table
	survivors := ""
	if len(d.Survivors) > 0 {
		survivors = survivorsText(d.Survivors)
	}
	for _, field := range [][2]string{
		{"workfile", d.Workfile}, {"what", runWhat(d.RunSummary)}, {"started", d.Started.Local().Format(time.DateTime)},
		{"by", d.User}, {"wrapper", d.Wrapper}, {"cwd", d.Cwd}, {"records", d.Folder}, {"damage", d.Problem},
		{"left", survivors},
	} {
		if field[1] != "" {
			fields.row("  "+field[0], oneLine(field[1]))
		}
	}
	for _, x := range d.Execs {
		state, how := executionState(x)
		executions.row(p.glyph(state)+" "+oneLine(x.Name), strconv.Itoa(x.Execution), spanMS(x.DurationMS), how, oneLine(x.Command))
	}
	if err := errors.Join(fields.write(w), newline(w), executions.write(w)); err != nil {
		return err
	}
	blocked := namesIn(d.Left, api.StateBlocked)
	if len(blocked) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s blocked: %s\n", p.glyph(api.StateBlocked), nameList(blocked, shownNames))
	return err
}

func newline(w io.Writer) error {
	_, err := io.WriteString(w, "\n")
	return err
}

// executionState is how an execution ended, as a state and in words.
func executionState(x api.Execution) (api.State, string) {
	switch {
	case !x.Over:
		return api.StateRunning, "running"
	case x.OK:
		return api.StateOK, "ok"
	case x.Reason == api.ReasonCancelled:
		return api.StateCancelled, "cancelled"
	}
	return api.StateFailed, cause(x.Reason, x.ExitCode, x.Signal, x.Message)
}
