package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
)

// edgeTypes are the words for the types of edges.
var edgeTypes = []string{"blocking", "non-blocking"}

func newAddEdge(e *env) *cobra.Command {
	edit := api.Edit{Op: api.OpAddEdge}
	cmd := &cobra.Command{
		Use:   "add-edge SRC DST",
		Short: "Make DST wait for SRC",
		Example: `  wf edit add-edge fetch align
  wf edit add-edge check fetch --type non-blocking    run fetch again after check
  wf edit add-edge deploy rollback --when failure     where it leads when deploy fails`,
		Args: nargs(2, 2),
	}
	var set []string
	setFlag(cmd, &set, "EDGEKEY=VALUE")
	cmd.Flags().StringVar(&edit.When, "when", "", "its `CONDITION`: failure, done, exit:2,10-20, case:NAME, if:EXPR, else")
	cmd.Flags().Var(&choice{&edit.Type, edgeTypes}, "type",
		"blocking: DST waits; non-blocking: DST is run again each time SRC is done")
	return editCommand(e, cmd, func(args []string) ([]api.Edit, error) {
		var err error
		edit.Source, edit.Target = args[0], args[1]
		edit.Set, err = given(set)
		return []api.Edit{edit}, err
	})
}

func newRemoveEdge(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "remove-edge SRC DST",
		Short: "Remove the edge from SRC to DST",
		Args:  nargs(2, 2),
	}, func(args []string) ([]api.Edit, error) {
		return []api.Edit{{Op: api.OpRemoveEdge, Source: args[0], Target: args[1]}}, nil
	})
}

func newSetEdge(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "set-edge SRC DST EDGEKEY=VALUE...",
		Short: "Set attributes of an edge, as its condition",
		Long:  "Set-edge writes attributes of an edge. SRC DST EDGEKEY VALUE sets one, too.",
		Example: `  wf edit set-edge deploy rollback when=failure
  wf edit set-edge review publish when=case:accepted`,
		Args: nargs(3, -1),
	}, func(args []string) ([]api.Edit, error) {
		set, err := given(args[2:])
		return []api.Edit{{Op: api.OpSetEdge, Source: args[0], Target: args[1], Set: set}}, err
	})
}

func newUnsetEdge(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "unset-edge SRC DST EDGEKEY",
		Short: "Remove an attribute of an edge",
		Args:  nargs(3, 3),
	}, func(args []string) ([]api.Edit, error) {
		return []api.Edit{{Op: api.OpUnsetEdge, Source: args[0], Target: args[1], Key: args[2]}}, nil
	})
}

func newEdgeType(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "type SRC DST TYPE",
		Short: "Make the edge from SRC to DST blocking or non-blocking",
		Args:  nargs(3, 3),
	}, func(args []string) ([]api.Edit, error) {
		if !slices.Contains(edgeTypes, args[2]) {
			return nil, &failure{status: exitUsage, what: "edge type " + args[2] + ": must be " + strings.Join(edgeTypes, " or "),
				why: didYouMean(args[2], edgeTypes), fix: "wf edit type --help"}
		}
		return []api.Edit{{Op: api.OpEdgeType, Source: args[0], Target: args[1], Type: args[2]}}, nil
	})
}
