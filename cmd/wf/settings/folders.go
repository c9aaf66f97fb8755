package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/words"
)

// Folders contain everything of wf that is not a workfile (docs/state.md).
type Folders struct {
	Runtime string // lock, registry, sockets of the daemon
	State   string // history and logs
}

// Prepare creates missing folders. It refuses folders that other users can reach, because
// the socket and the token in the runtime folder allow to run commands as this user.
func (dirs Folders) Prepare() error {
	for _, dir := range []string{dirs.Runtime, dirs.State} {
		if dir == "" {
			return &exit.Failure{Status: exit.Daemon,
				What: "no folder for the daemon: HOME is not set", Fix: "export HOME, or WF_RUNTIME_DIR and WF_STATE_DIR"}
		}
		if err := privateDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// FoldersOf returns the paths of both folders without checking them; "" if HOME is not set.
func FoldersOf(c *console.Console) Folders {
	return Folders{
		Runtime: folder(c, "WF_RUNTIME_DIR", "XDG_RUNTIME_DIR", "wf", "run"),
		State:   folder(c, "WF_STATE_DIR", "XDG_STATE_HOME", "wf", ""),
	}
}

// folder returns the value of the variable own, or else name in the folder of the variable base, or else
// ~/.local/state/wf/rest. Relative values of XDG variables are ignored, as their specification demands.
func folder(c *console.Console, own, base, name, rest string) string {
	if dir := c.Get(own); dir != "" {
		return c.Abs(dir)
	}
	if dir := c.Get(base); filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	home := c.Get("HOME")
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".local", "state", "wf", rest)
}

// privateDir creates dir (0700) or checks that it is a folder of this user that other users cannot enter. It must
// not be a symlink, because the owner of the link could redirect it.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return &exit.Failure{Status: exit.Daemon, What: "cannot make the folder " + dir, Why: exit.Obstacle(err)}
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return &exit.Failure{Status: exit.Daemon, What: "cannot use the folder " + dir, Why: exit.Obstacle(err)}
	}
	return CheckPrivate(dir, info, os.Geteuid())
}

// CheckPrivate checks the result of Lstat for dir for the user uid.
func CheckPrivate(dir string, info fs.FileInfo, uid int) error {
	unsafe := func(why, fix string) error {
		return &exit.Failure{Status: exit.Daemon, What: "the folder " + dir + " is not safe to use", Why: why, Fix: fix}
	}
	switch stat, ok := info.Sys().(*syscall.Stat_t); {
	case info.Mode()&fs.ModeSymlink != 0:
		return unsafe("it is a symbolic link", "rm "+words.Quote(dir))
	case !info.IsDir():
		return unsafe("it is not a folder", "rm "+words.Quote(dir))
	case ok && int(stat.Uid) != uid:
		return unsafe(fmt.Sprintf("it belongs to user %d, not to you (%d)", stat.Uid, uid),
			"chown "+fmt.Sprint(uid)+" "+words.Quote(dir)+", or set WF_RUNTIME_DIR and WF_STATE_DIR")
	case info.Mode().Perm()&0o077 != 0:
		return unsafe(fmt.Sprintf("its mode is %04o: other users can enter it", info.Mode().Perm()), "chmod 700 "+words.Quote(dir))
	}
	return nil
}
