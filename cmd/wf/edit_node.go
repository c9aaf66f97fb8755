package main

import (
	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
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
  wf edit add-node 'uniq < out' --after sort --set retries=3 --set timeout=10m
  wf edit add-node './undo' --after deploy --when failure`,
		Args: nargs(1, 1),
	}
	f := cmd.Flags()
	f.StringVar(&edit.Name, "name", "", "the name of the node, unique in the workfile")
	finish := newNodeFlags(cmd, &edit, ": failure, done, exit:2, case:NAME, else")
	f.Float64Var(&x, "x", 0, "its x coordinate in a drawing")
	f.Float64Var(&y, "y", 0, "its y coordinate in a drawing")
	return editCommand(e, cmd, func(args []string) ([]api.Edit, error) {
		edit.Label = args[0]
		if f.Changed("x") {
			edit.X = &x
		}
		if f.Changed("y") {
			edit.Y = &y
		}
		return finish()
	})
}

// newNodeFlags adds the flags of a new node or container to cmd; conditions are examples in a help text. finish
// completes the edit.
func newNodeFlags(cmd *cobra.Command, edit *api.Edit, conditions string) (finish func() ([]api.Edit, error)) {
	var set []string
	f := cmd.Flags()
	f.StringVar(&edit.In, "in", "", "put it into this `CONTAINER`")
	f.StringArrayVar(&edit.After, "after", nil, "make it wait for this `NODE` (repeatable)")
	f.StringVar(&edit.When, "when", "", "the `CONDITION` of the edges from --after"+conditions)
	setFlag(cmd, &set, "KEY=VALUE")
	return func() (_ []api.Edit, err error) {
		if edit.When != "" && len(edit.After) == 0 {
			return nil, exit.Usage("--when needs --after: it is the condition of the edges from those nodes")
		}
		edit.Set, err = given(set)
		return []api.Edit{*edit}, err
	}
}

func newAddContainer(e *env) *cobra.Command {
	edit := api.Edit{Op: api.OpAddNode, Container: true}
	cmd := &cobra.Command{
		Use:   "add-container NAME",
		Short: "Add a node that contains others, and print its id",
		Long: `Add-container adds a container. It is a group, or a sub-flow if an attribute (foreach, times,
while or until) says how its nodes are repeated.`,
		Example: `  wf edit add-container samples
  wf edit add-node 'align $WF_ITEM' --in samples --name align
  wf edit set samples foreach=lines:'ls *.fq'
  wf edit add-container draft --set until='nodes.review.outputs.ok' --set max_iterations=5`,
		Args: nargs(1, 1),
	}
	finish := newNodeFlags(cmd, &edit, "")
	return editCommand(e, cmd, func(args []string) ([]api.Edit, error) {
		if args[0] == "" {
			return nil, exit.Usage("a container needs a name")
		}
		edit.Name = args[0]
		return finish()
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
		Use:   "set NODE KEY=VALUE...",
		Short: "Set attributes of a node, such as its label or name",
		Long: `Set sets attributes of a node or a container in one step, which one undo reverts. wf help
attributes lists them. A single attribute may be given as NODE KEY VALUE.`,
		Example: `  wf edit set fetch retries=3 retry_delay=10s timeout=5m
  wf edit set deploy approve='Deploy?'
  wf edit set align label 'bwa mem ref.fa reads.fq > out.sam'
  wf edit set align name=mapping`,
		Args: nargs(2, -1),
	}, func(args []string) ([]api.Edit, error) {
		set, err := given(args[1:])
		return []api.Edit{{Op: api.OpSet, Nodes: args[:1], Set: set}}, err
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
		Example: `  wf edit status fetch ran        it was done by hand: wf resume continues after it
  wf edit status fetch ''`,
		Args: nargs(2, 2),
	}, func(args []string) ([]api.Edit, error) {
		return []api.Edit{{Op: api.OpStatus, Nodes: args[:1], Value: args[1]}}, nil
	})
}
