package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"wf/cmd/wf/exit"
	"wf/tui/words"
)

// folders are where everything of wf lies that is not a workfile (docs/state.md).
type folders struct {
	runtime string // lock, registry, sockets of the daemon
	state   string // history and logs
}

// folders finds both, makes those that are missing and refuses those that others could reach:
// the socket and the token in the runtime folder are keys to run commands as this user.
func (e *env) folders() (folders, error) {
	dirs := e.whereFolders()
	for _, dir := range []string{dirs.runtime, dirs.state} {
		if dir == "" {
			return folders{}, &exit.Failure{Status: exit.Daemon,
				What: "no folder for the daemon: HOME is not set", Fix: "export HOME, or WF_RUNTIME_DIR and WF_STATE_DIR"}
		}
		if err := privateDir(dir); err != nil {
			return folders{}, err
		}
	}
	return dirs, nil
}

// whereFolders says where both would be, without looking; "" where nobody knows.
func (e *env) whereFolders() folders {
	return folders{
		runtime: e.folder("WF_RUNTIME_DIR", "XDG_RUNTIME_DIR", "wf", "run"),
		state:   e.folder("WF_STATE_DIR", "XDG_STATE_HOME", "wf", ""),
	}
}

// folder is the value of own, else below base/name, else below ~/.local/state/wf/rest.
// Relative values of XDG variables are invalid by their specification and ignored.
func (e *env) folder(own, base, name, rest string) string {
	if dir := e.Get(own); dir != "" {
		return e.Abs(dir)
	}
	if dir := e.Get(base); filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	home := e.Get("HOME")
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".local", "state", "wf", rest)
}

// privateDir makes dir (0700) or checks that it is a folder of this user that nobody else can
// enter. The folder itself may not be a symlink: whoever owns the link could turn it elsewhere.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return &exit.Failure{Status: exit.Daemon, What: "cannot make the folder " + dir, Why: exit.Obstacle(err)}
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return &exit.Failure{Status: exit.Daemon, What: "cannot use the folder " + dir, Why: exit.Obstacle(err)}
	}
	return checkPrivate(dir, info, os.Geteuid())
}

// checkPrivate judges what Lstat says about dir for the user uid.
func checkPrivate(dir string, info fs.FileInfo, uid int) error {
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
