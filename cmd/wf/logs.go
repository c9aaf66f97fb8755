package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/tail"
	"wf/tui/words"
)

// logsOptions are the flags of logs.
type logsOptions struct {
	file           string
	follow         bool
	tail           int
	run            string
	execution      int
	stdout, stderr bool
	failed         bool
	raw            bool
	hooks          bool
	json           bool
	timestamps     bool
	yes            bool

	permitted permission
}

func newLogs(e *env) *cobra.Command {
	o := &logsOptions{}
	cmd := &cobra.Command{
		Use: "logs NODE...",
		Long: `Logs prints the output of the latest execution of each node: standard output and standard
error, in the order in which they were written. Nodes with output=split keep the two apart, and
standard output is printed first. On a terminal only printable text is shown; files and pipes get
the exact bytes. Values of secrets are *** (wf help secrets). With --json each line of output is a JSON object (wf.log/v1) that names its node.

With --follow, logs waits for nodes that have not started yet, and continues with the next attempt
of a node that is retried. Here -f means --follow, as in tail; in all other commands -f means
--file. If no run on this machine has executed a node, logs prints the output that the workfile
contains, with a note.

With --timestamps each line begins with the time by which it had been written. Commands write to
files, and a run measures these files once a second, so the time is right to about a second. A line
that arrives during --follow gets the time of its arrival.

Many programs buffer standard output if it is not a terminal, so that it appears later than
standard error. Options like python -u or programs like stdbuf -oL help.`,
		Example: `  wf logs align
  wf logs -f align                follow the output until the node is done
  wf logs --timestamps align
  wf logs --failed                all nodes that failed in the latest run
  wf logs 42/align                in run 42, the same as --run 42 align
  wf logs --run 42 align --tail 20
  wf logs --hooks                 what hooks printed`,
		Args: nargs(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			if err := e.nodeArgs(cmd, o.file, args); err != nil {
				if f, ok := err.(*exit.Failure); ok && o.follow {
					f.Why = "here -f means --follow; the long form --file is the same in every command"
				}
				return err
			}
			return e.look(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error { return o.print(ctx, e, s, args) })
		},
	}
	f := cmd.Flags()
	lookFlag(cmd, &o.file, "")
	f.BoolVarP(&o.follow, "follow", "f", false, "print new output until the node is done")
	f.IntVar(&o.tail, "tail", -1, "only the last `N` lines of each stream")
	f.StringVar(&o.run, "run", "", "the output in this `RUN` (default: the latest run that executed the node)")
	f.IntVar(&o.execution, "execution", 0, "the output of the `N`th execution in the run (default: the latest)")
	f.BoolVar(&o.stdout, "stdout", false, "only standard output (output=split)")
	f.BoolVar(&o.stderr, "stderr", false, "only standard error (output=split)")
	f.BoolVar(&o.failed, "failed", false, "all nodes that failed in the run")
	f.BoolVar(&o.hooks, "hooks", false, "what hooks printed")
	f.BoolVar(&o.raw, "raw", false, "write exact bytes to a terminal, too, with the values of secrets: only for output that you trust")
	f.BoolVarP(&o.yes, "yes", "y", false, "with --raw: show secrets without asking")
	f.BoolVar(&o.timestamps, "timestamps", false, "before each line the time by which it had been written, to the second")
	f.BoolVar(&o.json, "json", false, "print a JSON object for each line of output")
	return cmd
}

// check refuses contradictory flags.
func (o *logsOptions) check(args []string) error {
	switch {
	case o.hooks && (len(args) > 0 || o.failed || o.follow || o.json):
		return exit.Usage("--hooks can only be combined with --run and --raw")
	case len(args) == 0 && !o.failed && !o.hooks:
		return &exit.Failure{Status: exit.BadUsage, What: "no node named", Fix: "wf logs NODE, or wf logs --failed"}
	case len(args) > 0 && o.failed:
		return exit.Usage("--failed selects nodes and cannot be combined with node names")
	case o.yes && !o.raw:
		return exit.Usage("--yes needs --raw")
	case o.json && o.raw:
		return exit.Usage("--raw and --json cannot be combined")
	case o.execution < 0:
		return exit.Usage("--execution counts from 1")
	case o.tail < -1:
		return exit.Usage("--tail must not be negative")
	}
	return nil
}

// printHooks prints what the hooks of a run printed.
func (o *logsOptions) printHooks(ctx context.Context, e *env, s *target) error {
	run, err := s.shownRun(ctx, o.run)
	if err != nil {
		return err
	}
	if o.raw {
		detail, err := s.Workspace.Run(ctx, run)
		if err == nil {
			err = o.permit(e, detail.Masked, "the output of the hooks", detail.Run)
		}
		if err != nil {
			return err
		}
	}
	out, err := s.Workspace.Hooks(ctx, run, o.raw)
	if err != nil {
		return err
	}
	defer out.Close()
	w := e.OutputWriter(e.Stdout, o.raw)
	if _, err := io.Copy(w, out); err != nil {
		return err
	}
	return w.Flush()
}

func (o *logsOptions) print(ctx context.Context, e *env, s *target, args []string) error {
	if o.hooks {
		return o.printHooks(ctx, e, s)
	}
	queries, err := o.queries(ctx, s, args)
	if err != nil {
		return err
	}
	if o.follow {
		return o.followAll(ctx, e, s, queries)
	}
	out := &lineStart{w: e.Stdout, at: true}
	for _, q := range queries {
		if err := o.printOne(ctx, e, s, q.LogQuery, out, len(queries) > 1); err != nil {
			return err
		}
	}
	return nil
}

// A logQuery names an execution; name is the handle of its node.
type logQuery struct {
	client.LogQuery
	name string
}

// queries returns the executions that the arguments name.
func (o *logsOptions) queries(ctx context.Context, s *target, args []string) ([]logQuery, error) {
	if o.failed {
		run, err := s.shownRun(ctx, o.run)
		if err != nil {
			return nil, err
		}
		detail, err := s.Workspace.Run(ctx, run)
		if err != nil {
			return nil, err
		}
		var queries []logQuery
		for _, x := range runview.FailedExecutions(detail) {
			queries = append(queries, logQuery{client.LogQuery{Node: x.Node, Run: detail.Run, Execution: x.Execution, Times: o.timestamps, Unmasked: o.raw, Aligned: o.timestamps}, x.Name})
		}
		return queries, nil
	}
	nodes, err := s.nodesOfRuns(ctx, args, o.run)
	if err != nil {
		return nil, err
	}
	queries := make([]logQuery, len(nodes))
	for i, n := range nodes {
		queries[i] = logQuery{client.LogQuery{Node: n.node, Run: n.run, Execution: o.execution, Times: o.timestamps, Unmasked: o.raw, Aligned: o.timestamps}, n.name}
	}
	return queries, nil
}

// chosen returns the streams to print, with their sizes.
func (o *logsOptions) chosen(e *env, s *target, info api.LogInfo) ([]tail.Stream, error) {
	all := tail.StreamsOf(info)
	switch {
	case o.stdout == o.stderr:
		return all, nil
	case info.Merged:
		name := plain.Line(info.Name)
		return nil, &exit.Failure{Status: exit.BadUsage, What: fmt.Sprintf("%s wrote standard output and standard error into one output (run %s)", name, info.Run),
			Why: "so the lines are in the order in which they were written, and their streams are not recorded",
			Fix: fmt.Sprintf("wf logs %s%s prints both; wf edit set-graph output split%s keeps them apart in later runs", words.Quote(info.Name), e.fileFix(s.Path), e.fileFix(s.Path))}
	case o.stdout:
		return all[:1], nil
	}
	return all[1:], nil
}

// printOne prints the output of one execution so far to out.
func (o *logsOptions) printOne(ctx context.Context, e *env, s *target, q client.LogQuery, out *lineStart, header bool) error {
	info, err := s.Workspace.LogInfo(ctx, q)
	if err != nil {
		return err
	}
	if err := o.permit(e, info.Masked, "the output of "+plain.Line(info.Name), info.Run); err != nil {
		return err
	}
	if header && !o.json {
		fmt.Fprintln(out.atLineStart(), logTitle(info))
	}
	if info.FromFile {
		fmt.Fprintf(e.Stderr, "note: no run here has executed %s: this output is from the file\n", plain.Line(info.Name))
	}
	if info.Pending != "" {
		fmt.Fprintf(e.Stderr, "note: %s has not started in run %s; this is its output in run %s (-f waits)\n", plain.Line(info.Name), info.Pending, info.Run)
	}
	if info.Queued && info.Engine != nil {
		fmt.Fprintf(e.Stderr, "note: %s has not started: %s (-f waits)\n", plain.Line(info.Name), words.Engine(info.Engine, api.StateQueued))
	}
	streams, err := o.chosen(e, s, info)
	if err != nil {
		return err
	}
	o.noteUnknownTimes(e, info)
	for _, stream := range streams {
		if stream.Size == 0 {
			continue
		}
		offset, err := o.offset(ctx, s, q, stream)
		if err != nil {
			return err
		}
		w := o.writer(e, out, info, stream, offset)
		if err := copyStream(ctx, w, s, q, stream.Name, offset, false); err != nil {
			return err
		}
	}
	return nil
}

// writer returns a writer to w that formats a stream from offset on.
func (o *logsOptions) writer(e *env, w io.Writer, info api.LogInfo, stream tail.Stream, offset int64) console.Flusher {
	stamps := newStamps(info, stream, o.follow)
	if o.json {
		return newJSONLines(w, info, stream.Name, stamps, offset)
	}
	if stamps != nil {
		return &stamper{Flusher: e.OutputWriter(w, o.raw), stamps: stamps, offset: offset}
	}
	return e.OutputWriter(w, o.raw)
}

// noteUnknownTimes prints a note if the times of the lines are unknown.
func (o *logsOptions) noteUnknownTimes(e *env, info api.LogInfo) {
	if t := info.Times; t != nil && !t.Known {
		fmt.Fprintf(e.Stderr, "note: run %s is of an earlier version that recorded no times: %s ran from %s to %s\n", info.Run, plain.Line(info.Name),
			t.Started.Local().Format(time.DateTime), t.Until.Local().Format(time.DateTime))
	}
}

// lineStart remembers whether the last write ended a line, so that a title can begin on a new line.
type lineStart struct {
	w  io.Writer
	at bool
}

// Write writes p to the underlying writer.
func (l *lineStart) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.at = p[len(p)-1] == '\n'
	}
	return l.w.Write(p)
}

// atLineStart returns l at the start of a line.
func (l *lineStart) atLineStart() io.Writer {
	if !l.at {
		fmt.Fprintln(l)
	}
	return l
}

// logTitle returns the line above the output of one of several nodes.
func logTitle(info api.LogInfo) string {
	if info.FromFile {
		return "==> " + plain.Line(info.Name) + " (from the file) <=="
	}
	title := "==> " + plain.Line(info.Name) + " (run " + info.Run
	if info.Execution > 1 {
		title += fmt.Sprintf(", execution %d", info.Execution)
	}
	if where := words.Engine(info.Engine, api.StateOK); where != "" {
		title += ", " + where
	}
	return title + ")"
}

// copyStream copies a stream from offset on; with follow, until the execution has ended.
func copyStream(ctx context.Context, w console.Flusher, s *target, q client.LogQuery, stream string, offset int64, follow bool) error {
	r, err := s.Workspace.Output(ctx, q, stream, offset, follow)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	return w.Flush()
}

// offset returns where the last o.tail lines begin. It reads a window at the end of the stream and doubles it until
// it contains enough lines, so that few lines of a large log are cheap.
func (o *logsOptions) offset(ctx context.Context, s *target, q client.LogQuery, stream tail.Stream) (int64, error) {
	if o.tail < 0 {
		return 0, nil
	}
	for window := int64(tail.MaxBytes); ; window *= 2 {
		start := max(0, stream.Size-window)
		q.Aligned = true
		r, err := s.Workspace.Output(ctx, q, stream.Name, start, false)
		if err != nil {
			return 0, err
		}
		data, err := io.ReadAll(io.LimitReader(r, stream.Size-start))
		r.Close()
		if err != nil {
			return 0, err
		}
		if at := tailStart(data, o.tail); at > 0 || start == 0 {
			return start + int64(at), nil
		}
	}
}

// tailStart returns where the last n lines of data begin, or 0 if data has at most n lines.
func tailStart(data []byte, n int) int {
	if n == 0 {
		return len(data)
	}
	lines := 0
	for i := len(data) - 2; i >= 0; i-- { // a line end in the last byte belongs to the last line
		if data[i] == '\n' {
			if lines++; lines == n {
				return i + 1
			}
		}
	}
	return 0
}
