package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

func TestFolders(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		name           string
		vars           []string
		runtime, state string
	}{
		{"own variables", []string{"WF_RUNTIME_DIR=" + home + "/r", "WF_STATE_DIR=" + home + "/s"}, "r", "s"},
		{"XDG", []string{"XDG_RUNTIME_DIR=" + home + "/xr", "XDG_STATE_HOME=" + home + "/xs"}, "xr/wf", "xs/wf"},
		{"relative XDG values count as unset", []string{"XDG_RUNTIME_DIR=x", "XDG_STATE_HOME=y"}, ".local/state/wf/run", ".local/state/wf"},
		{"home", nil, ".local/state/wf/run", ".local/state/wf"},
		{"own relative value", []string{"WF_RUNTIME_DIR=rel"}, "rel", ".local/state/wf"},
	} {
		dirs := FoldersOf(&console.Console{Environ: append([]string{"HOME=" + home}, c.vars...), Dir: home})
		err := dirs.Prepare()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if dirs.Runtime != filepath.Join(home, c.runtime) || dirs.State != filepath.Join(home, c.state) {
			t.Errorf("%s: %+v", c.name, dirs)
		}
		for _, dir := range []string{dirs.Runtime, dirs.State} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%s: %s: %v %v", c.name, dir, info, err)
			}
		}
	}
}

func TestFoldersWithoutHome(t *testing.T) {
	if err := FoldersOf(&console.Console{}).Prepare(); exit.Status(err) != exit.Daemon {
		t.Errorf("no HOME: %v", err)
	}
}

func TestPrivateDirRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(dir string) error
		want exit.Failure // why and fix as far as they must be there
	}{
		{"open to others", func(dir string) error { return os.Mkdir(dir, 0o755) }, exit.Failure{Why: "0755", Fix: "chmod 700 "}},
		{"open to the group", func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o710))
		}, exit.Failure{Why: "0710", Fix: "chmod 700 "}},
		{"symbolic link", func(dir string) error {
			return errors.Join(os.Mkdir(dir+".real", 0o700), os.Symlink(dir+".real", dir))
		}, exit.Failure{Why: "symbolic link"}},
		{"a file", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, exit.Failure{Why: "not a directory"}},
	} {
		dir := filepath.Join(t.TempDir(), "wf")
		if err := c.make(dir); err != nil {
			t.Fatal(err)
		}
		err := privateDir(dir)
		f := exit.Describe(err)
		if exit.Status(err) != exit.Daemon || !strings.Contains(f.What, dir) || !strings.Contains(f.Why, c.want.Why) || !strings.Contains(f.Fix, c.want.Fix) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

func TestPrivateDirOfAnotherUser(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckPrivate(dir, info, os.Geteuid()); err != nil {
		t.Error(err)
	}
	if f := exit.Describe(CheckPrivate(dir, info, os.Geteuid()+1)); !strings.Contains(f.Why, "belongs to user") {
		t.Errorf("%+v", f)
	}
}
