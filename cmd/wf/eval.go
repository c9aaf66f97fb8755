package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	file, node, run string
	json            bool
}

func newEval(e *env) *cobra.Command {
	o := &evalOptions{}
	cmd := &cobra.Command{
		Use:   "eval EXPR [FILE]",
		Short: "Evaluate an expression with the data of a run",
		Long: `Eval prints the value of an expression, as a condition, an env line or a foreach of the workfile
would see it: the parameters, the outputs and the statuses of the active run, else of the latest
one, with the workfile as it was then. A text that holds ${{ EXPR }} is rendered. Nothing runs, and
no record is made.

--node says from where it looks: names of a container's nodes are seen from a node in it, or from
an instance (align[3]), where item, index and iteration are what they were there, as stop_when and
until see them.

A text is printed as it is, anything else as JSON. An expression that does not compile, or fails
with the data of the run, ends it with status 2; the error has the column.`,
		Example: `  wf eval 'int(nodes.test.outputs.score) > 5'
  wf eval --node 'align[3]/trim' item
  wf eval --run 7 'map(nodes.align.results, #.trim.exit_code)'
  wf eval 'params.env == "prod" ? 8 : 2' other.wf`,
		Args: nargs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &o.file, args[1:]); err != nil {
				return err
			}
			return o.eval(cmd.Context(), e, args[0])
		},
	}
	f := cmd.Flags()
	lookFlag(cmd, &o.file, "f")
	f.StringVar(&o.node, "node", "", "as seen from this `NODE`, or this instance")
	f.StringVar(&o.run, "run", "", "with the data of this `RUN` (default: the active one, else the latest)")
	f.BoolVar(&o.json, "json", false, "print JSON: the value with its type")
	return cmd
}

func (o *evalOptions) eval(ctx context.Context, e *env, expr string) error {
	s, err := e.look(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	answer, err := s.Workspace.Eval(ctx, api.EvalRequest{Expr: expr, Node: o.node, Run: o.run, Env: e.Environ})
	if err != nil {
		return err
	}
	if o.json {
		return console.WriteJSON(e.Stdout, answer)
	}
	text := string(answer.Value)
	if answer.Type == "string" {
		if err := json.Unmarshal(answer.Value, &text); err != nil {
			return err
		}
	}
	if e.OutTTY {
		text = plain.Text(text)
	}
	_, err = fmt.Fprintln(e.Stdout, text)
	return err
}
