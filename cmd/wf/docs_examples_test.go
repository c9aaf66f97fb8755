package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wf/api"
	"wf/cmd/wf/exit"
)

// TestControlFlowExamples pastes every example of docs/control-flow.md into a shell in a new folder. wf check finds no
// problem in the workfile, and its last run ends like the comment below the example: see patternEnd.
func TestControlFlowExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a daemon")
	}
	text, err := os.ReadFile("../../docs/control-flow.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := docsExample.FindAllStringSubmatch(string(text), -1)
	if all := strings.Count(string(text), "```sh\n"); len(examples) == 0 || len(examples) != all {
		t.Fatalf("%d of %d examples have an expected end", len(examples), all)
	}
	w := newPatternSandbox(t)
	for _, example := range examples {
		lines := shellLines(example[2])
		t.Run(sectionOf(string(text), example[0]), func(t *testing.T) {
			p := &patternRun{t: t, w: w, dir: t.TempDir(), expect: readExpectation(t, example[3])}
			p.paste(lines)
			p.check()
			p.compare()
		})
	}
}

// docsExample matches a block of shell commands with the comment about its end.
var docsExample = regexp.MustCompile("(?s)(```sh\n(.*?)```\n(<!-- expect:.*?-->))")

// sectionOf returns the heading above a part of a page.
func sectionOf(page, part string) string {
	before, _, _ := strings.Cut(page, part)
	at := strings.LastIndex(before, "\n#")
	heading, _, _ := strings.Cut(before[at+1:], "\n")
	return strings.Trim(heading, "# ")
}

// shellLines returns the commands of an example. A command with an open quote continues in the next line.
func shellLines(text string) []string {
	var commands []string
	open := ""
	for line := range strings.Lines(text) {
		open += line
		if strings.Count(open, "'")%2 == 0 {
			commands, open = append(commands, strings.TrimSpace(open)), ""
		}
	}
	return append(commands, strings.TrimSpace(open))[:len(commands)]
}

// paste executes the lines of an example. Commands that answer an approval are executed while the run before them waits.
// The output of a line must match the example.
func (p *patternRun) paste(lines []string) {
	p.t.Helper()
	last := 0
	for i, line := range lines {
		if isRun(line) {
			last = i
		}
	}
	for i := 0; i < len(lines); i++ {
		line, prints, says := strings.Cut(lines[i], "# prints ")
		if !isRun(line) {
			if out := p.shell(line); says && strings.TrimSpace(out) != strings.TrimSpace(prints) {
				p.t.Errorf("%s\nprints %q, not %q", line, out, prints)
			}
			continue
		}
		answers := i
		for answers+1 < len(lines) && isAnswer(lines[answers+1]) {
			answers++
		}
		if answers > i {
			p.expect.args = p.words(line)[2:]
			for _, answer := range lines[i+1 : answers+1] {
				words := p.words(answer)
				p.expect.steps = append(p.expect.steps, step{verb: words[1], node: words[2], args: words[3:]})
			}
			p.run()
			i = answers
			continue
		}
		out, code := p.exit(line)
		if want := map[bool]int{true: exit.OK, false: exit.Failed}[p.expect.result == api.Succeeded]; code != want && i == last || code > exit.Failed {
			p.t.Fatalf("%s\nends with %d\n%s", line, code, out)
		}
	}
}

func isRun(line string) bool { return line == "wf run" || strings.HasPrefix(line, "wf run ") }

func isAnswer(line string) bool {
	return strings.HasPrefix(line, "wf approve ") || strings.HasPrefix(line, "wf reject ")
}

// exit executes a line with a shell and returns its output and exit status.
func (p *patternRun) exit(line string) (string, int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = p.dir, p.w.vars
	out, err := cmd.CombinedOutput()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		p.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// shell executes a line that must succeed.
func (p *patternRun) shell(line string) string {
	p.t.Helper()
	out, code := p.exit(line)
	if code != 0 {
		p.t.Fatalf("%s\nends with %d\n%s", line, code, out)
	}
	return out
}

// words splits a command like a shell.
func (p *patternRun) words(line string) []string {
	return strings.Split(strings.TrimSuffix(p.shell(`printf '%s\n' `+line), "\n"), "\n")
}

// newPatternSandbox returns a sandbox with a program and a daemon, which end with the test.
func newPatternSandbox(t *testing.T) *sandbox {
	home, err := os.MkdirTemp("", "wf") // a short path, for the socket
	if err != nil {
		t.Fatal(err)
	}
	w := &sandbox{home: home, bin: buildProgram(t)}
	w.vars = append(os.Environ(), "PATH="+w.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home, "LANG=C.UTF-8",
		"WF_RUNTIME_DIR="+filepath.Join(home, "run"), "WF_STATE_DIR="+filepath.Join(home, "state"), "GORACE=halt_on_error=1 atexit_sleep_ms=0")
	t.Cleanup(func() {
		if err := w.end(); err != nil {
			t.Error(err)
		}
	})
	return w
}
