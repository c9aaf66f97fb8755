// Package doctor is wf doctor: it checks settings, folders, disks, limits, the daemon and the system for common problems. It
// changes nothing and starts nothing.
package doctor

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/tui/plain"
	"wf/tui/words"
)

// Levels of findings.
const (
	levelOK      = "ok"
	levelNote    = "note"    // works, but may surprise
	levelProblem = "problem" // needs attention
)

// A finding is the result of one check.
type finding struct {
	Check   string `json:"check"`
	Level   string `json:"level"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// settingReport is the value of a setting and the place that it comes from.
type settingReport struct {
	Key      string `json:"key"`
	Value    string `json:"value"`
	Source   string `json:"source"`
	Variable string `json:"variable"`
}

// diagnosis is `wf doctor --json`.
type diagnosis struct {
	Schema   string          `json:"schema"`
	OK       bool            `json:"ok"`
	Version  string          `json:"version"`
	System   string          `json:"system"`
	Settings []settingReport `json:"settings"`
	Findings []finding       `json:"findings"`
}

// Options are what Run needs besides the console.
type Options struct {
	Workfile string // absolute; it need not exist
	JSON     bool
	Version  string // of this program

	// Reach connects to a running daemon; running is false if there is none.
	Reach func(ctx context.Context) (c *client.Client, running bool, err error)
	// Host asks another machine, by its name or address; nil asks none.
	Host func(ctx context.Context, name string) (HostState, error)
}

// Run makes all checks and prints the findings. Its error has the exit status 1 if there is a problem.
func Run(ctx context.Context, c *console.Console, opt Options) error {
	d := &doctor{c: c, m: thisMachine(opt.Version), reach: opt.Reach, host: opt.Host, workfile: opt.Workfile, dirs: settings.FoldersOf(c)}
	d.examine(ctx)
	report := diagnosis{Schema: api.SchemaDoctor, OK: true, Version: d.m.version,
		System: runtime.GOOS + "/" + runtime.GOARCH, Settings: d.settings, Findings: d.findings}
	for i, f := range d.findings {
		d.findings[i].Fix = c.Advice(f.Fix)
		report.OK = report.OK && f.Level != levelProblem
	}
	var err error
	if opt.JSON {
		err = console.WriteJSON(c.Stdout, report)
	} else {
		err = printDiagnosis(c.Stdout, c.OutPaint(), report)
	}
	if err == nil && !report.OK {
		return exit.With(exit.Failed)
	}
	return err
}

// printDiagnosis prints the diagnosis as a text, problems last.
func printDiagnosis(w io.Writer, p console.Paint, d diagnosis) error {
	fmt.Fprintf(w, "wf %s, %s\n\nsettings\n", plain.Line(d.Version), d.System)
	var t console.Table
	for _, s := range d.Settings {
		t.Row("  "+s.Key, plain.Line(s.Value), plain.Line(s.Source))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nchecks")
	problems := 0
	for _, level := range []string{levelOK, levelNote, levelProblem} {
		for _, f := range d.Findings {
			if f.Level != level {
				continue
			}
			sign := p.Glyph(api.StateOK)
			switch level {
			case levelNote:
				sign = p.Strong("!")
			case levelProblem:
				sign = p.Glyph(api.StateFailed)
				problems++
			}
			fmt.Fprintf(w, "  %s %-9s %s\n", sign, f.Check, plain.Line(f.Message))
			if f.Fix != "" {
				fmt.Fprintf(w, "              fix: %s\n", plain.Line(f.Fix))
			}
		}
	}
	verdict := "all is well"
	if problems > 0 {
		verdict = words.Plural(problems, "problem") + " to fix"
	}
	_, err := fmt.Fprintf(w, "\n%s\n", verdict)
	return err
}

// A doctor makes all checks and collects the findings.
type doctor struct {
	c        *console.Console
	m        machine
	reach    func(ctx context.Context) (c *client.Client, running bool, err error)
	host     func(ctx context.Context, name string) (HostState, error) // see Options
	workfile string                                                    // absolute; it need not exist
	dirs     settings.Folders                                          // not checked; "" if unknown
	settings []settingReport
	findings []finding
}

// examine makes all checks. They do not depend on each other.
func (d *doctor) examine(ctx context.Context) {
	d.checkSettings()
	d.checkVariables()
	d.checkFolders()
	d.checkDisks()
	d.checkWorkfile()
	d.checkExecutors(ctx)
	d.checkDaemon(ctx)
	d.checkService()
	d.checkNotifications()
	d.checkHistory()
	d.checkAudit()
	d.checkFences()
	d.checkHosts(ctx)
	d.checkLimits()
	d.checkLocale()
	d.checkPrograms()
	d.checkSystem()
}

func (d *doctor) add(check, level, fix, format string, args ...any) {
	d.findings = append(d.findings, finding{Check: check, Level: level, Message: fmt.Sprintf(format, args...), Fix: fix})
}

func (d *doctor) ok(check, format string, args ...any) { d.add(check, levelOK, "", format, args...) }

func (d *doctor) note(check, fix, format string, args ...any) {
	d.add(check, levelNote, fix, format, args...)
}

func (d *doctor) problem(check, fix, format string, args ...any) {
	d.add(check, levelProblem, fix, format, args...)
}

// failed adds an error as a problem, with the fix that the error contains.
func (d *doctor) failed(check string, err error) {
	f := exit.Describe(err)
	text := f.What
	if f.Where != "" {
		text += " (" + f.Where + ")"
	}
	if f.Why != "" {
		text += ": " + f.Why
	}
	d.problem(check, f.Fix, "%s", text)
}
