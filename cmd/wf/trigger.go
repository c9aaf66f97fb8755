package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	_ "time/tzdata" // for machines without the tz database

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/daemon"
	"wf/tui/plain"
	"wf/tui/words"
)

// triggerOptions are the flags of the commands of trigger.
type triggerOptions struct {
	file string
	json bool
	yes  bool
	most int
	run  runOptions // of enable
}

func newTrigger(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "trigger",
		Long: `A workfile says in its attribute on, a line each, what starts its runs: cron: 0 2 * * * (every night
at two), every: 10m, after: ../other.graphml or webhook: deploy. On the graph the whole workfile runs, on a node that node and what follows.
Nothing runs before wf trigger enable. Then the daemon stays and starts the runs; wf server install
starts it again after a reboot. See wf help triggers.`,
		Example: `  wf edit set-graph on='cron: 0 2 * * *'
  wf trigger enable
  wf trigger ls
  wf trigger log`,
	}
	return noun(cmd, newTriggerEnable(e), newTriggerDisable(e), newTriggerLs(e), newTriggerNext(e), newTriggerFire(e), newTriggerLog(e), newTriggerURL(e), newTriggerSecret(e))
}

// missingFile marks commands whose workfile need not exist any more.
const missingFile = "wf-missing-file"

// triggerCommand completes a command whose only argument is FILE.
func triggerCommand(e *env, cmd *cobra.Command, o *triggerOptions, run func(context.Context, *env, string) error) *cobra.Command {
	cmd.Args = nargs(0, 1)
	fileFlag(cmd, &o.file, "f")
	cmd.RunE = onFile(e, &o.file, func(ctx context.Context, e *env) error {
		if err := e.needDaemon(""); err != nil {
			return err
		}
		path, err := e.workfile(o.file)
		if err != nil && cmd.Annotations[missingFile] == "" {
			return err
		}
		return run(ctx, e, cmp.Or(path, e.Abs(cmp.Or(o.file, defaultWorkfile))))
	})
	return cmd
}

func newTriggerEnable(e *env) *cobra.Command {
	o := &triggerOptions{}
	cmd := triggerCommand(e, &cobra.Command{
		Use:   "enable [FILE]",
		Short: "Let the triggers of a workfile start runs",
		Long: `Enable shows the triggers of a workfile, what they will run and as whom, and asks. Then the daemon
starts the runs, each with the environment of this command, which it keeps in the state folder.

If the attribute on is changed later, no trigger of the workfile starts a run until enable is called
again; changed commands run without that. Triggers that are enabled already go on.`,
		Example: `  wf trigger enable
  wf trigger enable --yes nightly.graphml -p region=eu --env-file secrets.env`,
	}, o, o.enable(e))
	f := cmd.Flags()
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.StringArrayVarP(&o.run.params, "param", "p", nil, "set a parameter of every run, `PARAM=VALUE`; as of wf run (repeatable)")
	f.StringVar(&o.run.paramsFile, "params", "", "values of parameters: a JSON object in `JSONFILE`; --param takes precedence")
	f.StringVar(&o.run.profile, "profile", "", "run with the parameters and attributes of `PROFILE` (wf help profiles)")
	f.StringArrayVar(&o.run.env, "env", nil, "set `KEY=VALUE` for the commands (repeatable)")
	f.StringArrayVar(&o.run.envFiles, "env-file", nil, "set the KEY=VALUE lines of `ENVFILE` for the commands (repeatable)")
	return cmd
}

func (o *triggerOptions) enable(e *env) func(context.Context, *env, string) error {
	return func(ctx context.Context, e *env, path string) error {
		if err := o.run.check(); err != nil {
			return err
		}
		o.run.file = path
		req, err := o.run.request((&cobra.Command{}).Flags(), e)
		if err != nil {
			return err
		}
		return e.connected(ctx, func(c *client.Client) error {
			list, err := c.Triggers(ctx, api.TriggersQuery{Path: path, Next: 1, Zone: e.Get("TZ")})
			if err != nil {
				return err
			}
			w := list.Workfiles[0]
			if w.Problem != "" && !w.Armed {
				return &exit.Failure{Status: exit.BadWorkfile, What: w.Problem, Where: path}
			}
			q := api.TriggerEnable{Path: path, Request: req}
			for _, t := range w.Triggers {
				if t.State != api.TriggerGone {
					q.Lines = append(q.Lines, t.TriggerLine)
				}
			}
			if len(q.Lines) > 0 && !o.yes {
				if err := o.askEnable(e, w); err != nil {
					return err
				}
			}
			if list, err = c.EnableTriggers(ctx, q); err != nil {
				return err
			}
			if info, err := os.Stat(path); err == nil && info.Mode()&0o002 != 0 {
				fmt.Fprintf(e.Stderr, "warning: every user of this machine can change %s, and so run commands as you: chmod o-w\n", plain.Line(e.rel(path)))
			}
			fmt.Fprintf(e.Stderr, "enabled %s of %s\n", words.Plural(len(q.Lines), "trigger"), plain.Line(e.rel(path)))
			for _, t := range list.Workfiles[0].Triggers {
				if len(t.Next) > 0 {
					fmt.Fprintf(e.Stderr, "  %s  next %s\n", plain.Line(t.On), instantText(t.Next[0], t.Zone))
				}
			}
			if problem := list.Workfiles[0].Problem; problem != "" {
				fmt.Fprintf(e.Stderr, "warning: %s\n", plain.Line(problem))
			}
			noteWebhooks(e, list)
			for _, t := range w.Triggers { // as it was before: a run may have got files meanwhile
				if t.Files != nil && t.State != api.TriggerGone {
					fmt.Fprintf(e.Stderr, "  %s  %s\n", plain.Line(t.On), existingText(t))
				}
			}
			if !hasService(e) {
				fmt.Fprintln(e.Stderr, "  they start runs while the daemon runs; wf server install starts it with the machine")
			}
			return nil
		})
	}
}

// existingText says what becomes of the files that match when a trigger is enabled.
func existingText(t api.Trigger) string {
	switch n := t.Files.Match; {
	case t.Files.Problem != "":
		return plain.Line(t.Files.Problem)
	case n == 0:
		return "no file matches now"
	case slices.Contains(strings.Fields(t.On), "existing=yes") && t.Files.New == 1:
		return "1 file that already exists starts a run"
	case slices.Contains(strings.Fields(t.On), "existing=yes") && t.Files.New > 0:
		return words.Plural(t.Files.New, "file") + " that already exist start runs"
	case n == 1:
		return "1 file that already exists starts no run"
	default:
		return words.Plural(n, "file") + " that already exist start no run"
	}
}

// mostCommands bounds how many commands the question shows.
const mostCommands = 10

// askEnable shows what will run and asks.
func (o *triggerOptions) askEnable(e *env, w api.TriggerWorkfile) error {
	if !e.Interactive() {
		return &exit.Failure{Status: exit.BadUsage, What: "cannot ask whether the triggers may start runs", Why: "nothing was enabled", Fix: "look at wf trigger next, then add --yes"}
	}
	out := e.Stderr
	fmt.Fprintf(out, "%s\n", plain.Line(w.Workfile))
	for _, t := range w.Triggers {
		if t.State == api.TriggerGone {
			fmt.Fprintf(out, "  %s  is no longer in the file, and ends\n", plain.Line(t.On))
			continue
		}
		runs := "runs the workfile"
		if t.Name != "" {
			runs = "runs " + plain.Line(t.Name) + " and what follows"
		}
		next := "never"
		if len(t.Next) > 0 {
			next = instantText(t.Next[0], t.Zone)
		}
		next = "next " + next
		switch {
		case t.Problem != "":
			next = plain.Line(t.Problem)
		case t.Files != nil:
			next = "for files that arrive in " + plain.Line(e.rel(t.Files.Folder)) + "; " + existingText(t)
		case strings.HasPrefix(t.On, "after:"):
			next = "after each such run"
		}
		if t.Webhook != nil {
			next = "for each delivery of a sender that knows the secret"
		}
		fmt.Fprintf(out, "  %s  %s, %s\n", plain.Line(t.On), runs, next)
	}
	if peek, err := daemon.PeekAt(w.Workfile); err == nil {
		shown, more := 0, 0
		for _, n := range peek.Nodes {
			switch {
			case n.Container || strings.TrimSpace(n.Command) == "":
			case shown == mostCommands:
				more++
			default:
				shown++
				fmt.Fprintf(out, "    $ %s\n", plain.Line(n.Command))
			}
		}
		if more > 0 {
			fmt.Fprintf(out, "    and %s (wf plan --fresh)\n", words.Plural(more, "further command"))
		}
	}
	host, _ := os.Hostname()
	user := fmt.Sprintf("user %d", os.Getuid())
	if name := e.User(); name != "" {
		user = fmt.Sprintf("%s (%s)", plain.Line(name), user)
	}
	fmt.Fprintf(out, "  as %s on %s, with the environment of this command\n", user, plain.Line(host))
	return e.confirm("Enable these triggers? [y/N] ", "nothing was enabled")
}

func newTriggerDisable(e *env) *cobra.Command {
	o := &triggerOptions{}
	return triggerCommand(e, &cobra.Command{
		Use:         "disable [FILE]",
		Short:       "Stop the triggers of a workfile; active runs continue",
		Example:     `  wf trigger disable nightly.graphml`,
		Annotations: map[string]string{missingFile: "yes"},
	}, o, func(ctx context.Context, e *env, path string) error {
		return e.connected(ctx, func(c *client.Client) error {
			if err := c.DisableTriggers(ctx, path); err != nil {
				return err
			}
			fmt.Fprintf(e.Stderr, "disabled the triggers of %s\n", plain.Line(e.rel(path)))
			return nil
		})
	})
}

func newTriggerLs(e *env) *cobra.Command {
	o := &triggerOptions{}
	cmd := &cobra.Command{
		Use:   "ls [FILE]",
		Short: "List the enabled triggers, or those of a workfile",
		Example: `  wf trigger ls
  wf trigger ls --json | jq -r '.workfiles[] | select(.changed) | .workfile'`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &o.file, args); err != nil {
				return err
			}
			return o.list(cmd.Context(), e)
		},
	}
	cmd.Flags().StringVarP(&o.file, "file", "f", "", "only those of the workfile `FILE`, also if they are not enabled")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (o *triggerOptions) list(ctx context.Context, e *env) error {
	q := api.TriggersQuery{Next: 1, Zone: e.Get("TZ")}
	if o.file != "" {
		q.Path = e.Abs(o.file)
	}
	list, err := triggersOf(ctx, e, q)
	if err != nil {
		return err
	}
	if o.json {
		return console.WriteJSON(e.Stdout, list)
	}
	for _, w := range list.Workfiles {
		printTriggers(e, w)
	}
	if len(list.Workfiles) == 0 {
		fmt.Fprintln(e.Stderr, "no triggers are enabled")
	}
	if list.Problem != "" {
		fmt.Fprintf(e.Stderr, "warning: no trigger starts a run at present: %s\n", plain.Line(list.Problem))
	}
	if list.Webhooks != nil && hasWebhook(list) {
		noteListener(e, list.Webhooks)
	}
	return nil
}

// triggersOf asks the daemon for triggers.
func triggersOf(ctx context.Context, e *env, q api.TriggersQuery) (list api.TriggerList, err error) {
	err = e.connected(ctx, func(c *client.Client) error {
		list, err = c.Triggers(ctx, q)
		return err
	})
	return list, err
}

func newTriggerNext(e *env) *cobra.Command {
	o := &triggerOptions{}
	cmd := triggerCommand(e, &cobra.Command{
		Use:   "next [FILE]",
		Short: "Show the next instants of the triggers, in their time zone and in yours",
		Long: `Next shows the next instants of each trigger, also if it is not enabled: in the time zone of the
trigger, and in that of this terminal if it differs. Of a trigger that waits for files it shows how
many match now, and how many of them no run has had.`,
		Example: `  wf trigger next -n 20`,
	}, o, func(ctx context.Context, e *env, path string) error {
		if o.most < 1 || o.most > api.MostInstants {
			return exit.Usage("-n %d: must be from 1 to %d", o.most, api.MostInstants)
		}
		list, err := triggersOf(ctx, e, api.TriggersQuery{Path: path, Next: o.most, Zone: e.Get("TZ")})
		if err != nil {
			return err
		}
		if o.json {
			return console.WriteJSON(e.Stdout, list)
		}
		return printNext(e, list.Workfiles[0], time.Now())
	})
	cmd.Flags().IntVarP(&o.most, "lines", "n", 5, "`N` instants of each trigger")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func newTriggerFire(e *env) *cobra.Command {
	o := &triggerOptions{}
	on, node, body, event := "", "", "", ""
	cmd := triggerCommand(e, &cobra.Command{
		Use:   "fire [FILE]",
		Short: "Start the run of an enabled trigger now",
		Long: `Fire starts the run that a trigger would start, with the same environment and parameters, now. It
changes nothing about the instants of the trigger. A trigger that waits for files gets those that
match now, also if a run had them, at most as many as one run gets; a webhook gets --body. A workfile
with several triggers needs --on or --node.`,
		Example: `  wf trigger fire
  wf trigger fire --body push.json --event push
  wf trigger fire --on 'every: 10m'`,
	}, o, func(ctx context.Context, e *env, path string) error {
		q := api.TriggerNow{Path: path, TriggerLine: api.TriggerLine{On: strings.Join(strings.Fields(on), " ")}}
		if body != "" {
			var err error
			if q.Body, err = readBody(e, body); err != nil {
				return err
			}
			q.Event = event
		}
		return e.connected(ctx, func(c *client.Client) error {
			if on != "" || node != "" {
				list, err := c.Triggers(ctx, api.TriggersQuery{Path: path})
				if err != nil {
					return err
				}
				if q.TriggerLine, err = chooseTrigger(list.Workfiles[0], q.On, node); err != nil {
					return err
				}
			}
			acc, err := c.FireTrigger(ctx, q)
			switch {
			case err != nil:
				return err
			case acc.Queued != "":
				fmt.Fprintf(e.Stderr, "waits in the queue as %s\n", plain.Line(acc.Queued))
			default:
				fmt.Fprintln(e.Stdout, plain.Line(acc.Run))
			}
			return nil
		})
	})
	cmd.Flags().StringVar(&on, "on", "", "the `LINE` of the trigger, as wf trigger ls shows it")
	cmd.Flags().StringVar(&node, "node", "", "the `NODE` that has the trigger")
	cmd.Flags().StringVar(&body, "body", "", "what a sender of a webhook would send: the content of `BODYFILE`; - is standard input")
	cmd.Flags().StringVar(&event, "event", "", "with --body: the `EVENT` that the sender would name")
	return cmd
}

// chooseTrigger returns the trigger with a line and a node, "" for any.
func chooseTrigger(w api.TriggerWorkfile, on, node string) (chosen api.TriggerLine, err error) {
	found := 0
	for _, t := range w.Triggers {
		if (on == "" || t.On == on) && (node == "" || t.Name == node || t.Node == node) {
			chosen = api.TriggerLine{On: t.On, Node: t.Node}
			found++
		}
	}
	switch {
	case found == 1:
		return chosen, nil
	case found > 1 && on == "":
		return chosen, exit.Usage("the node %q has several triggers: add --on", node)
	case found > 1:
		return chosen, exit.Usage("several nodes have the trigger %q: add --node", on)
	case on == "":
		return chosen, exit.Usage("no trigger of a node %q: wf trigger ls shows them", node)
	}
	return chosen, exit.Usage("no trigger %q: wf trigger ls shows them", on)
}

func newTriggerLog(e *env) *cobra.Command {
	o := &triggerOptions{}
	cmd := triggerCommand(e, &cobra.Command{
		Use:         "log [FILE]",
		Short:       "Show what came of the triggers: runs, refusals and skipped instants",
		Annotations: map[string]string{missingFile: "yes"},
		Example: `  wf trigger log
  wf trigger log --json | jq -r '.fires[] | select(.result == "refused") | .why'`,
	}, o, func(ctx context.Context, e *env, path string) error {
		var log api.TriggerLog
		err := e.connected(ctx, func(c *client.Client) (err error) {
			log, err = c.TriggerLog(ctx, path)
			return err
		})
		if err != nil {
			return err
		}
		if o.most < 0 {
			return exit.Usage("-n %d: must not be negative", o.most)
		}
		if n := len(log.Fires); o.most > 0 && n > o.most {
			log.Fires = log.Fires[n-o.most:]
		}
		if o.json {
			return console.WriteJSON(e.Stdout, log)
		}
		if len(log.Fires) == 0 {
			fmt.Fprintln(e.Stderr, "nothing has happened yet")
		}
		var t console.Table
		for _, f := range log.Fires {
			t.Row(localTime(f.Instant), plain.Line(f.On), fireText(f))
		}
		return t.Write(e.Stdout)
	})
	cmd.Flags().IntVarP(&o.most, "lines", "n", 20, "only the newest `N` entries; 0 is all that are kept, about a hundred")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}
