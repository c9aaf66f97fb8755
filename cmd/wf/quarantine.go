package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/daemon"
	"wf/tui/plain"
	"wf/tui/words"
)

func newServerRetry(e *env) *cobra.Command {
	file := ""
	cmd := &cobra.Command{
		Use:   "retry [FILE]",
		Short: "Recover the runs of a quarantined workfile",
		Long: `A workfile is quarantined if several daemons in a row crashed while they recovered its runs. The
daemon then does not recover these runs, so that it can serve everything else. Running commands
continue and their results are kept; the file can be read and edited, its history can be read, and
wf stop ends its runs. From time to time the daemon tries the recovery in another process, and
recovers the runs if that succeeds. If it does not, fix the cause, which wf server status shows, and
then use retry. A retry that fails does not crash the daemon.`,
		Example: `  wf server status                quarantined workfiles, and the reasons
  wf server retry align.graphml`,
		Args: nargs(0, 1),
	}
	cmd.RunE = onFile(e, &file, func(ctx context.Context, e *env) error {
		path, err := e.workfile(file)
		if err != nil {
			return err
		}
		return e.connected(ctx, func(c *client.Client) error {
			if err := c.Retry(ctx, path); err != nil {
				return err
			}
			fmt.Fprintf(e.Stderr, "opened %s\n", plain.Line(path))
			return nil
		})
	})
	fileFlag(cmd, &file, "f")
	return cmd
}

// printQuarantined lists quarantined workfiles.
func printQuarantined(w io.Writer, list []api.HeldWorkspace) {
	for _, h := range list {
		fmt.Fprintf(w, "  %s  quarantined\n    %s\n    fix: wf server retry %s\n", plain.Line(h.Workfile), plain.Line(h.Why), words.Quote(h.Workfile))
	}
}

// quarantinedOnDisk returns the quarantined workfiles without a daemon.
func quarantinedOnDisk(e *env) ([]api.HeldWorkspace, error) {
	dirs, err := e.folders()
	if err != nil {
		return nil, err
	}
	return daemon.Held(dirs.State)
}
