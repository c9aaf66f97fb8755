package doctor

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"wf/cmd/wf/service"
)

// networkDisks names network file systems by their type in statfs(2).
var networkDisks = map[int64]string{
	0x6969: "nfs", 0x517b: "smb", 0xff534d42: "cifs", 0xfe534d42: "smb2", 0x5346414f: "afs", 0x01021997: "9p",
	0x00c36400: "ceph", 0x0bd00bd0: "lustre", 0x47504653: "gpfs", 0x19830326: "beegfs", 0x7461636f: "ocfs2",
	0x01161970: "gfs2", 0xaad7aaea: "panfs",
}

// diskOf asks the file system of path about itself.
func diskOf(path string) (disk, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return disk{}, err
	}
	return disk{kind: networkDisks[int64(s.Type)], noexec: s.Flags&unix.MS_NOEXEC != 0,
		bytes: s.Bavail * uint64(s.Bsize), inodes: s.Files, freeInodes: s.Ffree}, nil
}

// pidfd returns an error if the kernel has no pidfd.
func pidfd() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// checkSystem checks the features of the kernel, and what happens at logout.
func (d *doctor) checkSystem() {
	noPidfd := d.m.pidfd()
	if noPidfd != nil {
		d.note("kernel", "use Linux 5.3 or newer", "the kernel has no pidfd (%v): processes are identified by their start time only", noPidfd)
	}
	if err := d.m.subreaper(); err != nil {
		d.problem("kernel", "", "the kernel refuses to make a process a subreaper (%v): exit codes are lost when a runner is killed", err)
	} else if noPidfd == nil {
		d.ok("kernel", "pidfd, subreaper")
	}
	if _, err := os.Stat(filepath.Join(d.m.root, "proc/self/stat")); err != nil {
		d.problem("kernel", "mount -t proc proc /proc", "/proc is not mounted: processes that commands leave behind cannot be found")
	}
	d.checkLogout(d.m.root)
}

// checkLogout checks what systemd does to a daemon when its user logs out. systemd leaves daemons of root alone.
// root is "/".
func (d *doctor) checkLogout(root string) {
	if _, err := os.Stat(filepath.Join(root, "run/systemd/system")); err != nil || d.m.uid == 0 {
		return
	}
	if !service.EndsAtLogout(root, d.c.User()) {
		d.ok("logout", "runs continue: linger is enabled")
		return
	}
	if killsOnLogout(root) {
		d.problem("logout", service.LingerAdvice, "KillUserProcesses is set: logging out ends the daemon and its runs")
		return
	}
	if strings.HasPrefix(d.dirs.Runtime, "/run/user/") {
		d.note("logout", service.LingerAdvice+", or set WF_RUNTIME_DIR",
			"systemd removes %s when the last session ends: runs continue, but cannot be reached until they end", d.dirs.Runtime)
		return
	}
	d.ok("logout", "runs continue")
}

// killsOnLogout reads KillUserProcesses like systemd-logind: the last file that contains it wins.
func killsOnLogout(root string) bool {
	var files []string
	for _, dir := range []string{"usr/lib/systemd", "run/systemd", "etc/systemd"} {
		files = append(files, filepath.Join(root, dir, "logind.conf"))
	}
	for _, dir := range []string{"usr/lib/systemd", "run/systemd", "etc/systemd"} {
		more, _ := filepath.Glob(filepath.Join(root, dir, "logind.conf.d", "*.conf"))
		files = append(files, more...)
	}
	kills := false
	for _, path := range files {
		if value, said := logindSetting(path, "KillUserProcesses"); said {
			kills = value == "yes" || value == "true" || value == "1" || value == "on"
		}
	}
	return kills
}

// logindSetting returns the value of the last line key=value of a systemd file.
func logindSetting(path, key string) (value string, said bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), key+"="); ok {
			value, said = strings.ToLower(strings.TrimSpace(text)), true
		}
	}
	return value, said
}
