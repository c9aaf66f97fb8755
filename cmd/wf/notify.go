package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/executor"
	"wf/notify"
	"wf/notify/send"
	"wf/tui/plain"
	"wf/tui/words"
)

func newNotify(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "notify",
		Long: `The attribute notify of a workfile, or the setting notify, says who is told about its runs: wf help
notify. These commands try the destinations and show what became of notifications.`,
		Example: `  wf notify test nightly.wf
  wf notify ls`,
	}
	return noun(cmd, newNotifyTest(e), newNotifyLs(e), newNotifyLog(e), newNotifyRetry(e), newNotifyRm(e))
}

// newSender returns what sends the notifications of the daemon. It reads the user's configuration for each of them.
func newSender(e *env, local *executor.Local) *send.Sender {
	return &send.Sender{Run: local.Ask, Version: version(), Config: func() (send.Config, error) {
		c, err := settings.Destinations(&e.Console)
		if err == nil {
			return c, nil
		}
		f := exit.Describe(err)
		return c, fmt.Errorf("%s (%s): %s; %s", f.What, f.Where, f.Why, f.Fix)
	}}
}

func newNotifyTest(e *env) *cobra.Command {
	asJSON, file := false, ""
	cmd := &cobra.Command{
		Use:   "test [FILE]",
		Short: "Send a test to each destination",
		Long: `Test sends a message to each destination of the workfile FILE, or of the setting notify if FILE is
missing or has no attribute notify, and prints what happened. Commands (exec:) are executed. Exit
status 1 means that a test failed.`,
		Example: `  wf notify test nightly.wf
  WF_NOTIFY='desktop' wf notify test`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &file, args); err != nil {
				return err
			}
			return notifyTest(cmd.Context(), e, file, asJSON)
		},
	}
	fileFlag(cmd, &file, "f")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// notifyLines returns the lines that apply to a workfile, or the setting if file is "", with the place that they come from: the
// variable, the attribute of the workfile, or a file with settings.
func notifyLines(e *env, file string) (lines, path, where string, err error) {
	if e.defaults != nil && e.defaults.Notify != nil {
		lines, where = *e.defaults.Notify, "the setting notify"
	}
	if file == "" && e.notify != nil {
		return *e.notify, "", "WF_NOTIFY", nil
	}
	if file == "" {
		return lines, "", where, nil
	}
	peek, err := daemon.PeekAt(e.Abs(file))
	if err != nil {
		return "", "", "", err
	}
	if own, has := peek.Attr("notify"); has {
		lines, where = own, plain.Line(e.rel(peek.Path))
	}
	if e.notify != nil {
		lines, where = *e.notify, "WF_NOTIFY"
	}
	return lines, peek.Path, where, nil
}

func notifyTest(ctx context.Context, e *env, file string, asJSON bool) error {
	lines, path, where, err := notifyLines(e, file)
	if err != nil {
		return err
	}
	if rules, problems := notify.Parse(lines); len(rules)+len(problems) == 0 {
		return &exit.Failure{Status: exit.BadUsage, What: "nobody is told about runs: there is no attribute notify, and no setting", Fix: "wf help notify"}
	}
	var res api.NotifyTestResult
	err = e.connected(ctx, func(c *client.Client) (err error) {
		res, err = c.TestNotifications(ctx, api.NotifyTestRequest{Lines: lines, Workfile: path, Env: e.Environ})
		return err
	})
	if err != nil {
		return err
	}
	failed := len(res.Problems) > 0 || slices.ContainsFunc(res.Tests, func(t api.NotificationTest) bool { return !t.OK })
	if asJSON {
		err = console.WriteJSON(e.Stdout, res)
	} else {
		err = printNotifyTest(e, res, where)
	}
	if err == nil && failed {
		return exit.With(exit.Failed)
	}
	return err
}

func printNotifyTest(e *env, res api.NotifyTestResult, where string) error {
	p := e.OutPaint()
	fmt.Fprintf(e.Stderr, "destinations of %s\n", where)
	for _, problem := range res.Problems {
		fmt.Fprintf(e.Stdout, "%s line %d: %s\n", p.Either("✗", "failed:"), problem.Line, plain.Line(problem.Message))
	}
	for _, t := range res.Tests {
		took := words.Span(time.Duration(t.TookMS) * time.Millisecond)
		switch {
		case !t.OK:
			fmt.Fprintf(e.Stdout, "%s %s: %s\n", p.Either("✗", "failed:"), plain.Line(t.To), plain.Line(t.Error))
		case t.Answer != "":
			fmt.Fprintf(e.Stdout, "%s %s: sent in %s, and the answer is: %s\n", p.Either("✓", "ok:"), plain.Line(t.To), took, plain.Line(t.Answer))
		default:
			fmt.Fprintf(e.Stdout, "%s %s: sent in %s\n", p.Either("✓", "ok:"), plain.Line(t.To), took)
		}
	}
	return nil
}

func newNotifyLs(e *env) *cobra.Command {
	return notifyList(e, &cobra.Command{
		Use:   "ls",
		Short: "List notifications that wait or could not be sent",
		Example: `  wf notify ls
  wf notify ls --json | jq -r '.entries[].error'`,
	}, func(n api.NotificationEntry) bool { return n.State != api.NotificationSent })
}

func newNotifyLog(e *env) *cobra.Command {
	return notifyList(e, &cobra.Command{
		Use:   "log",
		Short: "List the latest notifications, also those that were sent",
		Example: `  wf notify log
  wf notify log --json | jq -r '.entries[].id'`,
	}, func(api.NotificationEntry) bool { return true })
}

// notifyList completes a command that lists notifications.
func notifyList(e *env, cmd *cobra.Command, wanted func(api.NotificationEntry) bool) *cobra.Command {
	asJSON := false
	cmd.Args = nargs(0, 0)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var list api.NotificationList
		err := e.connected(cmd.Context(), func(c *client.Client) (err error) {
			list, err = c.Notifications(cmd.Context())
			return err
		})
		if err != nil {
			return err
		}
		list.Entries = slices.DeleteFunc(list.Entries, func(n api.NotificationEntry) bool { return !wanted(n) })
		return printNotifications(e, list, asJSON)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// shownID is how many characters of an ID are printed.
const shownID = 8

func printNotifications(e *env, list api.NotificationList, asJSON bool) error {
	if asJSON {
		return console.WriteJSON(e.Stdout, list)
	}
	if list.Dropped > 0 {
		fmt.Fprintf(e.Stderr, "note: %s dropped because too many wait\n", words.Plural(list.Dropped, "notification"))
	}
	if len(list.Entries) == 0 {
		fmt.Fprintln(e.Stderr, "no notifications")
		return nil
	}
	var t console.Table
	for _, n := range list.Entries {
		t.Row(plain.Line(n.ID[:min(len(n.ID), shownID)]), n.Time.Local().Format(time.DateTime), stateOf(n), plain.Line(n.To), plain.Line(n.Title))
	}
	if err := t.Write(e.Stdout); err != nil {
		return err
	}
	for _, n := range list.Entries {
		if n.State != api.NotificationSent && n.Error != "" {
			fmt.Fprintf(e.Stdout, "%s: %s\n", plain.Line(n.ID[:min(len(n.ID), shownID)]), plain.Line(n.Error))
		}
	}
	return nil
}

// stateOf describes what became of a notification.
func stateOf(n api.NotificationEntry) string {
	switch {
	case n.State == api.NotificationSent:
		return "sent"
	case n.State == api.NotificationGivenUp:
		return "given up"
	case n.Attempts == 0 || n.Next == nil:
		return "waits"
	}
	return fmt.Sprintf("%s, next %s", words.Plural(n.Attempts, "attempt"), words.Until(*n.Next, time.Now()))
}

func newNotifyRetry(e *env) *cobra.Command {
	return notifyChange(e, api.OpRetry, &cobra.Command{
		Use:   "retry [ID…]",
		Short: "Send notifications again at once",
		Example: `  wf notify retry
  wf notify retry 9f86d081`,
		Long: `Retry sends the notifications with these IDs, or all that could not be sent. An ID may be
shortened.`,
	})
}

func newNotifyRm(e *env) *cobra.Command {
	return notifyChange(e, api.OpRemove, &cobra.Command{
		Use:   "rm [ID…]",
		Short: "Remove notifications that could not be sent",
		Example: `  wf notify rm
  wf notify rm 9f86d081`,
		Long: `Rm removes the notifications with these IDs, or all that could not be sent. An ID may be
shortened.`,
	})
}

// notifyChange completes a command that changes notifications.
func notifyChange(e *env, op string, cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return e.connected(cmd.Context(), func(c *client.Client) error {
			list, err := c.ChangeNotifications(cmd.Context(), api.NotificationChange{Op: op, IDs: args})
			if err != nil {
				return err
			}
			verb := "sent again"
			if op == api.OpRemove {
				verb = "removed"
			}
			fmt.Fprintf(e.Stderr, "%s: %s\n", verb, words.Plural(len(list.Changed), "notification"))
			return nil
		})
	}
	return cmd
}
