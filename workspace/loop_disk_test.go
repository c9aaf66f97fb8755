package workspace

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wf/workspace/history"
)

// helperDisk is the disk of most tests. An operation that may wait for the disk fails the test if it is called on the
// goroutine of a loop: see loop.Loop for what is allowed there.
type helperDisk struct {
	history.Disk
	t testing.TB
}

func (d helperDisk) check(operation, path string) {
	if at := onLoop(); at != "" {
		d.t.Errorf("%s %s on the goroutine of the loop, in %s", operation, path, at)
	}
}

// mayWait are functions that may wait for the disk on the goroutine of the loop. When the loop ends, no client waits for it any
// more. The other two recover the runs of an earlier daemon, see retries.recoverRun.
var mayWait = []string{"(*Workspace).leave", "(*Workspace).crashed", "(*quarantine).recoverRuns", "(*retries).recoverPostponed"}

// onLoop returns the functions of this package that the loop is in, or "" on another goroutine.
func onLoop() (at string) {
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls[:])])
	for {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "workspace/loop.(*Loop).run"):
			return at
		case slices.ContainsFunc(mayWait, func(name string) bool { return strings.HasSuffix(f.Function, "."+name) }):
			return ""
		case strings.Contains(f.Function, "wf/workspace"):
			at += fmt.Sprintf("\n\t%s:%d", f.Function, f.Line)
		}
		if !more {
			return ""
		}
	}
}

func (d helperDisk) Open(path string, flag int) (history.File, error) {
	d.check("open", path)
	f, err := d.Disk.Open(path, flag)
	if err != nil {
		return nil, err
	}
	return helperFile{f, d, path}, nil
}

func (d helperDisk) Mkdir(path string) error {
	d.check("mkdir", path)
	return d.Disk.Mkdir(path)
}

func (d helperDisk) Rename(from, to string) error {
	d.check("rename", to)
	return d.Disk.Rename(from, to)
}

func (d helperDisk) Remove(path string) error {
	d.check("remove", path)
	return d.Disk.Remove(path)
}

func (d helperDisk) RemoveAll(path string) error {
	d.check("remove", path)
	return d.Disk.RemoveAll(path)
}

func (d helperDisk) SyncDir(dir string) error {
	d.check("sync", dir)
	return d.Disk.SyncDir(dir)
}

type helperFile struct {
	history.File
	disk helperDisk
	path string
}

func (f helperFile) Sync() error {
	f.disk.check("sync", f.path)
	return f.File.Sync()
}
