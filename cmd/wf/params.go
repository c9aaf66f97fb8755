package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// paramsOptions are the flags of params.
type paramsOptions struct {
	file string
	json bool
}

func newParams(e *env) *cobra.Command {
	o := &paramsOptions{}
	cmd := &cobra.Command{
		Use: "params [FILE]",
		Long: `Params lists the declared parameters with their types, defaults, choices and descriptions. A *
marks the names of required parameters. Commands that list choices (choices_from) are run; they see
the defaults of the parameters that they depend on. wf run -p NAME=VALUE sets a value; wf help
control-flow explains how parameters are declared.`,
		Example: `  wf params
  wf params --json | jq -r '.params[].name'
  wf run -p env=prod -p samples=a,b,c -p token=@token.txt`,
		Args: nargs(0, 1),
		RunE: onFile(e, &o.file, o.run),
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (o *paramsOptions) run(ctx context.Context, e *env) error {
	if err := e.checkFound(o.file, "wf params"); err != nil {
		return err // commands of the workfile list the choices
	}
	return e.look(ctx, o.file, o.list)
}

func (o *paramsOptions) list(ctx context.Context, e *env, s *target) error {
	list, err := s.Workspace.Params(ctx, api.ParamsRequest{Env: e.Environ})
	if err != nil {
		return err
	}
	list.Problems = slices.DeleteFunc(list.Problems, func(p api.ParamProblem) bool { return strings.HasPrefix(p.Reason, "is required") }) // this command passes no values
	if o.json {
		return console.WriteJSON(e.Stdout, list)
	}
	if len(list.Params) == 0 {
		fmt.Fprintln(e.Stderr, "the workfile declares no parameters")
		return nil
	}
	for _, p := range list.Problems {
		fmt.Fprintf(e.Stderr, "note: %s\n", plain.Line(p.String()))
	}
	return printParams(e.Stdout, list.Params)
}

// printParams prints the parameters as a table.
func printParams(w io.Writer, params []api.Param) error {
	var t console.Table
	t.Row("PARAM", "TYPE", "DEFAULT", "CHOICES", "DESCRIPTION")
	for _, p := range params {
		name, kind := p.Name, p.Type
		if p.Required {
			name += "*"
		}
		if limits := words.Limits(p); limits != "" {
			kind += " (" + limits + ")"
		}
		t.Row(plain.Line(name), plain.Line(kind), plain.Line(words.ParamDefault(p)), plain.Line(words.Choices(p)), plain.Line(p.Help))
	}
	return t.Write(w)
}
