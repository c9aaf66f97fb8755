package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestRealQuestions answers what ssh asks: whether the key of a machine is right, and the passphrase of a key.
func TestRealQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("starts sshd and daemons")
	}
	l := newLoopback(t, loopbackSetup{more: fewSessions})
	dir := filepath.Dir(l.far)
	l.must(exec.Command("ssh-keygen", "-q", "-p", "-N", "open sesame", "-f", filepath.Join(dir, "user")))
	l.must(exec.Command("rm", filepath.Join(dir, "known")))

	// Without a terminal, ssh cannot ask: first about the host key, then about the passphrase of the key.
	out, err := l.command("--host", "ssh://box", "version").CombinedOutput()
	if statusOf(err) != 4 || !strings.Contains(string(out), "the host key of ssh://box is not known yet") || !strings.Contains(string(out), "no terminal to answer on") {
		t.Errorf("an unknown host: %v\n%s", err, out)
	}

	cmd := l.command("--host", "ssh://box", "version")
	cmd.Env = append(slices.Clone(cmd.Env), "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 110})
	if err != nil {
		t.Fatal(err)
	}
	screen := newEmulator(110, 30)
	copied := make(chan struct{})
	go func() {
		_, _ = io.Copy(screen, tty)
		close(copied)
	}()
	answerOn(t, screen, tty, "continue connecting (yes/no", "yes\r")
	answerOn(t, screen, tty, "Enter passphrase for key", "open sesame\r")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, screen.text())
	}
	<-copied
	if text := screen.text(); !strings.Contains(text, "wf (devel)") && !strings.Contains(text, "\nwf ") || strings.Contains(text, "sesame") {
		t.Errorf("the screen:\n%s", text)
	}

	// The connection is kept, so the next command needs no terminal; after it is closed, it does.
	l.must(l.command("--host", "ssh://box", "version"))
	l.must(l.command("host", "disconnect", "ssh://box"))
	out, err = l.command("--host", "ssh://box", "version").CombinedOutput()
	if statusOf(err) != 4 || !strings.Contains(string(out), "ssh://box refuses the login") || !strings.Contains(string(out), "ssh asks") {
		t.Errorf("a key with a passphrase: %v\n%s", err, out)
	}
}

// answerOn waits for a question and types the answer.
func answerOn(t *testing.T, screen *emulator, tty io.Writer, question, answer string) {
	t.Helper()
	if !await(func() bool { return strings.Contains(screen.text(), question) }) {
		t.Fatalf("no question %q:\n%s", question, screen.text())
	}
	if _, err := io.WriteString(tty, answer); err != nil {
		t.Fatal(err)
	}
}
