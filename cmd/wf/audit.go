package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon/audit"
	"wf/tui/plain"
	"wf/tui/words"
)

// auditOptions are the flags of audit and its sub-command.
type auditOptions struct {
	file  string
	since string
	most  int
	json  bool
	head  string
}

func newAudit(e *env) *cobra.Command {
	o := &auditOptions{}
	cmd := &cobra.Command{
		Use: "audit [FILE]",
		Long: `Audit lists who asked for runs, stops, edits, undo, decisions, resets, removed runs, moved and new
workfiles, sizes of pools, tests and changes of notifications, stops of the daemon and takeovers, the
newest last, also if the request was refused. With FILE it lists what concerns this workfile. It needs
no daemon.

The daemon appends each action to the file audit.jsonl in the state folder before it answers the
client. User, address and command are what the client says; the user id and the process are what
the kernel says. Commands, values, outputs and environments are not in it. Each line contains the
hash of the line before: wf audit verify finds lines that were changed or removed.`,
		Example: `  wf audit
  wf audit align.graphml --since 7d
  wf audit -n 0 --json | jq -r '.entries[] | select(.action == "run") | .who.said.user'
  wf audit verify`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &o.file, args); err != nil {
				return err
			}
			return o.list(e)
		},
	}
	cmd.Flags().StringVarP(&o.file, "file", "f", "", "only what concerns the workfile `FILE`, which need not exist any more")
	cmd.Flags().StringVar(&o.since, "since", "", "only entries that are not older than this `AGE`, such as 30d or 12h")
	cmd.Flags().IntVarP(&o.most, "lines", "n", 50, "only the newest `N` entries; 0 is all")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	noun(cmd, newAuditVerify(e))
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && (e.isWorkfile(args[0]) || strings.ContainsAny(args[0], "/.")) {
			return nil
		}
		return nounArgs(cmd, args)
	}
	return cmd
}

func newAuditVerify(e *env) *cobra.Command {
	o := &auditOptions{}
	cmd := &cobra.Command{
		Use:   "verify [LOG…]",
		Short: "Find lines of the audit log that were changed or removed",
		Long: `Verify follows the chain of hashes through the audit logs of the state folder, or through the files
LOG, and prints for each the number of entries and its head, the hash of the last one. It names the
first line that is wrong, and ends with status 1 if there is one.

A chain does not show if lines at its end were removed, or if the whole file was written again. To
find that out, store a head on another machine and compare it later with --head: it must still be
the hash of a line.`,
		Example: `  wf audit verify
  wf audit verify --json | jq -r '.logs[].head' | ssh vault 'cat >> heads'
  wf audit verify --head 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return o.verify(e, args) },
	}
	cmd.Flags().StringVar(&o.head, "head", "", "fail unless a line has this `HASH`")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// auditEntry is an entry in the JSON of wf audit.
type auditEntry struct {
	audit.Entry
	Hash string `json:"hash"`
	Log  string `json:"log"` // path of the file
}

// auditProblem is a damaged log in the JSON of wf audit.
type auditProblem struct {
	Log string `json:"log"`
	audit.Problem
}

// auditList is the JSON of wf audit.
type auditList struct {
	Schema   string         `json:"schema"`
	Entries  []auditEntry   `json:"entries"`
	Problems []auditProblem `json:"problems,omitempty"`
}

// logs returns the paths of the audit logs.
func (o *auditOptions) logs(e *env) ([]string, error) {
	if err := e.needDaemon(""); err != nil {
		return nil, err
	}
	return audit.Paths(settings.FoldersOf(&e.Console).State)
}

func (o *auditOptions) list(e *env) error {
	if o.most < 0 {
		return exit.Usage("-n %d: must not be negative", o.most)
	}
	age, err := settings.ParseAge(o.since)
	if err != nil {
		return err
	}
	paths, err := o.logs(e)
	if err != nil {
		return err
	}
	list := auditList{Schema: api.SchemaAudit, Entries: []auditEntry{}}
	wanted := o.wanted(e, age)
	for _, path := range paths {
		var found []auditEntry
		sum, err := audit.Read(path, func(entry audit.Entry) {
			if !wanted(entry) {
				return
			}
			if o.most > 0 && len(found) == 2*o.most {
				found = append(found[:0], found[o.most:]...)
			}
			found = append(found, auditEntry{entry, entry.Hash, path})
		})
		if err != nil {
			return err
		}
		list.Entries = append(list.Entries, found...)
		if sum.Problem != nil {
			list.Problems = append(list.Problems, auditProblem{path, *sum.Problem})
		}
	}
	if len(paths) > 1 { // one log has the order of its chain, also if the clock was set back
		slices.SortStableFunc(list.Entries, func(a, b auditEntry) int { return a.Time.Compare(b.Time) })
	}
	if n := len(list.Entries); o.most > 0 && n > o.most {
		list.Entries = list.Entries[n-o.most:]
	}
	return o.print(e, list)
}

// wanted returns the filter of the flags.
func (o *auditOptions) wanted(e *env, age time.Duration) func(audit.Entry) bool {
	var names []string
	if o.file != "" {
		names = append(names, e.Abs(o.file))
		if real, err := filepath.EvalSymlinks(names[0]); err == nil {
			names = append(names, real)
		}
	}
	since := time.Now().Add(-age)
	return func(entry audit.Entry) bool {
		return (len(names) == 0 || slices.Contains(names, entry.Workfile)) && (age == 0 || !entry.Time.Before(since))
	}
}

func (o *auditOptions) print(e *env, list auditList) error {
	if o.json {
		return console.WriteJSON(e.Stdout, list)
	}
	var t console.Table
	for _, entry := range list.Entries {
		t.Row(entry.Time.Local().Format(time.DateTime), whoText(entry.Entry), plain.Line(entry.Action), whatText(e, entry.Entry))
	}
	if len(list.Entries) == 0 {
		fmt.Fprintln(e.Stderr, "the audit log has no such entries")
	}
	err := t.Write(e.Stdout)
	for _, p := range list.Problems {
		fmt.Fprintf(e.Stderr, "note: line %d of %s is wrong: %s (wf audit verify)\n", p.Line, plain.Line(p.Log), plain.Line(p.Text))
	}
	return err
}

// whoText returns who did it: the user with the address or the command of a run.
func whoText(entry audit.Entry) string {
	who := entry.Who
	said := who.Said
	if said == nil {
		said = &audit.Said{}
	}
	text := said.User
	switch {
	case who.Via == audit.ViaDaemon:
		text = "daemon"
	case text == "" && who.UID != nil:
		text = fmt.Sprintf("uid %d", *who.UID)
	case text == "":
		text = "?"
	}
	switch {
	case said.Node != "":
		text += fmt.Sprintf(" (node %s of run %s)", said.Node, said.Run)
	case said.SSH != "":
		text += " (ssh from " + said.SSH + ")"
	case said.Host != "":
		text += " (" + said.Host + ")"
	case who.Via == audit.ViaTrigger:
		text += " (trigger)"
	case who.Via == audit.ViaPort:
		text += " (port)"
	}
	return plain.Line(text)
}

// whatText returns what was asked for, and what came of it.
func whatText(e *env, entry audit.Entry) string {
	var parts []string
	if entry.Workfile != "" {
		parts = append(parts, e.rel(entry.Workfile))
	}
	switch {
	case strings.HasPrefix(entry.Run, "q"):
		parts = append(parts, entry.Run)
	case strings.Contains(entry.Run, ","):
		parts = append(parts, "runs "+entry.Run)
	case entry.Run != "" && entry.Run != api.OnlyRun:
		parts = append(parts, "run "+entry.Run)
	}
	text := strings.Join(parts, " ")
	if len(entry.Nodes) > 0 {
		text += ": " + strings.Join(entry.Nodes, " ")
	}
	if entry.Detail != "" {
		text += " (" + entry.Detail + ")"
	}
	if entry.Error != "" {
		text += "; refused: " + entry.Error
	}
	return plain.Line(strings.TrimSpace(text))
}

func (o *auditOptions) verify(e *env, args []string) error {
	if o.head != "" && (len(o.head) != len(audit.Origin) || strings.Trim(o.head, "0123456789abcdef") != "") {
		return exit.Usage("--head %s: a head has %d hexadecimal digits", o.head, len(audit.Origin))
	}
	paths, err := o.logs(e)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		paths = nil
		for _, arg := range args {
			paths = append(paths, e.Abs(arg))
		}
	}
	rep, err := audit.Verify(paths, o.head)
	if err != nil {
		return err
	}
	if o.json {
		err = console.WriteJSON(e.Stdout, struct {
			Schema string `json:"schema"`
			audit.Report
		}{api.SchemaAuditVerify, rep})
	} else {
		err = printAuditReport(e, rep)
	}
	if err == nil && !rep.OK {
		return exit.With(exit.Failed)
	}
	return err
}

func printAuditReport(e *env, rep audit.Report) error {
	p := e.OutPaint()
	for _, sum := range rep.Logs {
		fmt.Fprintf(e.Stdout, "%s\n", plain.Line(e.rel(sum.Path)))
		if sum.Entries > 0 {
			fmt.Fprintf(e.Stdout, "  %s, %s to %s\n  head %s\n", words.Plural(int(sum.Entries), "line"),
				sum.From.Local().Format(time.DateTime), sum.Until.Local().Format(time.DateTime), sum.Head)
		}
		for _, r := range sum.Remarks {
			fmt.Fprintf(e.Stdout, "  line %d, %s: %s (%s)\n", r.Line, r.Time.Local().Format(time.DateTime), plain.Line(r.Detail), plain.Line(r.Action))
		}
		switch {
		case sum.OK:
			fmt.Fprintf(e.Stdout, "  %s every line continues the line before\n", p.Either("✓", "ok:"))
		case sum.More > 0:
			fmt.Fprintf(e.Stdout, "  %s line %d: %s; %s\n", p.Either("✗", "wrong:"), sum.Problem.Line, sum.Problem.Text, words.Plural(sum.More, "further problem"))
		default:
			fmt.Fprintf(e.Stdout, "  %s line %d: %s\n", p.Either("✗", "wrong:"), sum.Problem.Line, sum.Problem.Text)
		}
		if sum.HeadLine > 0 {
			fmt.Fprintf(e.Stdout, "  the given head is line %d, %s before the last\n", sum.HeadLine, words.Plural(int(sum.Entries-sum.HeadLine), "line"))
		}
	}
	if len(rep.Logs) == 0 {
		fmt.Fprintln(e.Stderr, "there is no audit log yet")
	}
	if rep.NoHead != "" {
		fmt.Fprintf(e.Stdout, "%s %s\n", p.Either("✗", "wrong:"), rep.NoHead)
	}
	return nil
}

// auditTakeover adds a takeover to the audit log: no daemon takes part in it.
func auditTakeover(e *env, what, host string, kv bool) {
	uid, o := os.Getuid(), originOf(e)
	entry := audit.Entry{Action: "takeover", Detail: "from " + host, Who: audit.Who{Via: audit.ViaFiles, UID: &uid, PID: os.Getpid(),
		Said: &audit.Said{User: e.User(), Command: o.Command, SSH: o.SSH, Workfile: o.Workfile, Run: o.Run, Node: o.Node}}}
	if entry.Workfile = e.workpath; kv {
		entry.Workfile, entry.Detail = "", what+" "+entry.Detail
	}
	log := audit.New(settings.FoldersOf(&e.Console).State, nil, slog.New(slog.NewTextHandler(e.Stderr, nil)))
	log.Add(entry)
	log.Close("")
}
