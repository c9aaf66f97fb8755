package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/daemon"
	"wf/plain"
)

func newServerRetry(e *env) *cobra.Command {
	file := ""
	cmd := &cobra.Command{
		Use:   "retry [FILE]",
		Short: "Open a held workfile once more",
		Long: `When several daemons in a row have died while they took up the runs of a workfile, it is held: no
daemon opens it by itself any more, so that all else is served. What runs goes on, and its results
are kept. Retry has the daemon try once more, when what it died of is mended.`,
		Example: `  wf server status                what is held, and why
  wf server retry align.graphml`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(&file, args); err != nil {
				return err
			}
			return retryHeld(cmd.Context(), e, file)
		},
	}
	fileFlag(cmd, &file, "f")
	return cmd
}

func retryHeld(ctx context.Context, e *env, file string) error {
	path, err := e.workfile(file)
	if err != nil {
		return err
	}
	c, err := e.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Retry(ctx, path); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "opened %s\n", plain.Line(path))
	return nil
}

// printHeld tells of workfiles that no daemon opens by itself.
func printHeld(w io.Writer, list []api.HeldWorkspace) {
	for _, h := range list {
		fmt.Fprintf(w, "  %s  held\n    %s\n    fix: wf server retry %s\n", plain.Line(h.Workfile), plain.Line(h.Why), quote(h.Workfile))
	}
}

// heldAlone lists them when no daemon is running who could tell.
func heldAlone(e *env) ([]api.HeldWorkspace, error) {
	dirs, err := e.folders()
	if err != nil {
		return nil, err
	}
	return daemon.Held(dirs.state)
}
