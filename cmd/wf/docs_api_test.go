package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAPIExamples executes the examples of docs/api.md one after the other: each builds on those before it.
func TestAPIExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a daemon")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl")
	}
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	script := "set -eu\n"
	for _, example := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		script += example[1] + "echo; echo ----\n"
	}
	bin, home := buildProgram(t), ""
	if home, err = os.MkdirTemp("", "wf"); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	vars := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "WF_RUNTIME_DIR="+filepath.Join(home, "run"), "WF_STATE_DIR="+filepath.Join(home, "state"))
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = home, vars
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return string(out)
	}
	defer run(filepath.Join(bin, "wf"), "server", "stop", "--cancel")
	parts := strings.Split(run("sh", "-c", script), "----\n")
	wants := []string{`started: pid`, `"protocol":"v1"`, `"protocol":"v1"`, `"workfile":"` + home, "hello", "1"}
	if len(parts) != len(wants)+1 {
		t.Fatalf("%d parts: %q", len(parts), parts)
	}
	for i, want := range wants {
		if !strings.Contains(parts[i], want) {
			t.Errorf("example %d: %q is not in\n%s", i+1, want, parts[i])
		}
	}
	if last := strings.Fields(parts[len(wants)-1]); last[len(last)-1] != "1" {
		t.Errorf("the last example printed %q", last)
	}
}
