package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/graph/timespan"
	"wf/tui/words"
)

// remove deletes the named runs: all of them, or none if one of them cannot be deleted.
func (o *runsOptions) remove(ctx context.Context, e *env, runs []string) error {
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	list, err := s.Workspace.Runs(ctx)
	if err != nil {
		return err
	}
	for _, run := range runs {
		i := slices.IndexFunc(list.Runs, func(r api.RunSummary) bool { return r.Run == run })
		switch {
		case i < 0:
			return &api.Error{Code: api.CodeNotFound, Message: "no run " + run, Why: "nothing was deleted", Fix: "wf runs lists them"}
		case list.Runs[i].Result == "":
			return &api.Error{Code: api.CodeConflict, Run: run, Message: "run " + run + " is active", Why: "nothing was deleted",
				Fix: "wf stop " + run}
		}
	}
	for _, run := range runs {
		if err := s.Workspace.RemoveRun(ctx, run); err != nil {
			return err
		}
		if !o.json {
			fmt.Fprintf(e.Stderr, "deleted run %s\n", run)
		}
	}
	return o.printRemoved(e, api.PruneResult{Removed: runs})
}

func (o *runsOptions) prune(ctx context.Context, e *env, keepGiven bool) error {
	if o.yes {
		return exit.Usage("--yes needs --gone")
	}
	size, err := parseSize(o.size)
	if err != nil {
		return err
	}
	older, err := parseAge(o.older)
	if err != nil {
		return err
	}
	if o.keep < 0 {
		return exit.Usage("--keep must not be negative")
	}
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	result, err := s.Workspace.Prune(ctx, api.PruneRequest{Keep: o.keep, None: keepGiven && o.keep == 0, Bytes: size,
		OlderMS: older.Milliseconds(), DryRun: o.dryRun})
	if err != nil {
		return err
	}
	if o.json {
		return o.printRemoved(e, result)
	}
	for _, run := range result.Removed {
		fmt.Fprintln(e.Stdout, run)
	}
	verb := "deleted"
	if o.dryRun {
		verb = "would delete"
	}
	fmt.Fprintf(e.Stderr, "%s %s\n", verb, words.Plural(len(result.Removed), "run"))
	return nil
}

// printRemoved prints with --json which runs were deleted, or would be.
func (o *runsOptions) printRemoved(e *env, result api.PruneResult) error {
	if !o.json {
		return nil
	}
	result.Schema, result.DryRun = api.SchemaPrune, o.dryRun
	return console.WriteJSON(e.Stdout, result)
}

// parseSize parses a number of bytes: 500MB, 10GB, 1.5TB (powers of 1000), 10GiB (of 1024). "" is 0.
func parseSize(text string) (int64, error) {
	number, factor := strings.TrimSpace(text), 1.0
	for _, unit := range []struct {
		name   string
		factor float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1}} {
		if n, ok := strings.CutSuffix(number, unit.name); ok {
			number, factor = strings.TrimSpace(n), unit.factor
			break
		}
	}
	if number == "" && factor == 1 {
		return 0, nil
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n < 0 || n*factor > 1<<60 || n != n {
		return 0, exit.Usage("size %s: must be like 500MB or 10GB", text)
	}
	return int64(n * factor), nil
}

// parseAge parses an age: 30d, 12h. "" is 0.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := timespan.Parse(text)
	if err != nil {
		return 0, exit.Usage("age %s: must be like 30d, 12h or 90m", text)
	}
	return d, nil
}
