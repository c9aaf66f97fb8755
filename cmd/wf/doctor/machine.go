package doctor

import (
	"errors"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
)

// A machine has everything that doctor asks the system, so that tests can replace what they cannot bring about.
type machine struct {
	version   string // of this program
	self      string // its path; "" if unknown
	uid       int
	root      string // "/": where the files of the system lie
	patience  time.Duration
	now       func() time.Time
	diskOf    func(path string) (disk, error)
	writable  func(path string) bool
	lookPath  func(program string) (string, error)
	limit     func(which int) (uint64, error) // of RLIMIT_…
	pidfd     func() error
	subreaper func() error // makes this process a subreaper
}

// thisMachine returns the real machine.
func thisMachine(version string) machine {
	self, err := os.Executable()
	if err != nil {
		self = ""
	}
	return machine{
		version:   version,
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

// writable says whether a file or folder can be written to. For a folder it creates a file and removes it again:
// after a disk error the kernel makes the file system read-only without changing permissions or mount options.
func writable(path string) bool {
	if unix.Access(path, unix.W_OK) != nil {
		return false
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err == nil
	}
	f, err := os.CreateTemp(path, ".wf-doctor-")
	if err != nil {
		return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) // another check reports a full disk
	}
	_ = f.Close()
	return os.Remove(f.Name()) == nil
}

// limitOf returns the soft limit of this process, which its children inherit.
func limitOf(which int) (uint64, error) {
	var r unix.Rlimit
	err := unix.Getrlimit(which, &r)
	return r.Cur, err
}
