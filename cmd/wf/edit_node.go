package main

import (
	"github.com/spf13/cobra"

	"wf/api"
)

func newAddNode(e *env) *cobra.Command {
	var (
		edit = api.Edit{Op: api.OpAddNode}
		x, y float64
	)
	cmd := &cobra.Command{
		Use:   "add-node LABEL",
		Short: "Add a node with this command, and print its id",
		Example: `  wf edit add-node 'sort < in > out' --name sort
  wf edit add-node 'uniq < out' --after sort`,
		Args: nargs(1, 1),
	}
	f := cmd.Flags()
	f.StringVar(&edit.Name, "name", "", "its name, unique in the workfile")
	f.StringVar(&edit.In, "in", "", "it lies in this `CONTAINER`")
	f.StringArrayVar(&edit.After, "after", nil, "it waits for this `NODE` (repeatable)")
	f.Float64Var(&x, "x", 0, "its place in the drawing")
	f.Float64Var(&y, "y", 0, "its place in the drawing")
	return editCommand(e, cmd, func(args []string) ([]api.Edit, error) {
		edit.Label = args[0]
		if f.Changed("x") {
			edit.X = &x
		}
		if f.Changed("y") {
			edit.Y = &y
		}
		return []api.Edit{edit}, nil
	})
}

func newAddContainer(e *env) *cobra.Command {
	edit := api.Edit{Op: api.OpAddNode, Container: true}
	cmd := &cobra.Command{
		Use:   "add-container NAME",
		Short: "Add a node that holds others, and print its id",
		Long: `Add-container adds a container: a group, until an attribute says how its nodes are repeated
(foreach, times, while or until): then it is a sub-flow.`,
		Example: `  wf edit add-container samples
  wf edit add-node 'align $WF_ITEM' --in samples --name align
  wf edit set samples foreach lines:'ls *.fq'`,
		Args: nargs(1, 1),
	}
	f := cmd.Flags()
	f.StringVar(&edit.In, "in", "", "it lies in this `CONTAINER`")
	f.StringArrayVar(&edit.After, "after", nil, "it waits for this `NODE` (repeatable)")
	return editCommand(e, cmd, func(args []string) ([]api.Edit, error) {
		if args[0] == "" {
			return nil, usage("a container needs a name")
		}
		edit.Name = args[0]
		return []api.Edit{edit}, nil
	})
}

func newRemoveNode(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "remove-node NODE...",
		Short: "Remove nodes and their edges",
		Args:  nargs(1, -1),
	}, func(args []string) ([]api.Edit, error) {
		return []api.Edit{{Op: api.OpRemoveNode, Nodes: args}}, nil
	})
}

func newSetNode(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "set NODE KEY VALUE",
		Short: "Set an attribute of a node, as its label or name",
		Long:  "Set writes an attribute of a node or a container. Those that mean something are in wf help control-flow.",
		Example: `  wf edit set fetch retries 3
  wf edit set deploy approve 'Deploy?'
  wf edit set align label 'bwa mem ref.fa reads.fq > out.sam'
  wf edit set align name mapping`,
		Args: nargs(3, 3),
	}, func(args []string) ([]api.Edit, error) {
		return []api.Edit{{Op: api.OpSet, Nodes: args[:1], Key: args[1], Value: args[2]}}, nil
	})
}

func newUnsetNode(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "unset NODE KEY",
		Short: "Remove an attribute of a node",
		Args:  nargs(2, 2),
	}, func(args []string) ([]api.Edit, error) {
		return []api.Edit{{Op: api.OpUnset, Nodes: args[:1], Key: args[1]}}, nil
	})
}

func newNodeStatus(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "status NODE VALUE",
		Short: "Set the status of a node: ran, fail or ''",
		Example: `  wf edit status fetch ran        it was done by hand: wf resume goes on after it
  wf edit status fetch ''`,
		Args: nargs(2, 2),
	}, func(args []string) ([]api.Edit, error) {
		return []api.Edit{{Op: api.OpStatus, Nodes: args[:1], Value: args[1]}}, nil
	})
}
