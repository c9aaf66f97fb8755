package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
	"wf/workspace/history"
)

// approvalsOptions are the flags of approvals.
type approvalsOptions struct {
	file string
	all  bool
	json bool
}

func newApprovals(e *env) *cobra.Command {
	o := &approvalsOptions{}
	cmd := &cobra.Command{
		Use: "approvals [FILE]",
		Long: `Approvals lists the nodes of active runs that wait for a person, the longest wait first, each
with the command that answers it. With --all, or if there is no ./Workfile, it lists those of
all workfiles.`,
		Example: `  wf approvals
  wf approvals --all --json | jq -r '.approvals[].name'`,
		Args: nargs(0, 1),
		RunE: onFile(e, &o.file, o.run),
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.all, "all", false, "of all workfiles with an active run")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the list as JSON")
	return cmd
}

func (o *approvalsOptions) run(ctx context.Context, e *env) error {
	if o.all && o.file != "" {
		return exit.Usage("--all lists the approvals of all workfiles and cannot be combined with a file")
	}
	list, err := o.list(ctx, e)
	if err != nil {
		return err
	}
	if o.json {
		return console.WriteJSON(e.Stdout, list)
	}
	if len(list.Approvals) == 0 {
		fmt.Fprintln(e.Stderr, "nothing waits for a person")
		return nil
	}
	return printApprovals(e, list.Approvals, time.Now())
}

// list returns the approvals of one workfile, or of all of them.
func (o *approvalsOptions) list(ctx context.Context, e *env) (list api.ApprovalList, err error) {
	if !o.all && o.file == "" {
		_, err := os.Stat(e.Abs(defaultWorkfile))
		o.all = errors.Is(err, fs.ErrNotExist)
	}
	if o.all {
		return allApprovals(ctx, e)
	}
	err = e.look(ctx, o.file, func(ctx context.Context, _ *env, s *target) error {
		list, err = s.Workspace.Approvals(ctx)
		return err
	})
	return list, err
}

// allApprovals returns the approvals of every workspace with an active run. It starts a daemon if none is
// running, because that daemon recovers runs that were waiting when the machine went down.
func allApprovals(ctx context.Context, e *env) (api.ApprovalList, error) {
	all := api.ApprovalList{Schema: api.SchemaApprovals, Approvals: []api.Approval{}}
	err := e.connected(ctx, func(c *client.Client) error {
		server, err := c.Server(ctx)
		if err != nil {
			return err
		}
		var paths []string
		for _, info := range server.Workspaces {
			if len(info.Runs) > 0 {
				paths = append(paths, info.Workfile)
			}
		}
		for _, path := range e.withUnfinished(paths) {
			ws, err := c.Open(ctx, path)
			if err != nil {
				return err
			}
			e.noteProblem(ws.Problem)
			list, err := ws.Approvals(ctx)
			if err != nil {
				return err
			}
			all.Approvals = append(all.Approvals, list.Approvals...)
		}
		return nil
	})
	sortApprovals(all.Approvals)
	return all, err
}

// withUnfinished adds the workfiles with unfinished runs that a newly started daemon may not have recovered yet.
func (e *env) withUnfinished(paths []string) []string {
	dirs, err := e.folders()
	if err != nil {
		return paths
	}
	marks, _ := history.Active(dirs.State) // the daemon reports marks that it cannot read
	for _, m := range marks {
		if !slices.Contains(paths, m.Workfile) {
			paths = append(paths, m.Workfile)
		}
	}
	return paths
}

// printApprovals prints each question, how long it has waited, and the command that answers it.
func printApprovals(e *env, list []api.Approval, now time.Time) error {
	p := e.OutPaint()
	var b strings.Builder
	for _, a := range list {
		approvalRow(&b, p, a, now, approveCommand(e, list, a))
	}
	_, err := io.WriteString(e.Stdout, b.String())
	return err
}

// approvalRow writes one approval.
func approvalRow(b *strings.Builder, p console.Paint, a api.Approval, now time.Time, command string) {
	fmt.Fprintf(b, "%s %s  run %s  %s%s\n", p.Glyph(api.StateWaiting), p.Strong(plain.Line(a.Name)), a.Run, "waits "+words.Span(max(0, now.Sub(a.Since))), words.DecidedByItself(a, now))
	for _, line := range words.QuestionLines(a) {
		fmt.Fprintf(b, "    %s\n", line)
	}
	fmt.Fprintf(b, "    %s\n", p.Dim(command))
}

// approveCommand returns the commands that answer a. It names the run if list has the same node in another run.
func approveCommand(e *env, list []api.Approval, a api.Approval) string {
	run := ""
	for _, other := range list {
		if other.Name == a.Name && other.Workfile == a.Workfile && other.Run != a.Run {
			run = " --run " + a.Run
		}
	}
	rest := words.Quote(a.Name) + run + e.fileFix(a.Workfile)
	return "wf approve " + rest + "    wf reject " + rest
}
