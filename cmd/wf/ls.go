package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// lsOptions are the flags of ls.
type lsOptions struct {
	file  string
	nodes []string
	json  bool
}

func newLs(e *env) *cobra.Command {
	o := &lsOptions{}
	cmd := &cobra.Command{
		Use:   "ls [FILE]",
		Short: "List the nodes",
		Long:  "Ls lists the nodes with their states, the durations of their last executions, and commands.",
		Example: `  wf ls
  wf ls --nodes s:failed          the failed nodes
  wf ls --json | jq -r '.nodes[].name'`,
		Args: nargs(0, 1),
		RunE: onFile(e, &o.file, o.run),
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().StringArrayVar(&o.nodes, "nodes", nil, "list only the nodes of `SEL` (repeatable)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the list as JSON")
	return cmd
}

func (o *lsOptions) run(ctx context.Context, e *env) error {
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	list, err := s.Workspace.Select(ctx, o.nodes)
	if err != nil {
		return err
	}
	if o.json {
		return console.WriteJSON(e.Stdout, list)
	}
	e.noteProblem(list.Problem)
	return printNodes(e.Stdout, e.OutPaint(), list.Nodes, e.OutWidth())
}

// printNodes prints the nodes as a table. If the width of the terminal is known, commands are cut.
func printNodes(w io.Writer, p console.Paint, nodes []api.NodeStatus, width int) error {
	longest, subFlows, now := 0, subFlowsOf(nodes), time.Now()
	for _, n := range nodes {
		longest = max(longest, len([]rune(shownName(n, subFlows))))
	}
	room := 0
	if width > 0 {
		room = max(20, width-longest-26) // glyph, state and duration need the rest
	}
	var t console.Table
	for _, n := range nodes {
		t.Row(p.Glyph(n.Counted())+" "+shownName(n, subFlows), string(n.State), words.SpanMS(n.DurationMS), p.Clip(lsDetail(p, n, now), room))
	}
	return t.Write(w)
}

// noteProblem prints a note that the file cannot be read and an older state of it is shown.
func (e *env) noteProblem(problem string) {
	if problem != "" {
		fmt.Fprintf(e.Stderr, "note: %s; the last known state is shown\n", plain.Line(problem))
	}
}
