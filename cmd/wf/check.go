package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/daemon"
	"wf/tui/plain"
	"wf/tui/words"
)

// checkOptions are the flags of check.
type checkOptions struct {
	file string
	json bool
}

func newCheck(e *env) *cobra.Command {
	o := &checkOptions{}
	cmd := &cobra.Command{
		Use: "check [FILE]",
		Long: `Check reads a workfile and prints its mistakes with line numbers: cycles, edges to missing
nodes, bad wrappers, names that are not unique, and errors in conditions, joins, retries,
sub-flows, parameters and expressions. It runs nothing. Exit status 3 means that there are
errors, so that wf run would refuse the file.`,
		Example: `  wf check
  wf check --json`,
		Args: nargs(0, 1),
		RunE: onFile(e, &o.file, o.run),
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the findings as JSON")
	return cmd
}

func (o *checkOptions) run(ctx context.Context, e *env) error {
	check, path, err := o.ask(ctx, e)
	if err != nil {
		return err
	}
	if o.json {
		err = console.WriteJSON(e.Stdout, check)
	} else {
		err = printCheck(e, path, check)
	}
	if err == nil && !check.OK {
		return exit.With(exit.BadWorkfile)
	}
	return err
}

// ask returns the findings. With --json, a file that cannot be read is a finding; otherwise it is an error.
func (o *checkOptions) ask(ctx context.Context, e *env) (check api.Check, path string, err error) {
	if path, err = e.workfile(o.file); err != nil {
		return api.Check{}, "", err
	}
	if ws, done := e.opened(ctx, path); ws != nil {
		defer done()
		check, err = ws.Check(ctx)
	} else {
		check, err = daemon.Check(path, engineNames(e))
	}
	var refused *api.Error
	if errors.As(err, &refused) && refused.Code == api.CodeWorkfile && o.json {
		return unreadable(refused), "", nil
	}
	return check, path, err
}

// unreadable turns the refusal of a workfile into a finding.
func unreadable(err *api.Error) api.Check {
	message := err.Message
	if err.Why != "" {
		message += ": " + err.Why
	}
	problem := api.Problem{Severity: "error", Code: "unreadable", Line: lineOf(err.Where), Message: message, Nodes: err.Nodes}
	return api.Check{Schema: api.SchemaCheck, Problems: []api.Problem{problem}}
}

// lineOf returns the line of "path:line" or "path:line:column", or 0 if there is none.
func lineOf(where string) int {
	for part := range strings.SplitSeq(where, ":") {
		if n, err := strconv.Atoi(part); err == nil {
			return n
		}
	}
	return 0
}

// printCheck prints the findings in the format of compilers, so that editors can jump to the lines.
func printCheck(e *env, path string, check api.Check) error {
	p := e.OutPaint()
	errs := 0
	for _, problem := range check.Problems {
		severity := problem.Severity
		if severity == "error" {
			errs++
			severity = p.Bad(severity)
		}
		where := plain.Line(e.rel(path))
		if problem.Line > 0 {
			where += ":" + strconv.Itoa(problem.Line)
		}
		fmt.Fprintf(e.Stdout, "%s: %s: %s (%s)\n", where, severity, plain.Line(problem.Message), problem.Code)
	}
	_, err := fmt.Fprintf(e.Stdout, "%s: %s, %s: %s, %s\n", plain.Line(e.rel(path)), words.Plural(check.Nodes, "node"), words.Plural(check.Edges, "edge"),
		words.Plural(errs, "error"), words.Plural(len(check.Problems)-errs, "warning"))
	return err
}
