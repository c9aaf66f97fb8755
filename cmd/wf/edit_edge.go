package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
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
  wf edit add-edge deploy rollback --when failure     run rollback if deploy fails`,
		Args: nargs(2, 2),
	}
	var set []string
	setFlag(cmd, &set, "EDGEKEY=VALUE")
	cmd.Flags().StringVar(&edit.When, "when", "", "the `CONDITION` of the edge: failure, done, exit:2,10-20, case:NAME, if:EXPR, else")
	cmd.Flags().Var(&choice{&edit.Type, edgeTypes}, "type",
		"blocking: DST waits for SRC; non-blocking: DST runs again each time SRC is done")
	return editCommand(e, cmd, func(args []string) ([]api.Edit, error) {
		var err error
		edit.Source, edit.Target = args[0], args[1]
		edit.Set, err = given(set)
		return []api.Edit{edit}, err
	})
}

func newConnect(e *env) *cobra.Command {
	byFiles := false
	cmd := &cobra.Command{
		Use:   "connect --by-files",
		Short: "Add the edges that declared files ask for",
		Example: `  wf edit connect --by-files
  wf edit undo`,
		Long: `Connect adds an edge wherever a node reads what another one makes, as their inputs and outputs
say, and no path of edges leads from one to the other. wf check lists these places.`,
		Args: nargs(0, 0),
	}
	cmd.Flags().BoolVar(&byFiles, "by-files", false, "add the edges (wf help up-to-date)")
	return editCommand(e, cmd, func([]string) ([]api.Edit, error) {
		if !byFiles {
			return nil, exit.Usage("connect needs --by-files: it adds the edges that declared inputs and outputs ask for; wf edit add-edge adds a single one")
		}
		return []api.Edit{{Op: api.OpByFiles}}, nil
	})
}

func newRemoveEdge(e *env) *cobra.Command {
	return edgeCommand(e, &cobra.Command{
		Use:   "remove-edge SRC DST",
		Short: "Remove the edge from SRC to DST",
		Example: `  wf edit remove-edge fetch align
  wf edit remove-edge e7                         the edge with this id
  wf edit remove-edge fetch align --edge all     all edges between the two`,
	}, 0, func(edit *api.Edit, _ []string) error {
		edit.Op = api.OpRemoveEdge
		return nil
	})
}

func newSetEdge(e *env) *cobra.Command {
	return edgeCommand(e, &cobra.Command{
		Use:   "set-edge SRC DST EDGEKEY=VALUE...",
		Short: "Set attributes of an edge, such as its condition",
		Example: `  wf edit set-edge deploy rollback when=failure
  wf edit set-edge review publish when=case:accepted
  wf edit set-edge e7 when=done                        the edge with this id`,
		Long: "Set-edge sets attributes of an edge. A single one may be given as EDGEKEY VALUE.",
	}, oneOrMore, func(edit *api.Edit, args []string) (err error) {
		edit.Op = api.OpSetEdge
		edit.Set, err = given(args)
		return err
	})
}

func newUnsetEdge(e *env) *cobra.Command {
	return edgeCommand(e, &cobra.Command{
		Use:     "unset-edge SRC DST EDGEKEY",
		Short:   "Remove an attribute of an edge",
		Example: `  wf edit unset-edge build test when`,
	}, 1, func(edit *api.Edit, args []string) error {
		edit.Op, edit.Key = api.OpUnsetEdge, args[0]
		return nil
	})
}

func newEdgeType(e *env) *cobra.Command {
	return edgeCommand(e, &cobra.Command{
		Use:     "type SRC DST TYPE",
		Short:   "Make the edge from SRC to DST blocking or non-blocking",
		Example: `  wf edit type build notify non-blocking`,
	}, 1, func(edit *api.Edit, args []string) error {
		if !slices.Contains(edgeTypes, args[0]) {
			return &exit.Failure{Status: exit.BadUsage, What: "edge type " + args[0] + ": must be " + strings.Join(edgeTypes, " or "),
				Why: exit.DidYouMean(args[0], edgeTypes), Fix: "wf edit type --help"}
		}
		edit.Op, edit.Type = api.OpEdgeType, args[0]
		return nil
	})
}

// oneOrMore is the number of further arguments of set-edge.
const oneOrMore = -1

// edgeCommand completes a command about an existing edge. The two ends of the edge, or its id, are the first
// arguments; fill adds the further arguments to the edit.
func edgeCommand(e *env, cmd *cobra.Command, further int, fill func(edit *api.Edit, args []string) error) *cobra.Command {
	which := ""
	if cmd.Args = nargs(1+further, 2+further); further == oneOrMore {
		cmd.Args = nargs(2, -1)
	}
	if cmd.Long == "" {
		cmd.Long = cmd.Short + "."
	}
	cmd.Long += " The id of an edge may\nreplace SRC DST. If several edges connect the two nodes, --edge names one of them."
	cmd.Flags().StringVar(&which, "edge", "", "which `EDGE` of several: its id, its number from 1, or all")
	return editCommand(e, cmd, func(args []string) ([]api.Edit, error) {
		edit := api.Edit{Edge: which}
		ends := len(args) - further
		if further == oneOrMore {
			ends = endsBefore(args)
		}
		if ends == 2 {
			edit.Source, edit.Target = args[0], args[1]
		} else if edit.Edge = args[0]; which != "" {
			return nil, exit.Usage("--edge needs SRC DST: it cannot be used with the id of an edge")
		}
		err := fill(&edit, args[ends:])
		return []api.Edit{edit}, err
	})
}

// endsBefore returns how many arguments name the edge. Settings follow: KEY=VALUE, or one KEY and its VALUE.
func endsBefore(args []string) int {
	if strings.Contains(args[1], "=") || len(args) == 3 && !strings.Contains(args[2], "=") {
		return 1
	}
	return 2
}
