package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// whyOptions are the flags of why.
type whyOptions struct {
	file string
	run  string
	json bool
}

func newWhy(e *env) *cobra.Command {
	o := &whyOptions{}
	cmd := &cobra.Command{
		Use:   "why NODE...",
		Short: "Explain why a node ran, waits, did not run or failed",
		Long: `Why explains the state of each node: what it waits for, what activated it, how it failed, or
what blocked it. With --json there is one line per node.`,
		Example: `  wf why align
  wf why 42/align                 in run 42, the same as --run 42 align
  wf why s:blocked`,
		Args: nargs(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := e.nodeArgs(cmd, o.file, args); err != nil {
				return err
			}
			return o.explain(cmd.Context(), e, args)
		},
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().StringVar(&o.run, "run", "", "in this `RUN` (default: the only active one, or else the latest)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the answer as JSON")
	return cmd
}

func (o *whyOptions) explain(ctx context.Context, e *env, args []string) error {
	s, err := e.look(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	nodes, err := s.nodesOfRuns(ctx, args, o.run)
	if err != nil {
		return err
	}
	for i, n := range nodes {
		why, err := s.Workspace.Why(ctx, n.node, n.run)
		if err != nil {
			return err
		}
		switch {
		case o.json:
			err = console.WriteJSON(e.Stdout, why)
		default:
			if i > 0 {
				fmt.Fprintln(e.Stdout)
			}
			err = printWhy(e.Stdout, e.OutPaint(), why, time.Now(), e.fileFix(s.Path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// printCommand writes a command so that it can be copied: a command of several lines is below its title, without
// indentation.
func printCommand(w io.Writer, title, command string) error {
	command = strings.TrimRight(plain.Text(command), " \t\r\n")
	between := " "
	if strings.Contains(command, "\n") {
		between = "\n"
	}
	_, err := fmt.Fprintf(w, "%s%s%s\n", title, between, command)
	return err
}

// printWhy prints the explanation. file is the --file flag for a command in it.
func printWhy(w io.Writer, p console.Paint, why api.Why, now time.Time, file string) error {
	head := fmt.Sprintf("%s %s  %s", p.Glyph(why.Node.Counted()), plain.Line(why.Node.Name), stateDetail(why.Node, now))
	if why.Run != "" {
		head += "  in run " + why.Run
	}
	fmt.Fprintln(w, head)
	for _, line := range why.Text {
		fmt.Fprintf(w, "  %s\n", plain.Line(line))
	}
	err := printCommand(w, "  command:", words.Beginning(why.Node.Command))
	if err == nil && why.Run != "" && why.Node.Executions > 0 && why.Node.Run == why.Run {
		_, err = fmt.Fprintf(w, "  log: wf logs %s%s\n", words.Quote(why.Run+"/"+why.Node.Name), file)
	}
	return err
}
