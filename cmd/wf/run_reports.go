package main

import (
	"context"
	"fmt"

	"wf/api"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/report"
	"wf/tui/plain"
)

// reportEnd returns a function that writes the reports about a run that has ended. A report that cannot be written is
// the error of the command only if the run succeeded; otherwise the result of the run takes precedence.
func (o *showOptions) reportEnd(e *env, s *target) func(context.Context, string, api.Result) error {
	return func(ctx context.Context, run string, result api.Result) error {
		err := o.writeReports(ctx, e, s, run)
		if err != nil && result != api.Succeeded {
			printError(e, err)
			return nil
		}
		return err
	}
}

// writeReports writes the reports of --report, and the summary that GitHub shows beside the log.
func (o *showOptions) writeReports(ctx context.Context, e *env, s *target, run string) error {
	summary := ""
	if ci.Detect(e.Get, o.CI) == ci.GitHub {
		summary = e.Get("GITHUB_STEP_SUMMARY")
	}
	if len(o.reports) == 0 && summary == "" {
		return nil
	}
	a, err := report.Collect(ctx, &s.Target, run)
	if err != nil {
		return fmt.Errorf("no report of run %s: %w", run, err)
	}
	if summary != "" {
		if err := a.AppendSummary(summary); err != nil {
			fmt.Fprintf(e.Stderr, "note: no summary for GitHub: %s\n", plain.Line(err.Error()))
		}
	}
	for _, r := range o.reports {
		if err := a.Write(r.Kind, e.Abs(r.Path)); err != nil {
			return fmt.Errorf("no report of run %s: %w", run, err)
		}
	}
	return nil
}
