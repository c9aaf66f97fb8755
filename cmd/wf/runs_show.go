package main

import (
	"context"
	"io"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/report"
)

func (o *runsOptions) show(ctx context.Context, e *env, s *target, run string) error {
	run, err := s.shownRun(ctx, run)
	if err != nil {
		return err
	}
	if o.frozen {
		return printFrozen(ctx, e, s, run)
	}
	if o.format == "otlp" {
		return printTrace(ctx, e, s, run)
	}
	detail, err := s.Workspace.Analysis(ctx, run)
	if err != nil {
		return err
	}
	switch {
	case o.json || o.format == "json":
		return console.WriteJSON(e.Stdout, detail)
	case o.format == "chrome":
		return report.Trace(e.Stdout, detail, time.Now())
	}
	return report.Run(e.Stdout, e.OutPaint(), detail, o.verbose, time.Now(), e.fileFix(s.Path))
}

// printFrozen prints the workfile as it was at the start of a run.
func printFrozen(ctx context.Context, e *env, s *target, run string) error {
	file, err := s.Workspace.FrozenWorkfile(ctx, run)
	if err != nil {
		return err
	}
	defer file.Close()
	w := e.OutputWriter(e.Stdout, false)
	if _, err := io.Copy(w, file); err != nil {
		return err
	}
	return w.Flush()
}

// printTrace prints a run as a trace of OpenTelemetry.
func printTrace(ctx context.Context, e *env, s *target, run string) error {
	trace, err := s.Workspace.Trace(ctx, run)
	if err != nil {
		return err
	}
	defer trace.Close()
	data, err := io.ReadAll(trace) // one that breaks off must not look complete
	if err != nil {
		return err
	}
	_, err = e.Stdout.Write(append(data, '\n'))
	return err
}

// shownRun returns the named run, or else the only active run, or else the latest run.
func (s *target) shownRun(ctx context.Context, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	list, err := s.Workspace.Runs(ctx)
	if err != nil {
		return "", err
	}
	if len(list.Runs) == 0 {
		return "", &api.Error{Code: api.CodeNotFound, Message: "no run of " + s.Path + " is recorded", Fix: "wf run"}
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
