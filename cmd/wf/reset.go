package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/tui/words"
)

// resetOptions are the flags of reset.
type resetOptions struct {
	file  string
	nodes []string
}

func newReset(e *env) *cobra.Command {
	o := &resetOptions{}
	cmd := &cobra.Command{
		Use: "reset [FILE]",
		Long: `Reset puts nodes into the state of nodes that have never run. The history of the runs stays.
Reset is refused while the nodes run.`,
		Example: `  wf reset
  wf reset --nodes 'align+'`,
		Args: nargs(0, 1),
		RunE: onTarget(e, &o.file, o.run),
	}
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().StringArrayVar(&o.nodes, "nodes", nil, "reset only the nodes of `SEL` (repeatable)")
	return cmd
}

func (o *resetOptions) run(ctx context.Context, e *env, s *target) error {
	result, err := s.Workspace.Reset(ctx, api.ResetRequest{Nodes: o.nodes})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stderr, "reset %s\n", words.Plural(result.Nodes, "node"))
	return nil
}
