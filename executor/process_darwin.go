package executor

import (
	"errors"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// macOS has no subreaper, no pidfd and no /proc. Orphans leave the runner's family, so that a
// process that gave itself a new session and lost its parent is not found; everything else is.

// BecomeSubreaper does nothing: this system has no such thing.
func BecomeSubreaper() error { return nil }

// ticksPerSecond is the unit of birth times, here microseconds since 1970.
const ticksPerSecond = 1_000_000

// bootID names this boot of the machine by its time.
func bootID() (string, error) {
	boot, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(boot.Nano(), 10), nil
}

func ticksNow() int64 { return time.Now().UnixMicro() }

func processes() ([]process, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]process, 0, len(list))
	for i := range list {
		all = append(all, fromKinfo(&list[i]))
	}
	return all, nil
}

func fromKinfo(k *unix.KinfoProc) process {
	const zombie = 5 // SZOMB
	return process{
		pid:    int(k.Proc.P_pid),
		parent: int(k.Eproc.Ppid),
		group:  int(k.Eproc.Pgid),
		born:   k.Proc.P_starttime.Nano() / int64(time.Microsecond),
		dead:   k.Proc.P_stat == zombie,
	}
}

// errNoProcess says that a pid is nobody's.
var errNoProcess = errors.New("no such process")

func readProcess(pid int) (process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return process{}, errNoProcess
	}
	return fromKinfo(k), nil
}

// environmentOf cannot look into other processes here.
func environmentOf(int) []string { return nil }

// signalProcess has a gap of a few microseconds between the check and the signal.
func signalProcess(p process, sig unix.Signal) error {
	now, err := readProcess(p.pid)
	if err != nil || now.born != p.born {
		return unix.ESRCH
	}
	return unix.Kill(p.pid, sig)
}

// forkAttributes are those of a command. There are no descriptors of processes here.
func forkAttributes(*int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

// nextDeath reaps at once, so a runner killed between this and the record loses one status.
func nextDeath() (*death, error) {
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
	d := &death{
		pid:    pid,
		user:   time.Duration(usage.Utime.Nano()),
		system: time.Duration(usage.Stime.Nano()),
	}
	if status.Signaled() {
		d.signal = int(status.Signal())
	} else {
		d.code = status.ExitStatus()
	}
	return d, nil
}

// reap has nothing left to do, see nextDeath.
func reap(int) {}

// A childList is not needed: orphans do not come to the runner.
type childList struct{}

func openChildList() *childList { return nil }

func (*childList) any(func(int) bool) bool { return false }

// foreignFate cannot be known here: only a parent learns how a process ended.
func foreignFate(process) *death { return nil }

// awaitForeign looks until p is gone.
func awaitForeign(p process) *death {
	const interval = 200 * time.Millisecond
	for {
		if now, err := readProcess(p.pid); err != nil || now.born != p.born || now.dead {
			return nil
		}
		time.Sleep(interval)
	}
}

// StartBeside starts a program that is nobody's child: a shell starts it and ends. Its output is
// appended to the file log.
func StartBeside(argv, env []string, log string) error {
	shell := append([]string{defaultShell, "-c", `"$@" </dev/null >>"$0" 2>&1 &`, log}, argv...)
	_, err := syscall.ForkExec(defaultShell, shell, &syscall.ProcAttr{
		Dir: "/", Env: env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	return err
}
