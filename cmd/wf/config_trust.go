package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"wf/cmd/wf/exit"
	"wf/tui/words"

	"golang.org/x/sys/unix"
)

// A trust decides whose files may say what runs. A file of configuration can hold a wrapper, which is executed,
// so that it must be the user's own or root's, and nobody else may be able to write it: in a folder like
// /tmp anybody can put one beside a workfile.
type trust struct {
	uids    []uint32 // whose files are good, without root
	folders []string // below these every file is good, absolute; "*" stands for all
}

// trusting is the trust of this user; folders is the setting.
func (e *env) trusting(folders string) trust {
	t := trust{uids: []uint32{uint32(os.Geteuid())}}
	// Under sudo the files of the user who called it are good, as they are for git.
	if uid, err := strconv.ParseUint(e.Get("SUDO_UID"), 10, 32); err == nil && os.Geteuid() == 0 {
		t.uids = append(t.uids, uint32(uid))
	}
	for _, dir := range filepath.SplitList(folders) {
		if dir != "*" {
			dir = e.Abs(dir)
		}
		t.folders = append(t.folders, dir)
	}
	return t
}

// named says whether a path lies in one of the folders.
func (t trust) named(path string) bool {
	return slices.ContainsFunc(t.folders, func(dir string) bool { return dir == "*" || within(dir, path) })
}

// doubt says why the file that is open at path is not to be believed; "" when it is. beside: anybody who can
// write in its folder could have put it there, or a link in its place.
func (t trust) doubt(path string, f *os.File, beside bool) string {
	if t.named(path) {
		return ""
	}
	info, err := f.Stat()
	if err != nil {
		return exit.Obstacle(err)
	}
	if why := t.doubtOf("it", info, f); why != "" || !beside {
		return why
	}
	if link, err := os.Lstat(path); err != nil {
		return exit.Obstacle(err)
	} else if link.Mode()&fs.ModeSymlink != 0 {
		if why := t.ownedByStranger(link); why != "" {
			return "it is a link that belongs to " + why
		}
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return exit.Obstacle(err)
	}
	defer dir.Close()
	if info, err = dir.Stat(); err != nil {
		return exit.Obstacle(err)
	}
	if info.Mode()&fs.ModeSticky != 0 { // there people can replace their own files only
		return ""
	}
	return t.doubtOf("its folder", info, dir)
}

// doubtOf judges the owner and the mode of what is open.
func (t trust) doubtOf(what string, info fs.FileInfo, f *os.File) string {
	if owner := t.ownedByStranger(info); owner != "" {
		return what + " belongs to " + owner
	}
	mode := info.Mode().Perm()
	stat := info.Sys().(*syscall.Stat_t)
	switch {
	case mode&0o002 != 0:
		return what + fmt.Sprintf(" can be written by everybody (mode %04o)", mode)
	case mode&0o020 != 0 && !privateGroup(stat.Gid, stat.Uid, f):
		return what + fmt.Sprintf(" can be written by the group %s (mode %04o)", groupName(stat.Gid), mode)
	}
	return ""
}

// ownedByStranger names the owner of a file that belongs neither to root nor to us; "" for all others.
func (t trust) ownedByStranger(info fs.FileInfo) string {
	uid := info.Sys().(*syscall.Stat_t).Uid
	if uid == 0 || slices.Contains(t.uids, uid) {
		return ""
	}
	if u, err := user.LookupId(fmt.Sprint(uid)); err == nil {
		return fmt.Sprintf("%s (user %d)", u.Username, uid)
	}
	return fmt.Sprintf("user %d", uid)
}

func groupName(gid uint32) string {
	if g, err := user.LookupGroupId(fmt.Sprint(gid)); err == nil {
		return g.Name
	}
	return fmt.Sprint(gid)
}

// privateGroup says whether a group is that of its owner alone, as many systems give one to every user: it is
// called like the user and has no other members. An access list, which shows as the mode of the group, can
// name others.
func privateGroup(gid, uid uint32, f *os.File) bool {
	if n, err := unix.Fgetxattr(int(f.Fd()), "system.posix_acl_access", nil); err == nil && n > 0 {
		return false
	}
	owner, err := user.LookupId(fmt.Sprint(uid))
	if err != nil || owner.Gid != fmt.Sprint(gid) {
		return false
	}
	groups, err := os.ReadFile("/etc/group")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(groups)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) == 4 && fields[2] == owner.Gid {
			return fields[0] == owner.Username && (fields[3] == "" || fields[3] == owner.Username)
		}
	}
	return false
}

// within says whether path lies below dir.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// distrusted is the error for a file of configuration that is not believed.
func (e *env) distrusted(path, doubt string) error {
	own := e.userConfig()
	if own == "" {
		own = "config.toml"
	}
	dir := filepath.Dir(path)
	fix := "read it; then take it: chown " + fmt.Sprint(os.Geteuid()) + " " + words.Quote(path) + " && chmod go-w " + words.Quote(path) +
		"; or trust its folder: trust = " + strconv.Quote(dir) + " in " + own + ", or WF_TRUST=" + words.Quote(dir)
	if path == own {
		fix = "chown " + fmt.Sprint(os.Geteuid()) + " " + words.Quote(path) + " && chmod go-w " + words.Quote(path)
	}
	return &exit.Failure{Status: exit.BadUsage, What: "the configuration " + path + " is not trusted: " + doubt,
		Why: "it can say which commands run as you", Fix: fix}
}

// openSmall opens a regular file that people have written: a pipe would keep every command waiting.
func openSmall(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkFound refuses to run a workfile that was not named and belongs to somebody else: in a folder like /tmp
// anybody can put one.
func (e *env) checkFound(file, command string) error {
	path := e.Abs(defaultWorkfile)
	if file != "" || e.trust.named(path) {
		return nil
	}
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(path)
		if err != nil {
			return nil // opening it says more
		}
		if owner := e.trust.ownedByStranger(info); owner != "" {
			return &exit.Failure{Status: exit.BadWorkfile, What: path + " belongs to " + owner + ", and was not named",
				Why: "its commands would run as you; nothing was run", Fix: "read it; then name it: " + command + " " + defaultWorkfile}
		}
	}
	return nil
}
