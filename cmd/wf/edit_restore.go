package main

import (
	"context"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/report"
)

func newRestore(e *env) *cobra.Command {
	o := &editOptions{}
	dryRun := false
	cmd := &cobra.Command{
		Use:   "restore RUN",
		Short: "Give the workfile the definition that it had at the start of a run",
		Long: `Restore is one edit that brings back the nodes, edges, attributes and positions that the workfile
had at the start of a run: wf edit undo takes it back, byte for byte. Nodes that exist now and then
keep their statuses. Comments and drawings stay as they are now; wf runs show RUN --workfile prints
the whole file as it was.`,
		Example: `  wf edit restore 41 --dry-run    what it would change
  wf edit restore 41
  wf edit undo`,
		Args: nargs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dryRun {
				return e.open(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.previewRestore(ctx, e, s, args[0]) })
			}
			return o.apply(cmd.Context(), e, "", func(w *client.Workspace, ctx context.Context) (api.EditResult, error) {
				return w.Edit(ctx, api.EditRequest{Edits: []api.Edit{{Op: api.OpRestore, Run: args[0]}}})
			})
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the differences like wf runs diff, and change nothing")
	return cmd
}

// previewRestore prints what a restore would change.
func (o *editOptions) previewRestore(ctx context.Context, e *env, s *target, run string) error {
	d, err := s.Workspace.Compare(ctx, api.DiffQuery{From: api.DiffNow, To: run})
	if err != nil {
		return err
	}
	if o.json {
		return console.WriteJSON(e.Stdout, d)
	}
	return report.Diff(e.Stdout, e.OutPaint(), d)
}
