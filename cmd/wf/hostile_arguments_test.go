package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHostileArguments passes control sequences in every kind of argument and variable and checks that no message prints
// them.
func TestHostileArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a daemon")
	}
	bin := buildProgram(t)
	home, err := os.MkdirTemp("", "wf") // a short path, for the socket
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"WF_RUNTIME_DIR=" + home + "/run", "WF_STATE_DIR=" + home + "/state"}
	w := &sandbox{home: home, bin: bin, vars: append(os.Environ(), own...)}
	t.Cleanup(func() {
		if err := w.end(); err != nil {
			t.Error(err)
		}
	})
	file := filepath.Join(home, "f"+hostile)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		variable string
		args     []string
	}{
		{"", []string{hostile}}, {"", []string{hostile, "x"}}, {"", []string{"help", hostile}}, {"", []string{"help", "run", hostile}},
		{"", []string{"completion", hostile}}, {"", []string{"completion", "bash", hostile}}, {"", []string{"__complete", hostile}},
		{"", []string{"run", "--" + hostile}}, {"", []string{"run", "-" + hostile}}, {"", []string{"run", hostile}}, {"", []string{"run", file}},
		{"", []string{"run", "--progress", hostile}}, {"", []string{"run", "--output", hostile}}, {"", []string{"run", "--env", hostile}},
		{"", []string{"run", "--jobs", hostile}}, {"", []string{"run", "--timeout", hostile}}, {"", []string{"status", "--color", hostile}},
		{"", []string{"check", file}}, {"", []string{"new", file}}, {"", []string{"new", home + "/" + hostile + "/x"}},
		{"", []string{"runs", hostile}}, {"", []string{"runs", "prune", "--older-than", hostile}}, {"", []string{"edit", hostile}},
		{"", []string{"server", hostile}}, {"", []string{"server", "start", "--host", hostile}}, {"", []string{"server", "start", "--port", hostile}},
		{"", []string{"server", "start", "--foreground", "--host", hostile}}, {"", []string{"server", "logs"}},
		{"WF_HOST=" + hostile, []string{"server", "start", "--foreground"}}, {"WF_PORT=" + hostile, []string{"server", "start"}},
		{"WF_SLOTS=" + hostile, []string{"server", "start"}}, {"WF_RUNTIME_DIR=" + file, []string{"server", "status"}},
		{"WF_STATE_DIR=" + file, []string{"server", "status"}}, {"WF_STATE_DIR=" + file, []string{"server", "logs"}},
	} {
		cmd := exec.Command(filepath.Join(bin, "wf"), tc.args...)
		cmd.Dir = home
		cmd.Env = append(slices.Clone(w.vars), tc.variable)
		out, _ := cmd.CombinedOutput() // nearly all are refused with a message
		if i := strings.IndexFunc(string(out), obeyed); i >= 0 {
			t.Errorf("%q wf %q prints, at byte %d:\n%q", tc.variable, tc.args, i, out)
		}
	}
}
