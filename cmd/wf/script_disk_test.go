package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// smallDisks reports whether scripts can mount disks: the condition [smalldisk].
func smallDisks() bool { return runtime.GOOS == "linux" && os.Geteuid() == 0 && mountable() }

// mountable tries to mount a disk, because root in a container may not be allowed to.
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
	w := sandboxOf(ts, neg, args, 1, 1, "smalldisk FOLDER")
	dir := ts.MkAbs(args[0])
	ts.Check(os.Mkdir(dir, 0o700))
	ts.Check(exec.Command("mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "wf", dir).Run())
	w.disks = append(w.disks, dir)
}

// cmdFill fills the disk of a folder with the file "filler".
func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 1, "fill FOLDER")
	f, err := os.OpenFile(ts.MkAbs(args[0])+"/filler", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	ts.Check(err)
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	ts.Check(f.Close())
}

// faultyDisks reports whether scripts can have disks that the kernel makes read-only: the condition [faultydisk].
func faultyDisks() bool {
	_, err := exec.LookPath("mkfs.ext4")
	if err != nil || !smallDisks() {
		return false
	}
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	at := filepath.Join(dir, "disk")
	device, err := mountFaulty(at)
	if err != nil {
		return false
	}
	_, err = os.Stat(faultFile(device))
	return exec.Command("umount", at).Run() == nil && err == nil
}

// mountFaulty puts a new disk at a folder that does not exist yet and returns the name of its device. Its bytes are
// in a file beside the folder.
func mountFaulty(dir string) (device string, err error) {
	image := dir + ".image"
	script := "truncate -s 32M \"$1\" && mkfs.ext4 -q \"$1\" && mkdir -m 700 \"$2\" && mount -o loop,errors=remount-ro \"$1\" \"$2\" && " +
		"chmod 700 \"$2\" && rmdir \"$2\"/lost+found && basename \"$(findmnt -n -o SOURCE \"$2\")\""
	out, err := exec.Command("sh", "-c", script, "sh", image, dir).Output()
	return strings.TrimSpace(string(out)), err
}

// faultFile returns the file through which a test makes the kernel treat a disk as failed.
func faultFile(device string) string { return "/sys/fs/ext4/" + device + "/trigger_fs_error" }

// cmdFaultyDisk puts a disk at a folder that does not exist yet, which "fault FOLDER" makes read-only: "faultydisk FOLDER".
func cmdFaultyDisk(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 1, 1, "faultydisk FOLDER")
	dir := ts.MkAbs(args[0])
	device, err := mountFaulty(dir)
	ts.Check(err)
	w.disks = append(w.disks, dir)
	ts.Setenv("DEVICE", device)
}

// cmdFault makes the disk of a script fail: from now on it is read-only, also for open files.
func cmdFault(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 0, 0, "fault")
	ts.Check(os.WriteFile(faultFile(ts.Getenv("DEVICE")), []byte("1"), 0))
}

// unmount unmounts the disks of a sandbox after its processes have ended.
func (w *sandbox) unmount() error {
	var err error
	for _, dir := range w.disks {
		if !await(func() bool { return exec.Command("umount", dir).Run() == nil }) { // the last process may still be ending
			err = errors.Join(err, fmt.Errorf("%s cannot be unmounted", dir))
		}
	}
	return err
}

// cmdReadOnly makes the disk of a folder read-only, or with "again" writable: "readonly FOLDER [again]".
func cmdReadOnly(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 2, "readonly FOLDER [again]")
	mode := "remount,ro"
	if len(args) == 2 {
		mode = "remount,rw"
	}
	if !await(func() bool { return exec.Command("mount", "-o", mode, ts.MkAbs(args[0])).Run() == nil }) {
		ts.Check(&os.PathError{Op: mode, Path: args[0], Err: syscall.EBUSY})
	}
}
