package settings

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

	"golang.org/x/sys/unix"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/words"
)

// A Trust decides which configuration files are used. Such a file can contain a wrapper, which is executed, so it
// must belong to the user or root and must not be writable for other users: in a folder like /tmp every user
// can put one beside a workfile.
type Trust struct {
	uids    []uint32 // the users, besides root, whose files are trusted
	folders []string // absolute paths below which every file is trusted; "*" stands for all
}

// TrustOf returns the trust of this user; folders is the value of the setting.
func TrustOf(c *console.Console, folders string) Trust {
	t := Trust{uids: []uint32{uint32(os.Geteuid())}}
	// Under sudo, the files of the calling user are trusted, as git does.
	if uid, err := strconv.ParseUint(c.Get("SUDO_UID"), 10, 32); err == nil && os.Geteuid() == 0 {
		t.uids = append(t.uids, uint32(uid))
	}
	for _, dir := range filepath.SplitList(folders) {
		if dir != "*" {
			dir = c.Abs(dir)
		}
		t.folders = append(t.folders, dir)
	}
	return t
}

// Names says whether a path is below one of the trusted folders.
func (t Trust) Names(path string) bool {
	return slices.ContainsFunc(t.folders, func(dir string) bool { return dir == "*" || within(dir, path) })
}

// problemOf returns why the open file at path is not trusted, or "" if it is. With beside, it also checks the folder
// and a link, because every user who can write in the folder could have put the file there.
func (t Trust) problemOf(path string, f *os.File, beside bool) string {
	if t.Names(path) {
		return ""
	}
	info, err := f.Stat()
	if err != nil {
		return exit.Obstacle(err)
	}
	if why := t.ownerProblem("it", info, f); why != "" || !beside {
		return why
	}
	if link, err := os.Lstat(path); err != nil {
		return exit.Obstacle(err)
	} else if link.Mode()&fs.ModeSymlink != 0 {
		if why := t.OtherOwner(link); why != "" {
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
	if info.Mode()&fs.ModeSticky != 0 { // users can only replace their own files
		return ""
	}
	return t.ownerProblem("its folder", info, dir)
}

// ownerProblem checks owner and mode of an open file or folder.
func (t Trust) ownerProblem(what string, info fs.FileInfo, f *os.File) string {
	if owner := t.OtherOwner(info); owner != "" {
		return what + " belongs to " + owner
	}
	mode := info.Mode().Perm()
	stat := info.Sys().(*syscall.Stat_t)
	switch {
	case mode&0o002 != 0:
		return what + fmt.Sprintf(" can be written by every user (mode %04o)", mode)
	case mode&0o020 != 0 && !privateGroup(stat.Gid, stat.Uid, f):
		return what + fmt.Sprintf(" can be written by the group %s (mode %04o)", groupName(stat.Gid), mode)
	}
	return ""
}

// OtherOwner names the owner of a file, or returns "" if that is root or a trusted user.
func (t Trust) OtherOwner(info fs.FileInfo) string {
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

// privateGroup says whether a group has only the owner as a member. Many systems give every user such a group with
// the name of the user. A file with an access list fails the test, because the list can name other users.
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

// within says whether path is below dir.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// distrusted returns the error for a configuration file that is not trusted.
func distrusted(c *console.Console, path, problem string) error {
	own := UserFile(c)
	if own == "" {
		own = "config.toml"
	}
	dir := filepath.Dir(path)
	fix := "read it, then make it yours: chown " + fmt.Sprint(os.Geteuid()) + " " + words.Quote(path) + " && chmod go-w " + words.Quote(path) +
		"; or trust its folder: trust = " + strconv.Quote(dir) + " in " + own + ", or WF_TRUST=" + words.Quote(dir)
	if path == own {
		fix = "chown " + fmt.Sprint(os.Geteuid()) + " " + words.Quote(path) + " && chmod go-w " + words.Quote(path)
	}
	return &exit.Failure{Status: exit.BadUsage, What: "the configuration " + path + " is not trusted: " + problem,
		Why: "it can decide which commands run as you", Fix: fix}
}

// openSmall opens a regular file. It refuses pipes, which could block every command.
func openSmall(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
