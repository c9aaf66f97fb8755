package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/settings"
	"wf/tui/plain"
	"wf/tui/words"
)

func newMv(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "mv OLDFILE NEWFILE",
		Long: `Mv renames a workfile and moves everything that belongs to its path: statuses, earlier runs with
their outputs, and the values of wf kv. If the file was already moved, with mv or git, wf mv moves the
rest. It is refused while a run is active.`,
		Example: `  wf mv a.wf b.wf
  wf mv Workfile pipelines/`,
		Args: nargs(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return e.move(cmd.Context(), args[0], args[1]) },
	}
}

func (e *env) move(ctx context.Context, from, to string) error {
	return e.connected(ctx, func(c *client.Client) error {
		result, err := c.Move(ctx, api.MoveRequest{From: e.Abs(from), To: e.Abs(to)})
		if err != nil {
			return err
		}
		e.moveView(result)
		fmt.Fprintf(e.Stderr, "moved %s to %s with %s\n", plain.Line(e.rel(result.From)), plain.Line(e.rel(result.To)), words.Plural(result.Runs, "run"))
		return nil
	})
}

// moveView moves the saved view of the terminal interface.
func (e *env) moveView(moved api.MoveResult) {
	views := savedViews(filepath.Join(settings.FoldersOf(&e.Console).State, "views"))
	if from, to := views.path(moved.FromID), views.path(moved.ToID); from != "" && to != "" {
		_ = os.Rename(from, to) // nothing depends on it
	}
}
