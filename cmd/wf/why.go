package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"wf/cmd/wf/console"
	"wf/cmd/wf/report"
)

// whyOptions are the flags of why.
type whyOptions struct {
	file string
	run  string
	json bool
}

func newWhy(e *env) *cobra.Command {
	o := &whyOptions{}
	cmd := &cobra.Command{
		Use: "why NODE...",
		Long: `Why explains the state of each node: what it waits for, what activated it, how it failed, or
what blocked it. With --json there is one line per node.`,
		Example: `  wf why align
  wf why 42/align                 in run 42, the same as --run 42 align
  wf why s:blocked`,
		Args: nargs(1, -1),
		RunE: onNodes(e, &o.file, o.explain),
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().StringVar(&o.run, "run", "", "in this `RUN` (default: the only active one, or else the latest)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the answer as JSON")
	return cmd
}

func (o *whyOptions) explain(ctx context.Context, e *env, s *target, args []string) error {
	nodes, err := s.nodesOfRuns(ctx, args, o.run)
	if err != nil {
		return err
	}
	for i, n := range nodes {
		why, err := s.Workspace.Why(ctx, n.node, n.run)
		if err != nil {
			return err
		}
		switch {
		case o.json:
			err = console.WriteJSON(e.Stdout, why)
		default:
			if i > 0 {
				fmt.Fprintln(e.Stdout)
			}
			err = report.Why(e.Stdout, e.OutPaint(), why, time.Now(), e.fileFix(s.Path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
