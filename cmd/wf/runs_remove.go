package main

import (
	"context"
	"fmt"
	"slices"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/tui/words"
)

// remove deletes the named runs: all of them, or none if one of them cannot be deleted.
func (o *runsOptions) remove(ctx context.Context, e *env, s *target, runs []string) error {
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
	size, err := settings.ParseSize(o.size)
	if err != nil {
		return err
	}
	older, err := settings.ParseAge(o.older)
	if err != nil {
		return err
	}
	if o.keep < 0 {
		return exit.Usage("--keep must not be negative")
	}
	var result api.PruneResult
	err = e.open(ctx, o.file, func(ctx context.Context, _ *env, s *target) error {
		result, err = s.Workspace.Prune(ctx, api.PruneRequest{Keep: o.keep, None: keepGiven && o.keep == 0, Bytes: size,
			OlderMS: older.Milliseconds(), DryRun: o.dryRun})
		return err
	})
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
