package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/tui/words"
)

func newAccept(e *env) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use: "accept NODE...",
		Long: `Accept declares that the outputs of nodes are what their commands would make of the present
inputs, so that the next run takes these nodes as up to date: after an edit of a comment in a
command, or when files were copied from elsewhere. Nothing is executed. Parameters are those
of a run with the same flags.`,
		Example: `  wf accept align
  wf accept 'align+' -p depth=3`,
		Args: nargs(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := e.nodeArgs(cmd, o.file, args); err != nil {
				return err
			}
			o.nodes = args
			req, err := o.request(cmd.Flags(), e)
			if err != nil {
				return err
			}
			return onTarget(e, &o.file, func(ctx context.Context, e *env, s *target) error {
				res, err := s.Workspace.Accept(ctx, api.AcceptRequest{RunRequest: req})
				if err != nil {
					return err
				}
				fmt.Fprintf(e.Stderr, "accepted %s: %s\n", words.Plural(len(res.Nodes), "node"), words.NameList(res.Nodes, words.ShownNames))
				return nil
			})(cmd, nil)
		},
	}
	fileFlag(cmd, &o.file, "f")
	o.addParamFlags(cmd.Flags())
	return cmd
}
