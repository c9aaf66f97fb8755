package main

import (
	"errors"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
)

// A machine is what a doctor asks about the world besides files: what no test can bring about on the
// machine that it runs on.
type machine struct {
	version   string // of this program
	self      string // its path; "" when nobody knows
	uid       int
	root      string // "/": where the files of the system lie
	patience  time.Duration
	now       func() time.Time
	diskOf    func(path string) (disk, error)
	writable  func(path string) bool
	lookPath  func(program string) (string, error)
	limit     func(which int) (uint64, error) // of RLIMIT_…
	pidfd     func() error
	subreaper func() error // makes this process one, which has no children
}

// thisMachine is the one that it looks at when people ask.
func thisMachine() machine {
	self, err := os.Executable()
	if err != nil {
		self = ""
	}
	return machine{
		version:   version(),
		self:      self,
		uid:       os.Geteuid(),
		root:      "/",
		patience:  doctorPatience,
		now:       time.Now,
		diskOf:    diskOf,
		writable:  writable,
		lookPath:  exec.LookPath,
		limit:     limitOf,
		pidfd:     pidfd,
		subreaper: proc.BecomeSubreaper,
	}
}

// writable tries it for a folder, with a file that it removes again: a disk that the kernel has made read-only after an error still has
// the rights and the options of one that can be written to.
func writable(path string) bool {
	if unix.Access(path, unix.W_OK) != nil {
		return false
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err == nil
	}
	f, err := os.CreateTemp(path, ".wf-doctor-")
	if err != nil {
		return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) // another check says so
	}
	_ = f.Close()
	return os.Remove(f.Name()) == nil
}

// limitOf is a limit of this process, as it is for those that it starts.
func limitOf(which int) (uint64, error) {
	var r unix.Rlimit
	err := unix.Getrlimit(which, &r)
	return r.Cur, err
}
