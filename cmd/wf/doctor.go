package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
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

func newDoctor(e *env) *cobra.Command {
	asJSON, file := false, ""
	cmd := &cobra.Command{
		Use:   "doctor [FILE]",
		Short: "Show the settings, and find common problems",
		Long: `Doctor prints every setting and where its value comes from. Then it looks for problems that
make runs fail or end early: folders, disks, limits, the daemon, the system. Each problem is
printed with a remedy. Doctor changes nothing and starts nothing. Exit status 1 means that
something needs attention.`,
		Example: `  wf doctor
  wf doctor --json | jq -r '.findings[] | select(.level != "ok") | .message'`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &file, args); err != nil {
				return err
			}
			if file == "" {
				file = defaultWorkfile
			}
			return examine(cmd.Context(), e, e.Abs(file), asJSON)
		},
	}
	fileFlag(cmd, &file, "f")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// examine prints the diagnosis. Its error has the exit status 1 if there is a problem.
func examine(ctx context.Context, e *env, workfile string, asJSON bool) error {
	d := &doctor{e: e, m: thisMachine(), workfile: workfile, dirs: e.folderPaths()}
	d.examine(ctx)
	report := diagnosis{Schema: api.SchemaDoctor, OK: true, Version: d.m.version,
		System: runtime.GOOS + "/" + runtime.GOARCH, Settings: d.settings, Findings: d.findings}
	for _, f := range d.findings {
		report.OK = report.OK && f.Level != levelProblem
	}
	var err error
	if asJSON {
		err = console.WriteJSON(e.Stdout, report)
	} else {
		err = printDiagnosis(e.Stdout, e.OutPaint(), report)
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
	e        *env
	m        machine
	workfile string  // absolute; it need not exist
	dirs     folders // not checked; "" if unknown
	settings []settingReport
	findings []finding
}

// examine makes all checks. They do not depend on each other.
func (d *doctor) examine(ctx context.Context) {
	d.lookAtSettings()
	d.lookAtVariables()
	d.lookAtFolders()
	d.lookAtDisks()
	d.lookAtWorkfile()
	d.lookAtDaemon(ctx)
	d.lookAtHistory()
	d.lookAtLimits()
	d.lookAtLocale()
	d.lookAtPrograms()
	d.lookAtSystem()
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
