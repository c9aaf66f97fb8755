package proc

import (
	"os"
	"slices"
	"testing"
)

// TestEnvironmentDuringExec reads the environment of a process that executes its program again and again.
func TestEnvironmentDuringExec(t *testing.T) {
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", `exec sh -c "$0" "$0"`, `exec sh -c "$0" "$0"`},
		&os.ProcAttr{Env: []string{"MARK=1", "PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { p.Kill(); p.Wait() }()
	for {
		if now, err := Read(p.Pid); err != nil {
			t.Fatal(err)
		} else if !now.BeforeExec {
			break
		}
	}
	for n := range 2000 {
		if env := Environment(p.Pid); !slices.Contains(env, "MARK=1") {
			t.Fatalf("reading %d shows the environment %q", n, env)
		}
	}
}
