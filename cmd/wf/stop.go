package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// stopOptions are the flags of stop.
type stopOptions struct {
	file  string
	node  string
	all   bool
	grace time.Duration
	now   bool
}

func newStop(e *env) *cobra.Command {
	o := &stopOptions{}
	cmd := &cobra.Command{
		Use: "stop [RUN|FILE]",
		Long: `Stop starts no more nodes, sends TERM to all commands of the run, and KILL after the grace
time. It returns when all processes have ended. wf resume continues the run.`,
		Example: `  wf stop                         the only active run
  wf stop 42 --now                kill at once
  wf stop --node align            one node; the others continue`,
		Annotations: map[string]string{completesWith: "RUN"},
		Args:        nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, req := e.runArg(&o.file, first(args)), o.request(cmd.Flags())
			if err := o.check(cmd.Flags(), run); err != nil {
				return err
			}
			return e.open(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.stop(ctx, e, s, run, req) })
		},
	}
	f := cmd.Flags()
	fileFlag(cmd, &o.file, "f")
	f.StringVar(&o.node, "node", "", "stop only the nodes of `SEL` in the run")
	f.BoolVar(&o.all, "all", false, "stop every active run of the workfile")
	timeVar(f, &o.grace, "grace", 0, "`TIME` between TERM and KILL (default: the grace time of the run)")
	f.BoolVar(&o.now, "now", false, "kill at once")
	return cmd
}

// check refuses contradictory flags.
func (o *stopOptions) check(flags *pflag.FlagSet, run string) error {
	switch {
	case o.all && run != "":
		return exit.Usage("--all stops every run and cannot be combined with a number")
	case o.all && o.node != "":
		return exit.Usage("--all and --node cannot be combined")
	case o.now && flags.Changed("grace"):
		return exit.Usage("--now and --grace cannot be combined")
	}
	return nil
}

// request returns the request to the daemon.
func (o *stopOptions) request(flags *pflag.FlagSet) api.StopRequest {
	req := api.StopRequest{Node: o.node, GraceMS: millis(flags, "grace", o.grace)}
	if o.now {
		req.GraceMS = new(int64)
	}
	return req
}

func (o *stopOptions) stop(ctx context.Context, e *env, s *target, run string, req api.StopRequest) error {
	status, err := s.Workspace.Status(ctx, false)
	if err != nil {
		return err
	}
	if o.node != "" { // report a typo even if nothing is running
		if _, err := s.Workspace.Select(ctx, []string{o.node}); err != nil {
			return err
		}
	}
	if len(status.Runs) == 0 && run == "" {
		fmt.Fprintln(e.Stderr, "nothing is running")
		return nil
	}
	if o.all {
		results, err := s.Workspace.StopAll(ctx, req)
		return o.report(e, results, err)
	}
	named := run != ""
	if run, err = pickRun(status.Runs, run, "wf stop"); err != nil {
		return err
	}
	if o.node != "" {
		return o.stopNodes(ctx, e, s, run, req)
	}
	result, err := s.Workspace.Stop(ctx, run, req)
	if !named && exit.IsCode(err, api.CodeNotFound) {
		fmt.Fprintf(e.Stderr, "run %s has just ended by itself\n", run)
		return nil
	}
	return o.report(e, []api.StopResult{result}, err)
}

// stopNodes stops the nodes of a selector in a run. It ignores nodes that are not active, unless there is only one node.
func (o *stopOptions) stopNodes(ctx context.Context, e *env, s *target, run string, req api.StopRequest) error {
	list, err := s.Workspace.Select(ctx, []string{o.node})
	if err != nil {
		return err
	}
	nodes := list.Nodes
	if len(nodes) != 1 {
		nodes = slices.DeleteFunc(nodes, func(n api.NodeStatus) bool {
			return n.State != api.StateRunning && n.State != api.StateQueued
		})
	}
	if len(nodes) == 0 {
		return &api.Error{Code: api.CodeNotFound, Message: "no node of " + o.node + " is running"}
	}
	total := api.StopResult{Run: run}
	for _, n := range nodes {
		req.Node = n.ID
		result, err := s.Workspace.Stop(ctx, run, req)
		if exit.IsCode(err, api.CodeNotFound) && len(nodes) > 1 {
			continue // it has ended, or belongs to another run
		}
		if err != nil {
			return err
		}
		total.Killed += result.Killed
		total.Survivors = append(total.Survivors, result.Survivors...)
	}
	return o.report(e, []api.StopResult{total}, nil)
}

// report prints what was stopped. It returns a failure if processes survived.
func (o *stopOptions) report(e *env, results []api.StopResult, err error) error {
	if err != nil {
		return err
	}
	for _, r := range results {
		what := "stopped run " + r.Run
		if r.Going {
			what = "stopping run " + r.Run
		}
		if o.node != "" {
			what = "stopped " + plain.Line(o.node) + " in run " + r.Run
		}
		fmt.Fprintf(e.Stderr, "%s: %s ended\n", what, words.Plural(r.Killed, "execution"))
		if r.Problem != "" {
			fmt.Fprintln(e.Stderr, "note: "+words.Unrecorded(r))
		}
		if len(r.Survivors) > 0 {
			return &exit.Failure{Status: exit.Daemon, What: words.Survivors(r.Survivors),
				Why: "they wait for the kernel, for instance for a disk or a network folder that does not answer, or belong to another user"}
		}
	}
	return nil
}
