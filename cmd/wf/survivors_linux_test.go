package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"wf/api"
	"wf/cmd/wf/exit"
)

// immortal is a program that its user cannot kill: it becomes root.
const immortal = `package main

import (
	"os"
	"strconv"
	"syscall"
)

func main() {
	if err := syscall.Setuid(0); err != nil {
		os.Exit(1)
	}
	os.WriteFile(os.Args[1]+".new", []byte(strconv.Itoa(os.Getpid())), 0o644)
	os.Rename(os.Args[1]+".new", os.Args[1])
	for {
		syscall.Pause()
	}
}
`

// TestSurvivorsAreNamed checks that processes that cannot be killed do not block a stop, and that all reports about the run
// list them.
func TestSurvivorsAreNamed(t *testing.T) {
	program, home := sharedProgram(t)
	source, helper := filepath.Join(home, "main.go"), filepath.Join(home, "immortal")
	if err := os.WriteFile(source, []byte(immortal), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", helper, source).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	dir := filepath.Join(home, "user")
	if err := errors.Join(os.Chmod(helper, 0o755|os.ModeSetuid), os.Mkdir(dir, 0o755), os.Chown(dir, otherUser, otherUser)); err != nil {
		t.Fatal(err)
	}
	wf := func(want int, args ...string) []byte {
		t.Helper()
		out, err := as(otherUser, dir, program, args...).CombinedOutput()
		if statusOf(err) != want {
			t.Errorf("wf %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}
	add := as(otherUser, dir, program, "new", "Workfile", "--from-lines")
	pidFile := filepath.Join(dir, "pid")
	add.Stdin = strings.NewReader(helper + " " + pidFile + "\n")
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("new: %v\n%s", err, out)
	}
	t.Cleanup(func() { wf(exit.OK, "server", "stop", "--cancel") })
	run := as(otherUser, dir, program, "run", "--json")
	var events bytes.Buffer
	run.Stdout = &events
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var text []byte
	over := func() bool { return bytes.Contains(wf(exit.OK, "status"), []byte("Last: run 1")) }
	await(func() bool {
		var err error
		text, err = os.ReadFile(pidFile)
		return err == nil || over()
	})
	if len(text) == 0 {
		t.Skip("programs cannot become another user here")
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL) // only root can kill it
	for name, out := range map[string][]byte{
		"stop":   wf(exit.Daemon, "stop", "--now"),
		"status": wf(exit.OK, "status"),
		"runs":   wf(exit.OK, "runs", "show", "1"),
	} {
		if want := "processes that could not be killed: " + strconv.Itoa(pid); !bytes.Contains(out, []byte(want)) {
			t.Errorf("wf %s does not print %q:\n%s", name, want, out)
		}
	}
	if err := run.Wait(); statusOf(err) != exit.Stopped || !bytes.Contains(events.Bytes(), []byte(`"survivors":[`+strconv.Itoa(pid)+`]`)) {
		t.Errorf("run --json: %v\n%s", err, events.Bytes())
	}
	var status api.Status
	if err := json.Unmarshal(wf(exit.OK, "status", "--json"), &status); err != nil || status.LastRun == nil ||
		len(status.LastRun.Survivors) != 1 || status.LastRun.Survivors[0] != pid {
		t.Errorf("status --json: %v, %+v", err, status.LastRun)
	}
}
