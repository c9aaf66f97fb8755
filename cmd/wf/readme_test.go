package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme pastes the example at the top of README.md into a shell. Every line must succeed with the expected output.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a daemon")
	}
	session := readmeExample(t)
	if lines := strings.Count(session, "\n"); lines != 10 {
		t.Errorf("the example has %d lines, not ten", lines)
	}
	home, err := os.MkdirTemp("", "wf") // a short path, for the socket
	if err != nil {
		t.Fatal(err)
	}
	w := &sandbox{home: home, bin: buildProgram(t)}
	work := t.TempDir()
	w.vars = append(os.Environ(), "PATH="+w.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+work, "LANG=C.UTF-8",
		"WF_RUNTIME_DIR="+filepath.Join(home, "run"), "WF_STATE_DIR="+filepath.Join(home, "state"), "COLUMNS=100")
	defer func() {
		if err := w.end(); err != nil {
			t.Error(err)
		}
	}()
	shell := exec.Command("sh", "-eux")
	shell.Dir, shell.Env, shell.Stdin = work, w.vars, strings.NewReader(session)
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"created demo.graphml: 3 nodes",
		"run 1 demo.graphml: 3 nodes",
		"✓ run 1  3 ok",
		"\n1\n", // the output of wc
		"✓ run 2  1 ok",
		"stopped the daemon",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the example does not print %q:\n%s", want, out)
		}
	}
}

// readmeExample returns the first block of shell commands in README.md.
func readmeExample(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```sh\n")
	session, _, ended := strings.Cut(after, "```")
	if !found || !ended {
		t.Fatal("README.md has no example")
	}
	return session
}
