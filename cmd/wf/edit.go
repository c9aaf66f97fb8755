package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// editOptions are the common flags of all edits.
type editOptions struct {
	file string
	json bool
}

func (o *editOptions) addFlags(cmd *cobra.Command) {
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.json, "json", false, "print what was changed as JSON")
}

// newEdit groups the edits. The daemon makes them one after the other, shows them to all clients of the workfile, and
// can undo them.
func newEdit(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "edit",
		Long: `Edit changes one thing in a workfile and no other byte of it. An active run keeps the graph
that it started with.`,
		Example: `  id=$(wf edit add-node 'make all')
  wf edit add-node 'make test' --name test --after "$id"
  wf edit set test label 'make check'
  wf edit undo`,
	}
	return noun(cmd,
		newAddNode(e), newAddContainer(e), newRemoveNode(e), newGroup(e), newUngroup(e), newMove(e), newEditText(e), newEditNodes(e), newEditLabel(e), newSetNode(e), newUnsetNode(e), newNodeStatus(e),
		newAddEdge(e), newConnect(e), newRemoveEdge(e), newEdgeType(e), newSetEdge(e), newUnsetEdge(e),
		newSetGraph(e), newUnsetGraph(e), newWrapper(e), newRestore(e), newSaveAs(e), newUndo(e), newRedo(e))
}

// editCommand makes cmd a verb of edit: edits turns its arguments into edits.
func editCommand(e *env, cmd *cobra.Command, edits func(args []string) ([]api.Edit, error)) *cobra.Command {
	o := &editOptions{}
	o.addFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		list, err := edits(args)
		if err != nil {
			return err
		}
		return o.apply(cmd.Context(), e, "", func(w *client.Workspace, ctx context.Context) (api.EditResult, error) {
			return w.Edit(ctx, api.EditRequest{Edits: list})
		})
	}
	return cmd
}

// apply makes a change and prints the result: new ids on standard output, for scripts, and done with the changes on
// standard error.
func (o *editOptions) apply(ctx context.Context, e *env, done string, change func(*client.Workspace, context.Context) (api.EditResult, error)) error {
	return e.open(ctx, o.file, func(ctx context.Context, e *env, s *target) error {
		result, err := change(s.Workspace, ctx)
		if err != nil {
			return err
		}
		return o.print(e, done, result)
	})
}

// print prints the result of a change.
func (o *editOptions) print(e *env, done string, result api.EditResult) error {
	var unsaved error
	if result.Unsaved {
		unsaved = exit.With(exit.BadWorkfile)
	}
	if o.json {
		return cmp.Or(console.WriteJSON(e.Stdout, editReport{api.SchemaEdit, append([]string{}, result.Added...), result.Text, result.Notes}), unsaved)
	}
	for _, id := range result.Added {
		fmt.Fprintln(e.Stdout, plain.Line(id))
	}
	if result.Text != "" {
		fmt.Fprintln(e.Stderr, done+changes(result.Text))
	}
	for _, note := range result.Notes {
		fmt.Fprintf(e.Stderr, "note: %s\n", plain.Line(e.Advice(note)))
	}
	return unsaved
}

// changes shortens the list of changes that the daemon returned.
func changes(text string) string {
	const between = "; "
	list := strings.Split(text, between)
	if rest := len(list) - words.ShownNames; rest > 0 {
		return plain.Line(strings.Join(list[:words.ShownNames], between)) + fmt.Sprintf(" (%d more)", rest)
	}
	return plain.Line(text)
}

// editReport is `wf edit VERB --json`.
type editReport struct {
	Schema string   `json:"schema"`
	Added  []string `json:"added"`
	Text   string   `json:"text,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

func newUndo(e *env) *cobra.Command {
	return historyCommand(e, "undo", "Undo your last edit", "undone: ", (*client.Workspace).Undo)
}

func newRedo(e *env) *cobra.Command {
	return historyCommand(e, "redo", "Redo the edit that you undid last", "redone: ", (*client.Workspace).Redo)
}

// historyCommand makes a verb that moves in the history of edits; done is printed before the changes.
func historyCommand(e *env, name, short, done string, move func(*client.Workspace, context.Context) (api.EditResult, error)) *cobra.Command {
	o := &editOptions{}
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  nargs(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.apply(cmd.Context(), e, done, move) },
	}
	o.addFlags(cmd)
	return cmd
}

func newWrapper(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "wrapper TEMPLATE",
		Short: "Set the wrapper of all commands; '' removes it",
		Example: `  wf edit wrapper 'conda run -n bio bash -c {}'
  wf edit wrapper ''`,
		Args: nargs(1, 1),
	}, func(args []string) ([]api.Edit, error) {
		if args[0] == "" {
			return []api.Edit{{Op: api.OpUnsetGraph, Key: "wrapper"}}, nil
		}
		return []api.Edit{{Op: api.OpSetGraph, Key: "wrapper", Value: args[0]}}, nil
	})
}

func newSetGraph(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "set-graph GRAPHKEY=VALUE...",
		Short: "Set attributes of the workfile as a whole",
		Long:  "Set-graph sets attributes of the workfile as a whole. A single one may be given as GRAPHKEY VALUE.",
		Example: `  wf edit set-graph on_busy=queue jobs=4
  wf edit set-graph params '{"env": {"choices": ["test", "prod"], "required": true}}'`,
		Args: nargs(1, -1),
	}, func(args []string) ([]api.Edit, error) {
		set, err := given(args)
		return []api.Edit{{Op: api.OpSetGraph, Set: set}}, err
	})
}

func newUnsetGraph(e *env) *cobra.Command {
	return editCommand(e, &cobra.Command{
		Use:   "unset-graph GRAPHKEY",
		Short: "Remove an attribute of the workfile as a whole",
		Args:  nargs(1, 1),
	}, func(args []string) ([]api.Edit, error) {
		return []api.Edit{{Op: api.OpUnsetGraph, Key: args[0]}}, nil
	})
}

func newSaveAs(e *env) *cobra.Command {
	o := &editOptions{}
	cmd := &cobra.Command{
		Use:   "save-as PATH",
		Short: "Copy the workfile with all changes to a new file",
		Args:  nargs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.open(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error {
				copied, err := s.Workspace.SaveAs(ctx, api.SaveAsRequest{Path: e.Abs(args[0])})
				if err != nil {
					return err
				}
				fmt.Fprintf(e.Stderr, "saved as %s\n", plain.Line(copied.Workfile))
				return nil
			})
		},
	}
	fileFlag(cmd, &o.file, "f")
	return cmd
}
