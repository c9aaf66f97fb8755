package main

import (
	"context"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/report"
)

func newRunsDiff(e *env) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use:   "diff [RUN|FILE] [RUN]",
		Short: "Compare two runs: definition, parameters, results and times",
		Long: `Diff prints what distinguishes the second run from the first one: what was edited in between,
other parameters and options, nodes that ended differently, and nodes that became clearly slower
or faster (by at least half a second and a fifth). Nodes correspond by their ids, or else by their
names. Statuses do not count, and positions in drawings are only counted.

Without runs it compares the last two, with one run this one and the latest. The word now stands
for the workfile as it is now. The exit status is 0, whether or not there are differences.`,
		Example: `  wf runs diff                    the last two runs
  wf runs diff 41 42
  wf runs diff 41 now             what was edited since run 41
  wf runs diff 41 now --json | jq '.definition.nodes[].name'`,
		Annotations: map[string]string{completesWith: "RUNORNOW RUNORNOW"},
		Args:        nargs(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := api.DiffQuery{From: first(args)}
			if len(args) == 2 {
				q.To = args[1]
			} else {
				q.From = e.runArg(&o.file, q.From)
			}
			return e.look(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.diff(ctx, e, s, q) })
		},
	}
	o.listFlags(cmd)
	return cmd
}

func (o *runsOptions) diff(ctx context.Context, e *env, s *target, q api.DiffQuery) error {
	d, err := s.Workspace.Compare(ctx, q)
	if err != nil {
		return err
	}
	if o.json {
		return console.WriteJSON(e.Stdout, d)
	}
	return report.Diff(e.Stdout, e.OutPaint(), d)
}
