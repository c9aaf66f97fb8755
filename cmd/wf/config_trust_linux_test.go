package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesOfOtherUsersAreNotUsed checks that wf run uses neither a configuration nor a workfile of another user in /tmp.
func TestFilesOfOtherUsersAreNotUsed(t *testing.T) {
	program, home := sharedProgram(t)
	shared := openFolder(t)
	if err := os.Chmod(shared, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command(program, args...)
		cmd.Dir = shared
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "WF_RUNTIME_DIR=" + filepath.Join(home, "run"), "WF_STATE_DIR=" + filepath.Join(home, "state")}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	defer run("server", "stop", "--cancel")
	plant := func(name, content string) {
		path := filepath.Join(shared, name)
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o644), os.Chown(path, otherUser, otherUser)); err != nil {
			t.Fatal(err)
		}
	}
	plant(".wf.toml", `wrapper = "touch `+shared+`/PWN; sh -c {}"`)
	if out, err := run("new", "job.wf", "--from-lines"); err == nil {
		t.Errorf("new: %s", out)
	}
	os.Remove(filepath.Join(shared, ".wf.toml"))
	plant("Workfile", `<graphml><key id="l" for="node" attr.name="label"/><graph edgedefault="directed"><node id="a"><data key="l">touch `+shared+`/PWN</data></node></graph></graphml>`)
	for _, args := range [][]string{{"run"}, {"resume"}, {"run", "-d"}} {
		out, err := run(args...)
		if err == nil || !strings.Contains(out, "was not named") || !strings.Contains(out, "fix: read it; then name it: wf "+args[0]+" Workfile") {
			t.Errorf("%q: %v: %s", args, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(shared, "PWN")); err == nil {
		t.Fatal("executed")
	}
	if out, err := run("run", "Workfile"); err != nil { // a named workfile is run; wf reports that it cannot be saved
		t.Logf("named: %v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(shared, "PWN")); err != nil {
		t.Error("not executed although it was named")
	}
}
