package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"wf/cmd/wf/exit"
	"wf/remote"
	"wf/tui/plain"
)

func newHostInstall(e *env) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "install [MACHINE]",
		Short: "Copy wf to a machine, into ~/.local/bin",
		Long: `Install copies this program with ssh to ~/.local/bin/wf of a machine, where wf --host finds it. It asks
first. The machine must have the same system and processor as this one.`,
		Example: `  wf host install hpc
  wf host install --yes ssh://me@server`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := namedMachine(e, args)
			if err != nil {
				return err
			}
			return m.install(cmd.Context(), yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// install copies this program to a machine.
func (m *machine) install(ctx context.Context, yes bool) error {
	e := m.e
	program, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := m.ssh(ctx, nil, remote.LoginScript("uname -sm; wf version 2>/dev/null || ~/.local/bin/wf version 2>/dev/null; true"))
	if err != nil {
		return err
	}
	system, _, _ := strings.Cut(lastMatch(out, func(line string) bool { return systemOf(line) != "" }), "\n")
	here := runtime.GOOS + "/" + runtime.GOARCH
	if there := systemOf(system); there != here {
		return &exit.Failure{Status: exit.BadUsage, What: m.name + " is of another kind: " + plain.Line(system), Why: "this program is for " + here,
			Fix: "build wf for that machine and copy it to ~/.local/bin there"}
	}
	present := lastMatch(out, func(line string) bool { return strings.HasPrefix(line, "wf ") })
	question := fmt.Sprintf("copy wf %s to ~/.local/bin/wf on %s", version(), m.name)
	if present != "" {
		question += " (there is " + plain.Line(present) + ")"
	}
	if !yes {
		if !e.Interactive() {
			return &exit.Failure{Status: exit.BadUsage, What: "this would " + question, Why: "nobody can be asked here", Fix: "add --yes"}
		}
		fmt.Fprintf(e.Stderr, "%s? [y/N] ", question)
		if answer, err := readLine(e.Stdin); err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
			return errors.Join(err, exit.With(exit.Stopped))
		}
	}
	printed, err := m.copyProgram(ctx, program)
	if err != nil {
		return err
	}
	if opt, err := m.options(); err == nil {
		_ = remote.Disconnect(ctx, opt) // the next command uses the new program
	}
	fmt.Fprintf(e.Stderr, "installed wf %s on %s\n", version(), m.name)
	return m.notePath(printed)
}

// copyScript replaces a program, which may be executed at the moment, by a copy of standard input, if that has the right size
// and can be executed: when the connection breaks, the input just ends. Then it prints which program a login finds.
const copyScript = `set -e; mkdir -p ~/.local/bin; new=$(mktemp ~/.local/bin/.wf.XXXXXX); trap "rm -f $new" EXIT; trap "exit 1" HUP INT TERM; ` +
	`cat > $new; test $(wc -c < $new) -eq %d || { echo the copy is not complete >&2; exit 1; }; chmod 755 $new; $new version >/dev/null; mv -f $new ~/.local/bin/wf; ` +
	`echo wf-path=$(command -v wf); echo wf-home=$HOME`

// copyProgram copies a program to ~/.local/bin/wf there, and returns what copyScript has printed.
func (m *machine) copyProgram(ctx context.Context, program string) (printed string, err error) {
	f, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	return m.ssh(ctx, f, remote.LoginScript(fmt.Sprintf(copyScript, info.Size())))
}

// notePath says which wf a login there finds, if that is not the installed one.
func (m *machine) notePath(printed string) error {
	value := func(key string) string {
		line := lastMatch(printed, func(line string) bool { return strings.HasPrefix(line, key+"=") })
		return plain.Line(strings.TrimPrefix(line, key+"="))
	}
	switch found := value("wf-path"); found {
	case value("wf-home") + "/.local/bin/wf":
	case "":
		fmt.Fprintf(m.e.Stderr, "note: ~/.local/bin is not in the PATH of a login there: wf --host finds wf, but your shell there does not\n")
	default:
		return &exit.Failure{Status: exit.Daemon, What: "wf --host still uses " + found + " on " + m.name, Why: "it comes before ~/.local/bin in the PATH of a login there",
			Fix: "remove it, or put ~/.local/bin first, for instance in ~/.profile there"}
	}
	return nil
}

// sshFailed is the exit status of ssh when it has not executed the command.
const sshFailed = 255

// ssh executes a script of sh on a machine, which a person may have to log in to.
func (m *machine) ssh(ctx context.Context, in *os.File, script string) (string, error) {
	cmd := exec.CommandContext(ctx, "ssh", m.SSHArgs("exec sh -c '"+script+"'")...)
	var messages bytes.Buffer // ssh asks on the terminal itself
	cmd.Stderr = &messages
	if in != nil {
		cmd.Stdin = in
	}
	out, err := cmd.Output()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.ExitCode() == sshFailed:
		return "", m.explain(remote.SSHError(m.Machine(), messages.String()))
	case err != nil:
		return "", &exit.Failure{Status: exit.Daemon, What: "ssh to " + m.name + " failed", Why: cmp.Or(lastLine(plain.Text(messages.String())), err.Error()),
			Fix: "try it: " + m.sshCommand()}
	}
	return string(out), nil
}

// lastMatch returns the last line that matches: a login may print others.
func lastMatch(text string, match func(line string) bool) string {
	found := ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); match(line) {
			found = line
		}
	}
	return found
}

// systemOf returns the system and processor of uname -sm in the words of Go, or "".
func systemOf(uname string) string {
	system, processor, _ := strings.Cut(uname, " ")
	systems := map[string]string{"Linux": "linux", "Darwin": "darwin"}
	processors := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64", "riscv64": "riscv64", "ppc64le": "ppc64le", "s390x": "s390x"}
	if systems[system] == "" || processors[processor] == "" {
		return ""
	}
	return systems[system] + "/" + processors[processor]
}
