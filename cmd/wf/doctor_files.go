package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/daemon"
	"wf/tui/words"
	"wf/workspace/history"
)

// What little room on the state's disk is little enough to say so.
const (
	fewBytes  = 200 << 20
	fewInodes = 2000
	// maxSocketPath is what the kernels take for the path of a socket: 108 bytes on Linux, 104 on
	// macOS, both with the zero at its end.
	maxSocketPath = 103
)

// folderPaths are the folders of wf as they would be used; nothing is made or checked.
func (e *env) folderPaths() folders {
	return folders{
		runtime: e.folder("WF_RUNTIME_DIR", "XDG_RUNTIME_DIR", "wf", "run"),
		state:   e.folder("WF_STATE_DIR", "XDG_STATE_HOME", "wf", ""),
	}
}

// lookAtFolders checks that both folders are, or can be made, ours alone.
func (d *doctor) lookAtFolders() {
	if d.dirs.runtime == "" || d.dirs.state == "" {
		d.problem("folders", "export HOME, or WF_RUNTIME_DIR and WF_STATE_DIR", "there is no place for folders: HOME is not set")
		return
	}
	for _, dir := range []string{d.dirs.runtime, d.dirs.state} {
		info, err := os.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if above := existing(dir); !d.m.writable(above) {
				d.problem("folders", "make it, or set WF_RUNTIME_DIR and WF_STATE_DIR", "%s does not exist, and %s cannot be written to", dir, above)
				continue
			}
			d.ok("folders", "%s will be made", dir)
		case err != nil:
			d.problem("folders", "", "%s: %s", dir, exit.Obstacle(err))
		default:
			if err := checkPrivate(dir, info, d.m.uid); err != nil {
				d.failed("folders", err)
			} else if !d.m.writable(dir) {
				d.problem("folders", "chmod u+rwx "+words.Quote(dir)+"; or its disk is read-only: mount says so, dmesg why", "%s cannot be written to", dir)
			} else {
				d.ok("folders", "%s is yours alone", dir)
			}
		}
	}
	if socket := filepath.Join(d.dirs.runtime, api.FileSocket); len(socket) > maxSocketPath {
		d.note("folders", "nothing to do; a shorter WF_RUNTIME_DIR keeps it there",
			"the path of the socket would have %d bytes, at most %d can be used: it lies in the folder for temporary files", len(socket), maxSocketPath)
	}
}

// existing is path, or the nearest folder above it that exists.
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

// disk is what a file system says about itself.
type disk struct {
	kind       string // "nfs", or "" for one that is local
	noexec     bool
	bytes      uint64 // free for this user
	inodes     uint64 // in all; 0 = it has no such limit
	freeInodes uint64
}

// lookAtDisks looks at the disks of the folders: how much room there is, and whether locks and
// sockets work on them.
func (d *doctor) lookAtDisks() {
	for _, dir := range []string{d.dirs.runtime, d.dirs.state} {
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
				"%s is on a network file system (%s): locks and sockets may not work, and a server that hangs stops runs", dir, found.kind)
		case found.bytes < fewBytes:
			d.problem("disk", room, "%d MB are left for %s", found.bytes>>20, dir)
		case found.inodes > 0 && found.freeInodes < fewInodes:
			d.problem("disk", room, "%d files (inodes) are left for %s", found.freeInodes, dir)
		default:
			d.ok("disk", "%.1f GB are left for %s", float64(found.bytes)/(1<<30), dir)
		}
	}
	tmp := d.e.Get("TMPDIR")
	if tmp == "" {
		tmp = "/tmp"
	}
	switch found, err := d.m.diskOf(tmp); {
	case err != nil:
		d.problem("tmp", "mkdir -p "+words.Quote(tmp)+", or set TMPDIR", "%s: %s", tmp, exit.Obstacle(err))
	case !d.m.writable(tmp):
		d.problem("tmp", "set TMPDIR", "%s cannot be written to", tmp)
	case found.bytes < fewBytes:
		d.note("tmp", "make room, or set TMPDIR", "%d MB are left in %s", found.bytes>>20, tmp)
	case found.noexec:
		d.note("tmp", "set TMPDIR where commands need it", "%s is mounted noexec: commands that execute what they write there fail", tmp)
	}
}

// lookAtWorkfile checks that the workfile can be read and saved.
func (d *doctor) lookAtWorkfile() {
	info, err := os.Stat(d.workfile)
	if errors.Is(err, fs.ErrNotExist) {
		return // doctor is asked for in any folder
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
		d.problem("workfile", "chmod u+w "+words.Quote(p.Path), "%s cannot be written to: statuses are kept in the history only", p.Path)
	case !d.m.writable(folder):
		d.problem("workfile", "chmod u+w "+words.Quote(folder), "the folder %s cannot be written to: a save makes a new file in it", folder)
	case info.ModTime().After(d.m.now().Add(time.Minute)):
		d.note("workfile", "touch "+words.Quote(p.Path)+", and look at the clocks of both machines", "%s was changed in the future (%s)", p.Path, info.ModTime().Format(time.RFC3339))
	default:
		d.ok("workfile", "%s: %s", p.Path, words.Plural(len(p.Nodes), "node"))
	}
}

// lookAtHistory compares the clock with what was recorded, and finds work that nobody watches over.
func (d *doctor) lookAtHistory() {
	id, err := daemon.WorkfileID(d.workfile)
	if err != nil || d.dirs.state == "" {
		return
	}
	list, err := history.At(filepath.Join(d.dirs.state, "workspaces", id)).Newest(1)
	if err != nil {
		d.problem("history", "", "the history of %s cannot be read: %s", d.workfile, exit.Obstacle(err))
		return
	}
	for _, run := range list {
		switch {
		case run.Problem != "":
			d.problem("history", "", "the record of run %d is damaged: %s", run.Request.Run, run.Problem)
		case run.Time.After(d.m.now().Add(time.Minute)):
			d.problem("clock", "set the clock", "the clock was turned back: run %d began at %s, and now it is %s", run.Request.Run,
				run.Time.Format(time.RFC3339), d.m.now().Format(time.RFC3339))
		default:
			d.ok("history", "the last run is %d, %s", run.Request.Run, words.Ago(run.Time, d.m.now()))
		}
	}
}
