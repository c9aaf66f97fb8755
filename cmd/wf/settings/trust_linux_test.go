package settings

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

// otherUser is another user, for tests that run as root.
const otherUser = 65534

// TestConfigurationOfOtherUsers checks that a configuration that other users can write is not trusted, unless WF_TRUST names
// its folder.
func TestConfigurationOfOtherUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, tc := range []struct {
		name string
		make func(dir, file string) error
		want string // "" = trusted
	}{
		{"own", func(_, _ string) error { return nil }, ""},
		{"of another user", func(_, file string) error { return os.Chown(file, otherUser, otherUser) }, "it belongs to "},
		{"everybody's", func(_, file string) error { return os.Chmod(file, 0o666) }, "it can be written by every user (mode 0666)"},
		{"group's", func(_, file string) error {
			if err := os.Chown(file, 0, 1); err != nil {
				return err
			}
			return os.Chmod(file, 0o664)
		}, "it can be written by the group "},
		{"private group", func(_, file string) error { return os.Chmod(file, 0o664) }, ""},
		{"in a folder of another user", func(dir, _ string) error { return os.Chown(dir, otherUser, otherUser) }, "its folder belongs to "},
		{"everybody's folder", func(dir, _ string) error { return os.Chmod(dir, 0o777) }, "its folder can be written by every user"},
		{"like /tmp", func(dir, _ string) error { return os.Chmod(dir, 0o777|os.ModeSticky) }, ""},
		{"of another user in /tmp", func(dir, file string) error {
			return errors.Join(os.Chmod(dir, 0o777|os.ModeSticky), os.Chown(file, otherUser, otherUser))
		}, "it belongs to "},
		{"link of another user to an own file", func(dir, file string) error {
			return errors.Join(os.Rename(file, file+".own"), errors.Join(os.Symlink(file+".own", file), os.Lchown(file, otherUser, otherUser)))
		}, "it is a link that belongs to "},
		{"own link to a file of another user", func(dir, file string) error {
			return errors.Join(os.Rename(file, file+".theirs"), errors.Join(os.Symlink(file+".theirs", file), os.Chown(file+".theirs", otherUser, otherUser)))
		}, "it belongs to "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, file := filepath.Join(t.TempDir(), "d"), ""
			file = filepath.Join(dir, projectConfig)
			if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(file, []byte(`wrapper = "x {}"`), 0o644)); err != nil {
				t.Fatal(err)
			}
			if err := tc.make(dir, file); err != nil {
				t.Fatal(err)
			}
			c := &console.Console{Dir: dir}
			said, _, err := Files(c, filepath.Join(dir, "job.wf"))
			if tc.want == "" {
				if err != nil || said["wrapper"].Text != "x {}" {
					t.Errorf("%v, %v", said, err)
				}
				return
			}
			if f, _ := err.(*exit.Failure); f == nil || !strings.Contains(f.What, tc.want) || f.Status != exit.BadUsage {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			for _, trusted := range []string{dir, filepath.Dir(dir), "*", "/nowhere:" + dir} {
				c.Environ = []string{"WF_TRUST=" + trusted}
				if said, _, err = Files(c, filepath.Join(dir, "job.wf")); err != nil || said["wrapper"].Text != "x {}" {
					t.Errorf("WF_TRUST=%s: %v, %v", trusted, said, err)
				}
			}
		})
	}
}

// TestAccessListsAreSeen checks that a file with an access list, which is visible only as the mode of the group, is refused.
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
	if TrustOf(&console.Console{}, "").problemOf(path, f, false) == "" {
		t.Error("a file that an access list makes writable for another user is trusted")
	}
}
