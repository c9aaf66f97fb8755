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
		Use: "eval EXPR [FILE]",
		Long: `Eval prints the value of an expression as conditions, env lines and foreach attributes of the
workfile see it: with the parameters, outputs and statuses of the active run, or else of the
latest run with its version of the workfile. In a text, ${{ EXPR }} is replaced by its value.
Nothing runs, and nothing is recorded.

--node evaluates the expression at a node or an instance. A node in a container sees the other
nodes in it. An instance (align[3]) also has item, index and iteration, as in stop_when and until.

A text is printed as it is, and other values as JSON. If the expression does not compile, or fails
with the data of the run, the status is 2 and the error names the column.`,
		Example: `  wf eval 'int(nodes.test.outputs.score) > 5'
  wf eval --node 'align[3]/trim' item
  wf eval --run 7 'map(nodes.align.results, #.trim.exit_code)'
  wf eval 'params.env == "prod" ? 8 : 2' other.wf`,
		Args: nargs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &o.file, args[1:]); err != nil {
				return err
			}
			return e.look(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.eval(ctx, e, s, args[0]) })
		},
	}
	f := cmd.Flags()
	lookFlag(cmd, &o.file, "f")
	f.StringVar(&o.node, "node", "", "evaluate at this `NODE` or instance")
	f.StringVar(&o.run, "run", "", "with the data of this `RUN` (default: the active one, or else the latest)")
	f.BoolVar(&o.json, "json", false, "print JSON: the value with its type")
	return cmd
}

func (o *evalOptions) eval(ctx context.Context, e *env, s *target, expr string) error {
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
