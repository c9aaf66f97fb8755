package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// smallDisks reports whether scripts can have disks of their own: the condition [smalldisk].
func smallDisks() bool { return runtime.GOOS == "linux" && os.Geteuid() == 0 && mountable() }

// mountable tries it: in a container even root may not.
func mountable() bool {
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "wf", dir).Run() != nil {
		return false
	}
	return exec.Command("umount", dir).Run() == nil
}

// cmdSmallDisk puts a disk of 4 MiB at a folder that does not exist yet: "smalldisk FOLDER". The
// script fills it with "fill FOLDER".
func cmdSmallDisk(ts *testscript.TestScript, neg bool, args []string) {
	w := worldOf(ts, neg, args, 1, 1, "smalldisk FOLDER")
	dir := ts.MkAbs(args[0])
	ts.Check(os.Mkdir(dir, 0o700))
	ts.Check(exec.Command("mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "wf", dir).Run())
	w.disks = append(w.disks, dir)
}

// cmdFill takes all the room there is on the disk of a folder, with the file "filler" in it.
func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	worldOf(ts, neg, args, 1, 1, "fill FOLDER")
	f, err := os.OpenFile(ts.MkAbs(args[0])+"/filler", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	ts.Check(err)
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	ts.Check(f.Close())
}

// unmount takes the disks of a world away when nothing of it runs any more.
func (w *world) unmount() error {
	var err error
	for _, dir := range w.disks {
		if !await(func() bool { return exec.Command("umount", dir).Run() == nil }) { // the last one is just leaving
			err = firstError(err, fmt.Errorf("%s cannot be unmounted", dir))
		}
	}
	return err
}

// cmdReadOnly makes the disk of a folder read-only, or with "again" writable: "readonly FOLDER [again]".
func cmdReadOnly(ts *testscript.TestScript, neg bool, args []string) {
	worldOf(ts, neg, args, 1, 2, "readonly FOLDER [again]")
	mode := "remount,ro"
	if len(args) == 2 {
		mode = "remount,rw"
	}
	if !await(func() bool { return exec.Command("mount", "-o", mode, ts.MkAbs(args[0])).Run() == nil }) {
		ts.Check(&os.PathError{Op: mode, Path: args[0], Err: syscall.EBUSY})
	}
}
