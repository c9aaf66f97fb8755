package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/tui/words"
	"wf/workspace/history"
)

// Thresholds below which free space on a disk is reported.
const (
	fewBytes  = 200 << 20
	fewInodes = 2000
	// maxSocketPath is the longest path of a socket: kernels allow 108 bytes on Linux and 104 on macOS, with the
	// zero byte.
	maxSocketPath = 103
)

// checkFolders checks that both folders are private to the user, or can be created.
func (d *doctor) checkFolders() {
	if d.dirs.Runtime == "" || d.dirs.State == "" {
		d.problem("folders", "export HOME, or WF_RUNTIME_DIR and WF_STATE_DIR", "no folder for the daemon: HOME is not set")
		return
	}
	for _, dir := range []string{d.dirs.Runtime, d.dirs.State} {
		info, err := os.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if above := existing(dir); !d.m.writable(above) {
				d.problem("folders", "create it, or set WF_RUNTIME_DIR and WF_STATE_DIR", "%s does not exist, and %s is not writable", dir, above)
				continue
			}
			d.ok("folders", "%s will be created", dir)
		case err != nil:
			d.problem("folders", "", "%s: %s", dir, exit.Obstacle(err))
		default:
			if err := settings.CheckPrivate(dir, info, d.m.uid); err != nil {
				d.failed("folders", err)
			} else if !d.m.writable(dir) {
				d.problem("folders", "chmod u+rwx "+words.Quote(dir)+"; if its disk is read-only, see mount and dmesg", "%s is not writable", dir)
			} else {
				d.ok("folders", "%s is private to you", dir)
			}
		}
	}
	if socket := filepath.Join(d.dirs.Runtime, api.FileSocket); len(socket) > maxSocketPath {
		d.note("folders", "nothing to do; or set a shorter WF_RUNTIME_DIR",
			"the path of the socket would have %d bytes, and the limit is %d: the socket is in the folder for temporary files", len(socket), maxSocketPath)
	}
}

// existing returns path, or the nearest folder above it that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// disk describes a file system.
type disk struct {
	kind       string // "nfs", or "" for a local one
	noexec     bool
	bytes      uint64 // free for this user
	inodes     uint64 // in total; 0 = no limit
	freeInodes uint64
}

// checkDisks checks the disks of the folders: free space, and whether locks and sockets work.
func (d *doctor) checkDisks() {
	for _, dir := range []string{d.dirs.Runtime, d.dirs.State} {
		if dir == "" {
			continue
		}
		found, err := d.m.diskOf(existing(dir))
		if err != nil {
			d.problem("disk", "", "%s: %s", dir, exit.Obstacle(err))
			continue
		}
		room := "wf runs prune, make room, or set WF_STATE_DIR and WF_RUNTIME_DIR to another disk"
		switch {
		case found.kind != "":
			d.problem("disk", "set WF_STATE_DIR and WF_RUNTIME_DIR to a local disk",
				"%s is on a network file system (%s): locks and sockets may not work, and a hanging server blocks runs", dir, found.kind)
		case found.bytes < fewBytes:
			d.problem("disk", room, "%d MB are left for %s", found.bytes>>20, dir)
		case found.inodes > 0 && found.freeInodes < fewInodes:
			d.problem("disk", room, "%d files (inodes) are left for %s", found.freeInodes, dir)
		default:
			d.ok("disk", "%.1f GB are left for %s", float64(found.bytes)/(1<<30), dir)
		}
	}
	tmp := d.c.Get("TMPDIR")
	if tmp == "" {
		tmp = "/tmp"
	}
	switch found, err := d.m.diskOf(tmp); {
	case err != nil:
		d.problem("tmp", "mkdir -p "+words.Quote(tmp)+", or set TMPDIR", "%s: %s", tmp, exit.Obstacle(err))
	case !d.m.writable(tmp):
		d.problem("tmp", "set TMPDIR", "%s is not writable", tmp)
	case found.bytes < fewBytes:
		d.note("tmp", "make room, or set TMPDIR", "%d MB are left in %s", found.bytes>>20, tmp)
	case found.noexec:
		d.note("tmp", "set TMPDIR for commands that need it", "%s is mounted noexec: commands that write programs there cannot execute them", tmp)
	}
}

// checkWorkfile checks that the workfile can be read and saved.
func (d *doctor) checkWorkfile() {
	info, err := os.Stat(d.workfile)
	if errors.Is(err, fs.ErrNotExist) {
		return // doctor works in any folder
	}
	if err != nil {
		d.problem("workfile", "", "%s: %s", d.workfile, exit.Obstacle(err))
		return
	}
	p, err := daemon.PeekAt(d.workfile)
	if err != nil {
		d.failed("workfile", err)
		return
	}
	folder := filepath.Dir(p.Path)
	switch {
	case !d.m.writable(p.Path):
		d.problem("workfile", "chmod u+w "+words.Quote(p.Path), "%s is not writable: statuses are kept in the history only", p.Path)
	case !d.m.writable(folder):
		d.problem("workfile", "chmod u+w "+words.Quote(folder), "the folder %s is not writable, and saving creates a new file in it", folder)
	case info.ModTime().After(d.m.now().Add(time.Minute)):
		d.note("workfile", "touch "+words.Quote(p.Path)+", and check the clocks of both machines", "the modification time of %s is in the future (%s)", p.Path, info.ModTime().Format(time.RFC3339))
	default:
		d.ok("workfile", "%s: %s", p.Path, words.Plural(len(p.Nodes), "node"))
	}
}

// checkHistory checks the history of the workfile, and compares the clock with its latest run.
func (d *doctor) checkHistory() {
	id, err := daemon.WorkfileID(d.workfile)
	if err != nil || d.dirs.State == "" {
		return
	}
	list, err := history.At(filepath.Join(d.dirs.State, "workspaces", id)).Newest(1)
	if err != nil {
		d.problem("history", "", "the history of %s cannot be read: %s", d.workfile, exit.Obstacle(err))
		return
	}
	for _, run := range list {
		switch {
		case run.Problem != "":
			d.problem("history", "", "the history of run %d is damaged: %s", run.Request.Run, run.Problem)
		case run.Time.After(d.m.now().Add(time.Minute)):
			d.problem("clock", "set the clock", "the clock was set back: run %d started at %s, and now it is %s", run.Request.Run,
				run.Time.Format(time.RFC3339), d.m.now().Format(time.RFC3339))
		default:
			d.ok("history", "the last run is %d, %s", run.Request.Run, words.Ago(run.Time, d.m.now()))
		}
	}
}
