package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"wf/api"
)

func (o *runsOptions) remove(ctx context.Context, e *env, runs []string) error {
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	for _, run := range runs {
		if err := s.ws.RemoveRun(ctx, run); err != nil {
			return err
		}
		fmt.Fprintf(e.stderr, "forgot run %s\n", run)
	}
	return nil
}

func (o *runsOptions) prune(ctx context.Context, e *env) error {
	older, err := parseAge(o.older)
	if err != nil {
		return err
	}
	if o.keep < 0 {
		return usage("--keep must not be negative")
	}
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	result, err := s.ws.Prune(ctx, api.PruneRequest{Keep: o.keep, OlderMS: older.Milliseconds(), DryRun: o.dryRun})
	if err != nil {
		return err
	}
	for _, run := range result.Removed {
		fmt.Fprintln(e.stdout, run)
	}
	verb := "forgot"
	if o.dryRun {
		verb = "would forget"
	}
	fmt.Fprintf(e.stderr, "%s %s\n", verb, plural(len(result.Removed), "run"))
	return nil
}

// parseAge reads an age: as time.ParseDuration, and whole days as 30d. "" is 0.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err == nil && n >= 0 && n < 100_000 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d, nil
	}
	return 0, usage("age %s: must be like 30d, 12h or 90m", text)
}

// pastRun is the run that a command about the past means: the one named, else the only active
// one, else the latest.
func (s *session) pastRun(ctx context.Context, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	list, err := s.ws.Runs(ctx)
	if err != nil {
		return "", err
	}
	if len(list.Runs) == 0 {
		return "", &failure{status: exitFailed, what: "nothing has ever run in " + s.path, fix: "wf run"}
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
