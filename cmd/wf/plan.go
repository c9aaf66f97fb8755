package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
)

func newPlan(e *env) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "plan [FILE]",
		Short: "Print what would run, in order, and why",
		Long:  "Plan prints what wf run would do with the same flags. It runs and changes nothing.",
		Example: `  wf plan
  wf plan --nodes 'align+' -v     with the command lines as they would be executed`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(&o.file, args); err != nil {
				return err
			}
			if o.fresh {
				o.mode = api.ModeFresh
			}
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			return showPlan(cmd.Context(), e, o.file, o.request(cmd.Flags(), e), o.json, o.verbose)
		},
	}
	f := cmd.Flags()
	fileFlag(cmd, &o.file, "f")
	o.addScopeFlags(f)
	f.BoolVar(&o.fresh, "fresh", false, "plan to run everything again, even when nodes have failed")
	f.BoolVar(&o.json, "json", false, "print the plan as JSON")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show the command lines as they would be executed")
	return cmd
}

// showPlan asks for a plan and prints it.
func showPlan(ctx context.Context, e *env, file string, req api.RunRequest, asJSON, verbose bool) error {
	s, err := e.open(ctx, file)
	if err != nil {
		return err
	}
	defer s.close()
	plan, err := s.ws.Plan(ctx, req)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(e.stdout, plan)
	}
	return printPlan(e.stdout, e.outPaint(), plan, verbose)
}

// printPlan is the plan for people.
func printPlan(w io.Writer, p paint, plan api.Plan, verbose bool) error {
	fmt.Fprintln(w, planTitle(plan))
	var t table
	for i, step := range plan.Steps {
		command := step.Command
		if verbose {
			command = step.Line
		}
		t.row(fmt.Sprintf("%3d", i+1), oneLine(step.Name), oneLine(command), stepNotes(step))
	}
	if err := t.write(w); err != nil {
		return err
	}
	if plan.Wrapper != "" {
		fmt.Fprintf(w, "wrapper: %s\n", oneLine(plan.Wrapper))
	}
	for _, note := range plan.Notes {
		fmt.Fprintf(w, "note: %s\n", oneLine(note))
	}
	_, err := fmt.Fprintln(w, "nothing was run.")
	return err
}

// planTitle says how much of the workfile it is.
func planTitle(plan api.Plan) string {
	jobs := ""
	if plan.Jobs > 0 {
		jobs = " (" + plural(plan.Jobs, "job") + ")"
	}
	title := fmt.Sprintf("would run %d of %s%s", len(plan.Steps), plural(plan.Total, "node"), jobs)
	if plan.Mode == api.ModeResume {
		title = fmt.Sprintf("would resume%s: %d of %s%s, keeping %d", runName(plan.Resumes), len(plan.Steps), plural(plan.Total, "node"), jobs, plan.Kept)
	}
	if len(plan.Steps) == 0 {
		return title
	}
	return title + ", in this order:"
}

// stepNotes are why the node would run, what it waits for, and what it does not wait for
// although an edge says so.
func stepNotes(step api.PlanStep) string {
	var notes []string
	switch {
	case len(step.After) > 0:
		notes = append(notes, "after "+nameList(step.After, 6))
	case step.Why != "":
		notes = append(notes, oneLine(step.Why))
	}
	if len(step.Ignored) > 0 {
		notes = append(notes, "does not wait for "+nameList(step.Ignored, 6)+" (not selected)")
	}
	return strings.Join(notes, "; ")
}

// runName is the name of a run in a sentence; nothing for a run that nobody knows, as after a
// resume of what another program did.
func runName(run string) string {
	if run == "" {
		return ""
	}
	return " run " + run
}
