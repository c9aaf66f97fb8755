package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/convert"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/tui/plain"
	"wf/tui/words"
)

// newOptions are the flags of new.
type newOptions struct {
	file       string
	input      string // the input of --from and --from-lines, "-" = standard input
	fromLines  bool
	chain      bool
	chainGiven bool // --chain was given
	from       string
	goals      []string
	flat       bool
	trust      bool
	command    string
	results    string
}

func newNew(e *env) *cobra.Command {
	o := &newOptions{}
	cmd := &cobra.Command{
		Use: "new [FILE]",
		Long: `New creates a workfile: an empty one, one from a list of commands, or with --from one from a
text or the workflow of another program. INPUT is the file to read, or "-" for standard input; it is not
changed. If the input has something that a workfile cannot express, the error names the line and
nothing is written. What is left out or differs in meaning is printed as notes, which are also written
as a comment at the top of the workfile.

  dagu       steps with command, script, env, depends, preconditions, retries, outputs and
             repetitions; parameters; schedules of Dagu are left out
  dot        digraphs of Graphviz: the command of a node is its attribute command, or else its
             label; dashed and dotted edges are non-blocking; clusters are groups; control flow
             as written by wf graph
  make       what GNU make would execute for the goals. Make evaluates the makefile, and so
             runs its $(shell …): wf asks on a terminal, or takes --trust. No recipe is executed.
             Variables set with ?= become parameters; targets that differ in one word become a
             sub-flow with foreach, unless --flat is given. wf ignores file times: every node runs
  nextflow   what nextflow -with-dag writes as DOT, Mermaid or HTML: the processes and their order,
             without commands
  script     a shell script: each part below a comment is a node, named after the comment, after the
             part before. Variables, functions and cd of earlier parts are repeated where they are
             needed; values that commands determined are passed on as outputs; $1, $2 … become
             parameters. What cannot work in shells of their own is an error with its line
  snakemake  what snakemake --dag and snakemake -n -p print, in one file: jobs, named after their
             rules and wildcards, with commands, threads and memory
  mermaid    flowcharts: the text of a node is its command; dotted arrows are non-blocking;
             the labels of the arrows from a decision are its outcomes
  wfcommons  recorded workflows, versions 1.3 to 1.6
  yaml       what wf text prints: all that a workfile says, for people to write and review

--from-lines reads INPUT or standard input, one command per line. It also accepts a simple script: a
command of several lines is one node, comments are ignored, and lines that set up the shell are put
before each later command. Commands of a list run at the same time. A script begins with #!, and its
commands run one after the other. --chain and --chain=false override this.

Runs write statuses into the file, except in a git work tree. --results changes that; see wf help
config.

A node without a known command stays in the graph, and wf run refuses to run it. --command gives
such nodes a command.`,
		Example: `  wf new                                      an empty ./Workfile
  wf new --from-lines --chain < commands.txt  a node per line, one after the other
  wf new night.wf --from-lines night.sh       a node per command of a script
  wf new build.wf --from make Makefile        what make would execute
  (snakemake --dag; snakemake -n -p) | wf new flow.wf --from snakemake -
  wf new night.wf --from yaml night.yaml      a text as wf text prints it
  wf new plan.wf --from dot plan.dot --command './{}.sh'`,
		Args: nargs(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.arguments(cmd, e, args); err != nil {
				return err
			}
			o.chainGiven = cmd.Flags().Changed("chain")
			return o.run(cmd.Context(), e)
		},
	}
	fileFlag(cmd, &o.file, "f")
	f := cmd.Flags()
	f.BoolVar(&o.fromLines, "from-lines", false, "read commands from INPUT or standard input: one per line, or a script")
	f.BoolVar(&o.chain, "chain", false, "with --from-lines: each command waits for the one before")
	f.Var(&choice{&o.from, importFormats()}, "from", "read INPUT in this format: "+strings.Join(importFormats(), ", "))
	f.StringArrayVar(&o.goals, "goal", nil, "with --from make: a `TARGET` to make (repeatable; default: the first target)")
	f.BoolVar(&o.flat, "flat", false, "with --from make: every target stays a node, also if several differ in one word only")
	f.BoolVar(&o.trust, "trust", false, "with --from make: evaluate the makefile, and so run its $(shell), without asking")
	f.Var(&choice{&o.results, settings.ResultsWords}, "results", "what runs write into the file: none, status, or file (also output); default in a git work tree: none")
	f.StringVar(&o.command, "command", "", "with --from: the command of nodes without one; {} is their name")
	return cmd
}

// oneName returns the error for --from with one name or none. If a file of that name exists, it must be the input.
func (o *newOptions) oneName(e *env, name string) error {
	file, input := cmp.Or(name, "FILE"), "INPUT"
	if _, err := os.Stat(e.Abs(name)); name != "" && err == nil {
		file, input = defaultWorkfile, name
	}
	return &exit.Failure{Status: exit.BadUsage, What: "--from " + o.from + " needs two names: the new workfile and the input",
		Fix: "wf new " + words.Quote(file) + " --from " + o.from + " " + words.Quote(input)}
}

// linesInput removes INPUT of --from-lines from the arguments, if it is there.
func (o *newOptions) linesInput(e *env, args []string) (rest []string, err error) {
	if len(args) == 1 && o.file == "" {
		if _, err := os.Stat(e.Abs(args[0])); err == nil {
			return nil, &exit.Failure{Status: exit.BadUsage, What: plain.Line(args[0]) + " exists and is not replaced",
				Fix: "to read it: wf new " + defaultWorkfile + " --from-lines " + words.Quote(args[0])}
		}
	}
	if o.input = "-"; len(args) == 2 || len(args) == 1 && o.file != "" {
		o.input = args[len(args)-1]
		args = args[:len(args)-1]
	}
	return args, nil
}

// arguments separates FILE and INPUT: with --from, INPUT is the last argument; with --from-lines, the second one.
func (o *newOptions) arguments(cmd *cobra.Command, e *env, args []string) error {
	if o.fromLines && o.from == "" {
		var err error
		if args, err = o.linesInput(e, args); err != nil {
			return err
		}
	}
	if o.from != "" {
		if len(args) == 0 || len(args) == 1 && o.file == "" {
			return o.oneName(e, first(args))
		}
		o.input = args[len(args)-1]
		args = args[:len(args)-1]
	}
	switch {
	case len(args) > 1:
		return exit.Usage("too many arguments: %s", args[1])
	case o.from != "" && o.fromLines:
		return exit.Usage("--from and --from-lines cannot be combined")
	case o.chain && !o.fromLines:
		return exit.Usage("--chain needs --from-lines")
	case len(o.goals) > 0 && o.from != "make":
		return exit.Usage("--goal names a target of a makefile: it needs --from make")
	case o.flat && o.from != "make":
		return exit.Usage("--flat needs --from make")
	case o.trust && o.from != "make":
		return exit.Usage("--trust needs --from make")
	case o.command != "" && o.from == "":
		return exit.Usage("--command needs --from")
	}
	return fileArg(cmd, &o.file, args)
}

func (o *newOptions) run(ctx context.Context, e *env) error {
	if o.file == "" {
		o.file = defaultWorkfile
	}
	req := api.NewRequest{Path: e.Abs(o.file), Chain: o.chain, Results: o.results}
	var notes []string
	var err error
	switch {
	case o.fromLines:
		notes, err = o.readLines(e, &req)
	case o.from != "":
		notes, err = o.read(ctx, e, &req)
	}
	if err != nil {
		return err
	}
	req.Notes = o.fileComment(e, notes)
	var info api.WorkspaceInfo
	err = e.connected(ctx, func(c *client.Client) error {
		info, err = c.New(ctx, req)
		return err
	})
	if err != nil {
		return err
	}
	if o.results == "" && info.Results == api.ResultsNone && req.Attrs["results"] == "" {
		notes = append(notes, "in a git work tree runs write no results into the file (to write statuses: wf edit set-graph results status)")
	}
	made := fmt.Sprintf("created %s: %s", plain.Line(e.rel(req.Path)), words.Plural(len(req.Lines)+len(req.Nodes), "node"))
	if o.from != "" {
		made += ", " + words.Plural(len(req.Edges), "edge")
	}
	fmt.Fprintln(e.Stderr, made)
	for _, note := range notes {
		fmt.Fprintf(e.Stderr, "note: %s\n", plain.Line(e.Advice(note)))
	}
	return nil
}

// readLines fills a request with the commands of the input, and returns notes about them.
func (o *newOptions) readLines(e *env, req *api.NewRequest) (notes []string, err error) {
	data, name, err := o.readInput(e)
	if err != nil {
		return nil, err
	}
	lines, err := convert.ReadLines(data)
	if err != nil {
		return nil, notExpressible(name, "lines", err)
	}
	req.Lines, notes = lines.Commands, lines.Notes
	if lines.Shell != "" {
		req.Attrs = map[string]string{"shell": lines.Shell}
	}
	if lines.Script && !o.chainGiven && len(lines.Commands) > 1 {
		req.Chain = true
		notes = append(notes, "it is a script, so each command waits for the one before (--chain=false runs them at the same time)")
	}
	return notes, nil
}
