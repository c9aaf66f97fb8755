package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
)

// shownStatusNodes is up to where every node has a line of its own.
const shownStatusNodes = 40

// statusOptions are the flags of status.
type statusOptions struct {
	file     string
	watch    bool
	json     bool
	exitCode bool
}

func newStatus(e *env) *cobra.Command {
	o := &statusOptions{}
	cmd := &cobra.Command{
		Use:   "status [FILE]",
		Short: "Show the state now",
		Long: `Status shows the active runs, or how the last one ended, and the state of the nodes.
With --exit-code it ends with 7 while a run is going, 1 when nodes have failed, 6 when the
last run was stopped, else 0.`,
		Example: `  wf status
  wf status --watch
  wf status --json | jq .counts`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(&o.file, args); err != nil {
				return err
			}
			return o.run(cmd.Context(), e)
		},
	}
	f := cmd.Flags()
	fileFlag(cmd, &o.file, "f")
	f.BoolVar(&o.watch, "watch", false, "show every change until Ctrl-C")
	f.BoolVar(&o.json, "json", false, "print the state as JSON; with --watch a line per change")
	f.BoolVar(&o.exitCode, "exit-code", false, "tell the state by the exit status")
	return cmd
}

func (o *statusOptions) run(ctx context.Context, e *env) error {
	s, err := e.open(ctx, o.file)
	if err != nil {
		return err
	}
	defer s.close()
	if o.watch {
		return o.follow(ctx, e, s)
	}
	status, err := s.ws.Status(ctx, true)
	if err != nil {
		return err
	}
	if err := o.print(e, status); err != nil {
		return err
	}
	if o.exitCode {
		return exit(statusCode(status))
	}
	return nil
}

// print writes the state in the form that was asked for.
func (o *statusOptions) print(e *env, status api.Status) error {
	if o.json {
		return writeJSON(e.stdout, status)
	}
	return printStatus(e.stdout, e.outPaint(), status, time.Now())
}

// statusCode is the state as an exit status.
func statusCode(s api.Status) int {
	switch {
	case len(s.ActiveRuns) > 0:
		return exitBusy
	case s.Counts.Failed > 0 || s.LastRun != nil && s.LastRun.Result == api.ResFailed:
		return exitFailed
	case s.LastRun != nil && s.LastRun.Result == api.Cancelled:
		return exitStopped
	}
	return exitOK
}

// printStatus is the state for people.
func printStatus(w io.Writer, p paint, s api.Status, now time.Time) error {
	for _, line := range statusHead(p, s, now) {
		fmt.Fprintln(w, line)
	}
	nodes := s.Nodes
	if len(nodes) > shownStatusNodes {
		nodes = nodesIn(nodes, api.StateRunning, api.StateFailed)
	}
	var t table
	for _, n := range nodes[:min(len(nodes), shownStatusNodes)] {
		if !n.Container {
			t.row("  "+p.glyph(n.State)+" "+oneLine(n.Name), stateDetail(n, now))
		}
	}
	if err := t.write(w); err != nil {
		return err
	}
	if rest := len(nodes) - shownStatusNodes; rest > 0 {
		fmt.Fprintf(w, "  %s %d more: wf ls\n", p.ellipsis(), rest)
	}
	return nil
}

// statusHead is a line per active run, else one about the last run.
func statusHead(p paint, s api.Status, now time.Time) []string {
	file := oneLine(s.Workfile)
	counts := strings.Join(countParts(s.Counts, "idle"), " "+p.dot()+" ")
	var lines []string
	for _, r := range s.Runs {
		state := "running"
		switch {
		case r.Stopping:
			state = "stopping"
		case r.Held != "":
			state = "held"
		}
		lines = append(lines, fmt.Sprintf("run %s  %s  %s  %s   %s", r.Run, file, state, span(now.Sub(r.Started)),
			strings.Join(countParts(r.Counts, "to go"), " "+p.dot()+" ")))
		if r.Held != "" {
			lines = append(lines, "held: nothing starts: "+oneLine(r.Held)+"; it goes on by itself")
		}
	}
	switch {
	case len(s.Runs) > 0:
	case s.LastRun == nil:
		lines = append(lines, fmt.Sprintf("%s: idle, never run. %s", file, counts))
	default:
		lines = append(lines, fmt.Sprintf("%s: idle. Last: run %s %s %s (%s). Now: %s", file, s.LastRun.Run,
			resultWord(s.LastRun.Result), endedAgo(*s.LastRun, now), lastRunParts(*s.LastRun), counts))
		if len(s.LastRun.Survivors) > 0 {
			lines = append(lines, "note: "+survivorsText(s.LastRun.Survivors))
		}
	}
	if s.Problem != "" {
		lines = append(lines, "note: "+oneLine(s.Problem))
	}
	return lines
}

// lastRunParts are the counts and the duration of a run that is over.
func lastRunParts(r api.RunSummary) string {
	parts := countParts(r.Counts, "not reached")
	if d := spanMS(r.DurationMS); d != "" {
		parts = append(parts, d)
	}
	return strings.Join(parts, ", ")
}

// resultWord is a result as people say it.
func resultWord(result api.Result) string {
	switch result {
	case api.Succeeded:
		return "ok"
	case "":
		return "running"
	}
	return string(result)
}

func endedAgo(r api.RunSummary, now time.Time) string {
	if r.Ended == nil {
		return ago(r.Started, now)
	}
	return ago(*r.Ended, now)
}

// nodesIn picks the nodes in one of the states, those of the first state first.
func nodesIn(nodes []api.NodeStatus, states ...api.State) []api.NodeStatus {
	var found []api.NodeStatus
	for _, state := range states {
		for _, n := range nodes {
			if n.State == state {
				found = append(found, n)
			}
		}
	}
	return found
}

// stateDetail says about a node what its glyph cannot.
func stateDetail(n api.NodeStatus, now time.Time) string {
	parts := []string{string(n.State)}
	switch n.State {
	case api.StateFailed:
		parts = append(parts, cause(n.Reason, n.ExitCode, n.Signal, n.Message))
	case api.StateRunning:
		if n.Started != nil {
			parts = append(parts, span(now.Sub(*n.Started)))
		}
	}
	if n.State != api.StateRunning && n.DurationMS != nil {
		parts = append(parts, spanMS(n.DurationMS))
	}
	if n.Executions > 1 {
		parts = append(parts, fmt.Sprintf("%d executions", n.Executions))
	}
	return strings.Join(parts, "  ")
}
