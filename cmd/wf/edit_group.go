package main

import (
	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/exit"
)

func newGroup(e *env) *cobra.Command {
	edit := api.Edit{Op: api.OpGroup}
	var foreach, times, while, until string
	var set []string
	cmd := &cobra.Command{
		Use:   "group NODE...",
		Short: "Make a container of nodes, or a loop, and print its id",
		Long: `Group makes a container of nodes that lie in the same one. It is a group, or a sub-flow if a flag
says how its nodes are repeated. The nodes keep their commands, attributes, drawings and
everything else that the file says about them.

Edges stay at their nodes. But no edge may cross the border of a sub-flow: an edge from or to
a node outside leads from or to the sub-flow instead, and group says so. It refuses nodes with
another one between them, because a sub-flow runs as one step.

The status of a node stays as long as it is in a group. In a sub-flow it is that of its
instances, so that the next run starts the sub-flow from scratch.`,
		Example: `  wf edit group fetch unpack --name input
  wf edit group align sort --name sample --foreach lines:'ls *.fq'
  wf edit group draft review --until nodes.review.outputs.ok --set max_iterations=5
  wf edit ungroup sample`,
		Args: nargs(1, -1),
	}
	f := cmd.Flags()
	f.StringVar(&edit.Name, "name", "", "the name of the container, unique in the workfile")
	f.StringVar(&foreach, "foreach", "", "run the nodes once for each of these `ITEMS`: [\"a\", \"b\"], lines:COMMAND, table:FILE.tsv, ${{ EXPR }}")
	f.StringVar(&times, "times", "", "run the nodes `N` times")
	f.StringVar(&while, "while", "", "run the nodes again as long as `EXPR` is true, tested before each round")
	f.StringVar(&until, "until", "", "run the nodes again until `EXPR` is true, tested after each round")
	setFlag(cmd, &set, "KEY=VALUE")
	return editCommand(e, cmd, func(args []string) (_ []api.Edit, err error) {
		edit.Nodes = args
		for _, repeat := range []struct{ key, value string }{
			{"foreach", foreach}, {"times", times}, {"while", while}, {"until", until},
		} {
			if !f.Changed(repeat.key) {
				continue
			}
			if len(edit.Set) > 0 {
				return nil, exit.Usage("--%s cannot be used with --%s: nodes are repeated in one way", repeat.key, edit.Set[0].Key)
			}
			edit.Set = append(edit.Set, api.Setting{Key: repeat.key, Value: repeat.value})
		}
		further, err := given(set)
		edit.Set = append(edit.Set, further...)
		return []api.Edit{edit}, err
	})
}

func newUngroup(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "ungroup CONTAINER...",
		Short: "Remove containers, and keep their nodes",
		Long: `Ungroup removes containers and keeps their nodes, in the container around. An edge to or from the
container becomes edges to its first and from its last nodes: what it meant, if the container
was a group. What the container says for all its nodes, such as its executor, the nodes say
themselves then.`,
		Example: `  wf edit ungroup input`,
		Args:    nargs(1, -1),
	}, func(args []string) ([]api.Edit, error) {
		return []api.Edit{{Op: api.OpUngroup, Nodes: args}}, nil
	})
}

func newMove(e *env) *cobra.Command {
	edit := api.Edit{Op: api.OpMove}
	out := false
	cmd := &cobra.Command{
		Use:   "move NODE...",
		Short: "Move nodes into a container, or out of it",
		Long: `Move moves nodes, and all nodes in them, into a container or out of the one in which they lie. What
the file says about them stays. Edges that would cross the border of a sub-flow lead from or
to the sub-flow instead; see wf edit group. A node that waited for the container waits for its last
nodes when it is in it, and its first nodes wait for one that the container waited for.`,
		Example: `  wf edit move unpack --into input
  wf edit move unpack --out`,
		Args: nargs(1, -1),
	}
	cmd.Flags().StringVar(&edit.In, "into", "", "move them into this `CONTAINER`")
	cmd.Flags().BoolVar(&out, "out", false, "move them out of their container, into the one around it")
	return editCommand(e, cmd, func(args []string) ([]api.Edit, error) {
		if out == (edit.In != "") {
			return nil, exit.Usage("say where to: either --into CONTAINER or --out")
		}
		edit.Nodes = args
		return []api.Edit{edit}, nil
	})
}
