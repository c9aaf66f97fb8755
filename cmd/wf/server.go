package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/daemon"
	"wf/executor/ownfile"
)

// newServer groups the commands about the daemon itself.
func newServer(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "server",
		Long: `There is one daemon per user and machine. Commands that need it start it, and it ends by
itself when it has nothing left to do, so these commands are seldom needed.`,
		Example: `  wf server status
  wf server stop --cancel`,
	}
	return noun(cmd, newServerStart(e), newServerStop(e), newServerRestart(e), newServerInstall(e), newServerUninstall(e), newServerRetry(e), newServerTakeover(e), newServerPools(e), newServerStatus(e), newServerLs(e), newServerLogs(e),
		newDialStdio(e), newHoldLink(e), newTUISetup(e), newHostState(e))
}

// stopServerOptions are the flags of stop and restart.
type stopServerOptions struct {
	wait, cancel bool
	detach       bool // let the runs continue without a daemon; not a flag
}

func (o *stopServerOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.wait, "wait", false, "wait until the active runs have ended")
	cmd.Flags().BoolVar(&o.cancel, "cancel", false, "stop the active runs first")
}

func newServerStop(e *env) *cobra.Command {
	o := &stopServerOptions{}
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop the daemon; refused while runs are active",
		Args:  nargs(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.stop(cmd.Context(), e) },
	}
	o.addFlags(cmd)
	return cmd
}

// stop ends the daemon and returns when it is gone.
func (o *stopServerOptions) stop(ctx context.Context, e *env) error {
	if o.wait && o.cancel {
		return exit.Usage("--wait and --cancel cannot be combined")
	}
	c, running, err := e.reach(ctx)
	if err != nil {
		return err
	}
	if !running {
		fmt.Fprintln(e.Stderr, "no daemon is running")
		return nil
	}
	defer c.Close()
	if !o.detach {
		noteArmed(ctx, e, c)
	}
	if err := c.StopServer(ctx, api.ServerStop{Wait: o.wait, Cancel: o.cancel, Detach: o.detach}); err != nil {
		return err
	}
	fmt.Fprintln(e.Stderr, "stopped the daemon")
	return nil
}

func newServerRestart(e *env) *cobra.Command {
	o := &stopServerOptions{}
	start := &serverOptions{}
	cmd := &cobra.Command{
		Use:   "restart",
		Short: "Stop the daemon and start it again; runs continue",
		Long: `Restart stops the daemon and starts it again with its former flags and the given ones. Runs
continue meanwhile.`,
		Example: `  wf server restart --slots 8`,
		Args:    nargs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.detach = !o.wait && !o.cancel
			if err := start.check(); err != nil {
				return err
			}
			if len(start.given(e, cmd.Flags())) == 0 && hasService(e) {
				if err := o.stop(cmd.Context(), e); err != nil {
					return err
				}
				return start.background(cmd.Context(), e, cmd.Flags())
			}
			if c, running, err := e.reach(cmd.Context()); err == nil && running {
				status, err := c.Server(cmd.Context())
				c.Close()
				if err == nil {
					start.keepFlags(e, cmd.Flags(), status.Given)
				}
			}
			if err := o.stop(cmd.Context(), e); err != nil {
				return err
			}
			return start.background(cmd.Context(), e, cmd.Flags())
		},
	}
	o.addFlags(cmd)
	start.addFlags(cmd)
	return cmd
}

func newServerLogs(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "logs",
		Short: "Print the log of the daemon",
		Args:  nargs(0, 0),
		RunE:  func(*cobra.Command, []string) error { return serverLogs(e) },
	}
}

// serverLogs prints the file itself, so that it works without a daemon.
func serverLogs(e *env) error {
	dirs, err := e.folders()
	if err != nil {
		return err
	}
	f, err := ownfile.Open(filepath.Join(dirs.State, daemon.FileLog), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(e.Stderr, "no daemon has ever run here")
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	w := e.OutputWriter(e.Stdout, false)
	if _, err := io.Copy(w, f); err != nil {
		return err
	}
	return w.Flush()
}
