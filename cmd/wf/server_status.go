package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"reflect"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/report"
	"wf/tui/plain"
	"wf/tui/words"
)

// lsPause is how often server ls --watch polls. The daemon pushes the events of a workspace but not the list of
// workspaces, and one small request per second is enough for this list.
const lsPause = time.Second

func newServerStatus(e *env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the daemon; exit status 4 if none is running",
		Args:  nargs(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return serverStatus(cmd.Context(), e, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func serverStatus(ctx context.Context, e *env, asJSON bool) error {
	c, running, err := e.reach(ctx)
	if err != nil {
		return err
	}
	if !running && asJSON {
		return &exit.Failure{Status: exit.Daemon, What: "no daemon is running"}
	}
	if !running {
		fmt.Fprintln(e.Stderr, "no daemon is running")
		held, err := quarantinedOnDisk(e)
		if err != nil {
			return err
		}
		printQuarantined(e.Stderr, held)
		return exit.With(exit.Daemon)
	}
	defer c.Close()
	status, err := c.Server(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return console.WriteJSON(e.Stdout, status)
	}
	if err := printServer(e.Stdout, status, time.Now()); err != nil {
		return err
	}
	if err := c.VerifyPort(ctx); err != nil {
		fmt.Fprintf(e.Stderr, "warning: %s; do not use it\n", plain.Line(err.Error()))
	}
	return nil
}

// printServer prints the state of the daemon.
func printServer(w io.Writer, s api.ServerStatus, now time.Time) error {
	up := ""
	if started, err := time.Parse(time.RFC3339, s.Started); err == nil {
		up = "  up " + words.Span(now.Sub(started))
	}
	fmt.Fprintf(w, "daemon  running  pid %d  %s%s\n", s.PID, plain.Line(s.Version), up)
	fmt.Fprintf(w, "  socket %s  url %s\n", plain.Line(s.Socket), plain.Line(s.URL))
	fmt.Fprintf(w, "  workfiles %d  clients %d  %s\n", len(s.Workspaces), s.Clients, slotsText(s))
	if err := printWorkspaces(w, s.Workspaces, now); err != nil {
		return err
	}
	if s.Armed > 0 {
		fmt.Fprintf(w, "  %s enabled triggers (wf trigger ls)\n", workfilesHave(s.Armed))
	}
	printQuarantined(w, s.Held)
	return nil
}

// slotsText says how many slots are in use.
func slotsText(s api.ServerStatus) string {
	switch {
	case s.SlotsNow == s.Slots, s.SlotsNow == 0: // 0: an older daemon
		return fmt.Sprintf("slots %d of %d in use", s.SlotsUsed, s.Slots)
	case s.SlotsNow < 0:
		return fmt.Sprintf("slots %d in use of %d, but an active run has no limit", s.SlotsUsed, s.Slots)
	}
	return fmt.Sprintf("slots %d of %d in use, %d without the runs that want more", s.SlotsUsed, s.SlotsNow, s.Slots)
}

// printWorkspaces prints one line per open workfile with its active runs or its last run.
func printWorkspaces(w io.Writer, list []api.WorkspaceInfo, now time.Time) error {
	var t console.Table
	for _, ws := range list {
		runs := "never run"
		switch {
		case len(ws.Runs) > 0:
			runs = "run " + words.NameList(ws.Runs, 6) + fmt.Sprintf("  %d running", ws.Running)
		case ws.LastRun != nil:
			runs = "last run " + ws.LastRun.Run + " " + words.ResultWord(ws.LastRun.Result) + " " + report.EndedAgo(*ws.LastRun, now)
		}
		t.Row("  "+plain.Line(ws.Workfile), ws.State, runs, words.Plural(ws.Clients, "client"))
	}
	return t.Write(w)
}

func newServerLs(e *env) *cobra.Command {
	var watch, asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List open workfiles and their clients",
		Args:  nargs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch {
				return watchWorkspaces(cmd.Context(), e, asJSON)
			}
			_, err := listWorkspaces(cmd.Context(), e, asJSON, nil)
			return err
		},
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "print the list again after every change, until Ctrl-C")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// watchWorkspaces prints the list whenever it changes. It never starts a daemon; without one the list is empty.
func watchWorkspaces(ctx context.Context, e *env, asJSON bool) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT)
	defer stop()
	tick := time.NewTicker(lsPause)
	defer tick.Stop()
	var before *api.ServerStatus
	for {
		now, err := listWorkspaces(ctx, e, asJSON, before)
		if err != nil || ctx.Err() != nil {
			return ignoreCancel(ctx, err)
		}
		before = &now
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// listWorkspaces prints the open workfiles unless they are the same as in before.
func listWorkspaces(ctx context.Context, e *env, asJSON bool, before *api.ServerStatus) (api.ServerStatus, error) {
	now := api.ServerStatus{Schema: api.SchemaServer, Workspaces: []api.WorkspaceInfo{}}
	c, running, err := e.reach(ctx)
	if err != nil {
		return now, err
	}
	if running {
		defer c.Close()
		if now, err = c.Server(ctx); err != nil {
			return now, err
		}
	} else if now.Held, err = quarantinedOnDisk(e); err != nil {
		return now, err
	}
	switch {
	case before != nil && reflect.DeepEqual(before.Workspaces, now.Workspaces) && reflect.DeepEqual(before.Held, now.Held):
		return now, nil
	case asJSON:
		return now, console.WriteJSON(e.Stdout, now)
	case len(now.Workspaces)+len(now.Held) == 0:
		_, err = fmt.Fprintln(e.Stderr, "no workfile is open")
		return now, err
	}
	err = printWorkspaces(e.Stdout, now.Workspaces, time.Now())
	printQuarantined(e.Stdout, now.Held)
	return now, err
}
