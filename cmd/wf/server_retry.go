package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/daemon"
	"wf/tui/plain"
	"wf/tui/words"
)

func newServerRetry(e *env) *cobra.Command {
	file := ""
	cmd := &cobra.Command{
		Use:   "retry [FILE]",
		Short: "Take up the runs of a held workfile",
		Long: `When several daemons in a row have died while they took up the runs of a workfile, it is held: its
runs are not taken up, so that all else is served. What runs goes on, and its results are kept; the
file can be read and edited, the past can be read, and wf stop ends the runs. If another process can
read the runs without dying, the daemon takes them up by itself after a while. If it cannot, mend
what it dies of, which wf server status tells; then retry. The daemon does not die of that.`,
		Example: `  wf server status                what is held, and why
  wf server retry align.graphml`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &file, args); err != nil {
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
	fmt.Fprintf(e.Stderr, "opened %s\n", plain.Line(path))
	return nil
}

// printHeld tells of workfiles that no daemon opens by itself.
func printHeld(w io.Writer, list []api.HeldWorkspace) {
	for _, h := range list {
		fmt.Fprintf(w, "  %s  held\n    %s\n    fix: wf server retry %s\n", plain.Line(h.Workfile), plain.Line(h.Why), words.Quote(h.Workfile))
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
