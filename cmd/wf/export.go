package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// exportOptions are the flags of export.
type exportOptions struct{ file, yed string }

func newExport(e *env) *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use: "export [FILE] --yed NEW",
		Long: `Export writes a copy of the workfile, with all changes, to a new file. yEd shows each command of
the copy as a box and each edge as an arrow, dashed if it is non-blocking; for wf the copy is the
same workflow. Nodes have the coordinates of the workfile, or are in layers from left to right if
it has none. Everything else, existing graphics included, is copied unchanged.

Each node keeps its id in the attribute uid, because yEd gives nodes new ids when it saves. For
pictures and other formats see wf graph.`,
		Example: `  wf export --yed drawing.graphml`,
		Args:    nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.yed == "" {
				return &exit.Failure{Status: exit.BadUsage, What: "no file to export to", Fix: "wf export --yed NEW"}
			}
			if err := fileArg(cmd, &o.file, args); err != nil {
				return err
			}
			return e.look(cmd.Context(), o.file, o.export)
		},
	}
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().StringVar(&o.yed, "yed", "", "write a copy for yEd to this `FILE`")
	return cmd
}

func (o *exportOptions) export(ctx context.Context, e *env, s *target) error {
	copied, err := s.Workspace.SaveAs(ctx, api.SaveAsRequest{Path: e.Abs(o.yed), Format: api.FormatYed})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stderr, "exported as %s\n", plain.Line(e.rel(copied.Workfile)))
	return nil
}
