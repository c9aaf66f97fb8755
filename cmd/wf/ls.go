package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/report"
	"wf/tui/plain"
)

// lsOptions are the flags of ls.
type lsOptions struct {
	file  string
	nodes []string
	json  bool
	hosts bool
}

func newLs(e *env) *cobra.Command {
	o := &lsOptions{}
	cmd := &cobra.Command{
		Use:  "ls [FILE]",
		Long: "Ls lists the nodes with their states, the durations of their last executions, and commands.",
		Example: `  wf ls
  wf ls --nodes s:failed          the failed nodes
  wf ls --json | jq -r '.nodes[].name'`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !o.hosts {
				return onTarget(e, &o.file, o.run)(cmd, args)
			}
			if len(args) > 0 || o.file != "" || len(o.nodes) > 0 {
				return exit.Usage("--all-hosts lists open workfiles, so it cannot be used with a workfile or with nodes")
			}
			return listAllHosts(cmd.Context(), e, o.json)
		},
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().StringArrayVar(&o.nodes, "nodes", nil, "list only the nodes of `SEL` (repeatable)")
	cmd.Flags().BoolVar(&o.hosts, "all-hosts", false, "list what is open and runs on this machine and on those of wf host")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the list as JSON")
	return cmd
}

func (o *lsOptions) run(ctx context.Context, e *env, s *target) error {
	list, err := s.Workspace.Select(ctx, o.nodes)
	if err != nil {
		return err
	}
	if o.json {
		return console.WriteJSON(e.Stdout, list)
	}
	e.noteProblem(list.Problem)
	return report.Nodes(e.Stdout, e.OutPaint(), list.Nodes, e.OutWidth())
}

// noteProblem prints a note that the file cannot be read and an older state of it is shown.
func (e *env) noteProblem(problem string) {
	if problem != "" {
		fmt.Fprintf(e.Stderr, "note: %s; the last known state is shown\n", plain.Line(problem))
	}
}
