package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

func TestExitStatus(t *testing.T) {
	code := func(c api.Code) error { return fmt.Errorf("wrapped: %w", &api.Error{Code: c}) }
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("anything"), 4},
		{exit.With(0), 0},
		{exit.With(130), 130},
		{exit.Usage("typo"), 2},
		{&exit.Failure{Status: 3}, 3},
		{code(api.CodeWorkfile), 3},
		{code(api.CodeUnknownNode), 2},
		{code(api.CodeInvalid), 2},
		{code(api.CodeVersion), 4},
		{code(api.CodeGone), 4},
		{code(api.CodeConflict), 7},
		{code(api.CodeRefused), 4},
		{code(api.CodeNotFound), 2},
		{code(api.CodeLost), 4},
		{code(api.CodeInternal), 4},
		{exit.No(code(api.CodeNotFound)), 1},
		{&client.UnreachableError{}, 4},
	} {
		if got := exit.Status(c.err); got != c.want {
			t.Errorf("exitStatus(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}

func TestPrintError(t *testing.T) {
	var b bytes.Buffer
	e := &env{Console: console.Console{Stderr: &b}}
	printError(e, &api.Error{Code: api.CodeWorkfile, Message: "evil \x1b[2Jname", Where: "Workfile:3", Why: "two\nlines", Fix: "wf check"})
	want := "error: evil name\n  Workfile:3\n  two\n  lines\nfix: wf check\n"
	if b.String() != want {
		t.Errorf("got %q\nwant %q", b.String(), want)
	}
	b.Reset()
	printError(e, exit.With(1))
	if printError(e, nil); b.Len() > 0 {
		t.Errorf("printed %q for a nil error", b.String())
	}
}

// run executes a command line in an empty folder without a daemon.
func run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errOut bytes.Buffer
	e := &env{Console: console.Console{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errOut, Dir: t.TempDir(), Color: "auto"}}
	err := execute(e, args)
	printError(e, err)
	return out.String(), errOut.String(), exit.Status(err)
}

func TestUsageErrors(t *testing.T) {
	for line, want := range map[string]string{
		"rnu":                             "unknown command or file 'rnu': did you mean 'run'?",
		"xyzzy":                           "unknown command or file 'xyzzy'\n",
		"runs foo":                        "unknown command 'foo'",
		"server strat":                    "did you mean 'start'?",
		"help rnu":                        "did you mean 'run'?",
		"run --nope":                      "unknown flag: --nope",
		"run a b":                         "too many arguments: b",
		"run --progress loud":             "must be one of auto, inline, plain, none",
		"run --color sometimes":           "must be one of auto, always, never",
		"run -j -1":                       "--jobs -1",
		"run --env X":                     "must be KEY=VALUE",
		"run --grace -1s":                 "must not be negative",
		"run --json --output stream":      "--output stream cannot be used with --json",
		"run -d --dry-run":                "cannot be combined",
		"resume --nodes a":                "cannot be used with wf resume",
		"logs":                            "no node named",
		"logs --failed a":                 "cannot be combined with node names",
		"why":                             "too few arguments",
		"stop 1 --all":                    "cannot be combined with a number",
		"stop --now --grace 1s":           "cannot be combined",
		"edit type a b sometimes":         "must be blocking or non-blocking",
		"edit add-edge a b --type x":      "must be one of blocking, non-blocking",
		"new --chain":                     "needs --from-lines",
		"new --from make":                 "needs two names",
		"new a b":                         "too many arguments: b",
		"new --goal x":                    "needs --from make",
		"new a --from pdf b":              "must be one of dagu, dot, make, mermaid, nextflow, script, snakemake, wfcommons",
		"graph --format pdf":              "must be one of tree, text, dot, mermaid, json, svg, png",
		"graph --watch --format svg":      "--watch cannot be used with --format svg",
		"export":                          "no file to export to",
		"edit label a":                    "cannot ask whether to save",
		"runs prune --older 3x":           "must be like 30d",
		"server stop --wait --cancel":     "cannot be combined",
		"run Workfile --file Other":       "two workfiles",
		"":                                "standard output is not a terminal",
		"server start --foreground extra": "too many arguments",
	} {
		stdout, stderr, status := run(t, strings.Fields(line)...)
		if status != exit.BadUsage || !strings.Contains(stderr, want) || stdout != "" {
			t.Errorf("wf %s: status %d, stdout %q, stderr %q, want %q", line, status, stdout, stderr, want)
		}
	}
}

// TestMissingWorkfile checks that every command that needs a workfile names the missing file, without a daemon, which has no
// folders in this test.
func TestMissingWorkfile(t *testing.T) {
	for _, line := range []string{"run", "resume", "plan", "attach", "status", "stop", "ls", "logs a", "why a", "runs", "check", "reset",
		"edit undo", "edit add-node x", "edit label a --yes", "edit nodes a --yes", "graph", "export --yed x"} {
		_, stderr, status := run(t, strings.Fields(line)...)
		if status != exit.BadWorkfile || !strings.Contains(stderr, "fix: wf new Workfile\n") {
			t.Errorf("wf %s: status %d, %q", line, status, stderr)
		}
	}
}

// TestHelp checks that the help of every command has the common form.
func TestHelp(t *testing.T) {
	root := newRoot(&env{Console: console.Console{Stdout: os.Stdout, Stderr: os.Stderr}})
	commands := root.Commands()
	for i := 0; i < len(commands); i++ {
		cmd := commands[i]
		commands = append(commands, cmd.Commands()...)
		short := cmd.Short
		if short == "" || strings.ToUpper(short[:1]) != short[:1] || strings.HasSuffix(short, ".") {
			t.Errorf("%s: summary %q: a capital imperative without a full stop", cmd.CommandPath(), short)
		}
		if !cmd.Runnable() {
			t.Errorf("%s does nothing when called alone", cmd.CommandPath())
		}
	}
	stdout, _, status := run(t, "run", "--help")
	if status != 0 || !strings.Contains(stdout, "EXIT STATUS") || strings.Index(stdout, "Examples:") > strings.Index(stdout, "EXIT STATUS") {
		t.Errorf("wf run --help: %d %q", status, stdout)
	}
}
