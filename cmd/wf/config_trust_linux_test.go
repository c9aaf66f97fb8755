package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

// TestConfigurationOfStrangers: what others can write beside a workfile is not believed, and the way out works.
func TestConfigurationOfStrangers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, tc := range []struct {
		name string
		make func(dir, file string) error
		want string // "" = believed
	}{
		{"own", func(_, _ string) error { return nil }, ""},
		{"stranger's", func(_, file string) error { return os.Chown(file, otherUser, otherUser) }, "it belongs to "},
		{"everybody's", func(_, file string) error { return os.Chmod(file, 0o666) }, "it can be written by every user (mode 0666)"},
		{"group's", func(_, file string) error {
			if err := os.Chown(file, 0, 1); err != nil {
				return err
			}
			return os.Chmod(file, 0o664)
		}, "it can be written by the group "},
		{"private group", func(_, file string) error { return os.Chmod(file, 0o664) }, ""},
		{"stranger's folder", func(dir, _ string) error { return os.Chown(dir, otherUser, otherUser) }, "its folder belongs to "},
		{"everybody's folder", func(dir, _ string) error { return os.Chmod(dir, 0o777) }, "its folder can be written by every user"},
		{"like /tmp", func(dir, _ string) error { return os.Chmod(dir, 0o777|os.ModeSticky) }, ""},
		{"stranger's in /tmp", func(dir, file string) error {
			return firstError(os.Chmod(dir, 0o777|os.ModeSticky), os.Chown(file, otherUser, otherUser))
		}, "it belongs to "},
		{"stranger's link to own", func(dir, file string) error {
			return firstError(os.Rename(file, file+".own"), firstError(os.Symlink(file+".own", file), os.Lchown(file, otherUser, otherUser)))
		}, "it is a link that belongs to "},
		{"own link to stranger's", func(dir, file string) error {
			return firstError(os.Rename(file, file+".theirs"), firstError(os.Symlink(file+".theirs", file), os.Chown(file+".theirs", otherUser, otherUser)))
		}, "it belongs to "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, file := filepath.Join(t.TempDir(), "d"), ""
			file = filepath.Join(dir, projectConfig)
			if err := firstError(os.Mkdir(dir, 0o755), os.WriteFile(file, []byte(`wrapper = "x {}"`), 0o644)); err != nil {
				t.Fatal(err)
			}
			if err := tc.make(dir, file); err != nil {
				t.Fatal(err)
			}
			e := &env{Console: console.Console{Dir: dir}}
			said, err := e.configFiles(filepath.Join(dir, "job.wf"))
			if tc.want == "" {
				if err != nil || said["wrapper"].text != "x {}" {
					t.Errorf("%v, %v", said, err)
				}
				return
			}
			if f, _ := err.(*exit.Failure); f == nil || !strings.Contains(f.What, tc.want) || f.Status != exit.BadUsage {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			for _, trusted := range []string{dir, filepath.Dir(dir), "*", "/nowhere:" + dir} {
				e.Environ = []string{"WF_TRUST=" + trusted}
				if said, err = e.configFiles(filepath.Join(dir, "job.wf")); err != nil || said["wrapper"].text != "x {}" {
					t.Errorf("WF_TRUST=%s: %v, %v", trusted, said, err)
				}
			}
		})
	}
}

// TestAccessListsAreSeen: an access list hides behind the mode of a private group.
func TestAccessListsAreSeen(t *testing.T) {
	setfacl, err := exec.LookPath("setfacl")
	if err != nil {
		t.Skip("no setfacl")
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o664); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(setfacl, "-m", "u:65534:rw", path).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if (&env{}).trusting("").doubt(path, f, false) == "" {
		t.Error("a file that an access list lets somebody else write is believed")
	}
}

// TestPlantedFiles: of two files that somebody has put into a folder like /tmp, none is executed by wf run.
func TestPlantedFiles(t *testing.T) {
	program, home := stranger(t)
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
		if err := firstError(os.WriteFile(path, []byte(content), 0o644), os.Chown(path, otherUser, otherUser)); err != nil {
			t.Fatal(err)
		}
	}
	plant(projectConfig, `wrapper = "touch `+shared+`/PWN; sh -c {}"`)
	if out, err := run("new", "job.wf", "--from-lines"); err == nil {
		t.Errorf("new: %s", out)
	}
	os.Remove(filepath.Join(shared, projectConfig))
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
	if out, err := run("run", "Workfile"); err != nil { // named, it is meant; it cannot be saved, which is said
		t.Logf("named: %v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(shared, "PWN")); err != nil {
		t.Error("not executed although it was named")
	}
}
