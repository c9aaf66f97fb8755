package main

import (
	"github.com/spf13/cobra"

	"wf/api"
)

func newPlan(e *env) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use: "plan [FILE]",
		Long: `Plan prints what wf run would do with the same flags, and why each node would run. It changes
no file or folder and does not start a daemon.`,
		Example: `  wf plan
  wf plan --nodes 'align+' -v     with complete command lines`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &o.file, args); err != nil {
				return err
			}
			if o.fresh {
				o.mode = api.ModeFresh
			}
			if err := o.check(); err != nil {
				return err
			}
			req, err := o.request(cmd.Flags(), e)
			if err != nil {
				return err
			}
			return showPlan(cmd.Context(), e, o.file, req, o.JSON, o.Verbose)
		},
	}
	f := cmd.Flags()
	lookFlag(cmd, &o.file, "f")
	o.addScopeFlags(f)
	f.BoolVar(&o.fresh, "fresh", false, "plan to run everything again, even if nodes have failed")
	f.BoolVar(&o.JSON, "json", false, "print the plan as JSON")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "show the complete command lines")
	return cmd
}
