package proc

import (
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func CompareStart(a, b Process) int { return int(a.Born - b.Born) }

func OpenHandle(int, Window) int { return -1 }

func HandleExit(int, int) *Death { return nil }

func IsSubreaper() bool { return false }

// Children are not needed: there are no orphans to reap.
func Children() ([]int, error) { return nil, nil }

// macOS has no subreaper, no pidfd and no /proc. Orphans leave the runner's family, so that a
// process that gave itself a new session and lost its parent is not found; everything else is.

// BecomeSubreaper does nothing: this system has no such thing.
func BecomeSubreaper() error { return nil }

// TicksPerSecond is the unit of birth times, here microseconds since 1970.
const TicksPerSecond = 1_000_000

// BootID names this boot of the machine by its time.
func BootID() (string, error) {
	boot, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(boot.Nano(), 10), nil
}

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
		PID:    int(k.Proc.P_pid),
		Parent: int(k.Eproc.Ppid),
		Group:  int(k.Eproc.Pgid),
		Born:   k.Proc.P_starttime.Nano() / int64(time.Microsecond),
		Dead:   k.Proc.P_stat == zombie,
	}
}

// errNoProcess says that a pid is nobody's.
var errNoProcess = errors.New("no such process")

func Read(pid int) (Process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return Process{}, errNoProcess
	}
	return fromKinfo(k), nil
}

// Environment cannot look into other processes here.
func Environment(int) []string { return nil }

// signalProcess has a gap of a few microseconds between the check and the signal.
func signalProcess(p Process, sig unix.Signal) error {
	now, err := Read(p.PID)
	if err != nil || now.Born != p.Born {
		return unix.ESRCH
	}
	return unix.Kill(p.PID, sig)
}

// NextDeath reaps at once, so a runner killed between this and the record loses one status.
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
	d := &Death{
		PID:    pid,
		User:   time.Duration(usage.Utime.Nano()),
		System: time.Duration(usage.Stime.Nano()),
	}
	if status.Signaled() {
		d.Signal = int(status.Signal())
	} else {
		d.Code = status.ExitStatus()
	}
	return d, nil
}

// Reap has nothing left to do, see NextDeath.
func Reap(int) {}

// A ChildList is not needed: orphans do not come to the runner.
type ChildList struct{}

func OpenChildList() *ChildList { return nil }

func (*ChildList) Close() {}

func (*ChildList) HasOther(func(int) bool) bool { return false }

// ZombieExit cannot be known here: only a parent learns how a process ended.
func ZombieExit(Process) *Death { return nil }

// AwaitExit looks until p is gone.
func AwaitExit(p Process) *Death {
	const interval = 200 * time.Millisecond
	for {
		if now, err := Read(p.PID); err != nil || now.Born != p.Born || now.Dead {
			return nil
		}
		time.Sleep(interval)
	}
}

func OutputFiles(int) []os.FileInfo { return nil }

func Program(int) string { return "" }
