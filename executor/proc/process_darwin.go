package proc

import (
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// CompareStart orders processes by their start.
func CompareStart(a, b Process) int { return int(a.StartTicks - b.StartTicks) }

// OpenHandle returns -1: macOS has no pidfds.
func OpenHandle(int, Window) int { return -1 }

// HandleExit returns nil: macOS has no pidfds.
func HandleExit(int, int) *Death { return nil }

// IsSubreaper returns false: macOS has no subreapers.
func IsSubreaper() bool { return false }

// Children returns none: orphans do not become children of this process.
func Children() ([]int, error) { return nil, nil }

// macOS has no subreaper, no pidfd and no /proc. launchd adopts orphans, so a process that has created a session and
// lost its parent is not found; all others are.

// BecomeSubreaper does nothing: macOS has no subreapers.
func BecomeSubreaper() error { return nil }

// ticksPerSecond is the unit of start times, here microseconds since 1970.
const ticksPerSecond = 1_000_000

// BootID returns the time of the boot.
func BootID() (string, error) {
	boot, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(boot.Nano(), 10), nil
}

// Ticks returns the start time that a process forked now would get.
func Ticks() int64 { return time.Now().UnixMicro() }

func processes() ([]Process, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]Process, 0, len(list))
	for i := range list {
		all = append(all, fromKinfo(&list[i]))
	}
	return all, nil
}

func fromKinfo(k *unix.KinfoProc) Process {
	const zombie = 5 // SZOMB
	return Process{
		PID:        int(k.Proc.P_pid),
		Parent:     int(k.Eproc.Ppid),
		Group:      int(k.Eproc.Pgid),
		StartTicks: k.Proc.P_starttime.Nano() / int64(time.Microsecond),
		Dead:       k.Proc.P_stat == zombie,
	}
}

// errNoProcess says that no process has the pid.
var errNoProcess = errors.New("no such process")

// Read reads one process. It returns an error if no process has the pid.
func Read(pid int) (Process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return Process{}, errNoProcess
	}
	return fromKinfo(k), nil
}

// Environment returns nil: macOS does not show the environment of other processes.
func Environment(int) []string { return nil }

// signalProcess has a gap of a few microseconds between the comparison and the signal.
func signalProcess(p Process, sig unix.Signal) error {
	now, err := Read(p.PID)
	if err != nil || now.StartTicks != p.StartTicks {
		return unix.ESRCH
	}
	return unix.Kill(p.PID, sig)
}

// NextDeath reaps at once: if the runner is killed before it writes its log, one exit status is lost.
func NextDeath() (*Death, error) {
	const options = unix.WNOHANG
	var status unix.WaitStatus
	var usage unix.Rusage
	pid, err := unix.Wait4(-1, &status, options, &usage)
	for errors.Is(err, unix.EINTR) {
		pid, err = unix.Wait4(-1, &status, options, &usage)
	}
	if err != nil || pid <= 0 {
		return nil, err
	}
	d := deathOf(pid, status)
	d.User, d.System, d.Peak = time.Duration(usage.Utime.Nano()), time.Duration(usage.Stime.Nano()), peakOf(&usage)
	return d, nil
}

// peakOf returns the peak of memory in bytes.
func peakOf(usage *unix.Rusage) int64 { return usage.Maxrss }

// Reap does nothing, see NextDeath.
func Reap(int) {}

// A ChildList is always empty: orphans do not become children of this process.
type ChildList struct{}

// OpenChildList returns an empty list.
func OpenChildList() *ChildList { return nil }

// Close does nothing.
func (*ChildList) Close() {}

// HasOther returns false.
func (*ChildList) HasOther(func(int) bool) bool { return false }

// ZombieExit returns nil: only the parent can learn how a process ended.
func ZombieExit(Process) *Death { return nil }

// AwaitExit waits until p has ended. It returns nil: only the parent can learn how.
func AwaitExit(p Process) *Death {
	const interval = 200 * time.Millisecond
	for {
		if now, err := Read(p.PID); err != nil || now.StartTicks != p.StartTicks || now.Dead {
			return nil
		}
		time.Sleep(interval)
	}
}

// OutputFiles returns none: macOS does not show the files of other processes.
func OutputFiles(int) []os.FileInfo { return nil }

// Program returns "": it is only used to describe leftover processes.
func Program(int) string { return "" }
