package procattr

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitKinds are the limits in Attributes.
var limitKinds = map[string]int{
	"as": unix.RLIMIT_AS, "core": unix.RLIMIT_CORE, "cpu": unix.RLIMIT_CPU, "data": unix.RLIMIT_DATA,
	"fsize": unix.RLIMIT_FSIZE, "locks": unix.RLIMIT_LOCKS, "memlock": unix.RLIMIT_MEMLOCK,
	"msgqueue": unix.RLIMIT_MSGQUEUE, "nice": unix.RLIMIT_NICE, "nofile": unix.RLIMIT_NOFILE,
	"nproc": unix.RLIMIT_NPROC, "rss": unix.RLIMIT_RSS, "rtprio": unix.RLIMIT_RTPRIO,
	"rttime": unix.RLIMIT_RTTIME, "sigpending": unix.RLIMIT_SIGPENDING, "stack": unix.RLIMIT_STACK,
}

// Own returns the attributes of this process as they were when the program started. The Go runtime has raised the limit of
// open files since, and Own sets it back. Own changes the umask for a moment, so no other goroutine may create files meanwhile;
// reading it from /proc takes a fortieth of the processor time of a short command.
func Own() Attributes {
	restoreFileLimit()
	w := Attributes{Limits: map[string]Limit{}}
	for name, kind := range limitKinds {
		var l unix.Rlimit
		if unix.Getrlimit(kind, &l) == nil {
			w.Limits[name] = Limit{limitNumber(l.Cur), limitNumber(l.Max)}
		}
	}
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	w.Umask = &mask
	if nice, ok := ownNice(); ok {
		w.Nice = &nice
	}
	w.CPUs = ownCPUs()
	return w
}

// restoreFileLimit sets the limit of open files to the one with which this process was started. Only package syscall knows it,
// and restores it before it executes another program. There is none of this name, so nothing is executed.
func restoreFileLimit() { _ = syscall.Exec("", []string{""}, nil) }

// ownUmask reads the umask from /proc, because umask(2) would change it for a moment, for all threads. It reads it once,
// since no program of this module changes it.
var ownUmask = sync.OnceValues(func() (int, bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, found := strings.Cut(string(status), "\nUmask:")
	line, _, _ := strings.Cut(rest, "\n")
	mask, err := strconv.ParseUint(strings.TrimSpace(line), 8, 16)
	return int(mask), found && err == nil
})

// ownNice returns the nice value. The system call returns 20 minus that value.
func ownNice() (int, bool) {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	return 20 - n, err == nil
}

func ownCPUs() string {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return ""
	}
	var list []int
	for cpu := 0; cpu < len(set)*64; cpu++ {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return writeCPUs(list)
}

// differs reports whether this process has other attributes.
func (w Attributes) differs() bool { return len(w.Calls()) > 0 }

// enter sets the attributes of this process, as far as it may.
func (w Attributes) enter() {
	if l, said := w.Limits["nofile"]; said {
		// The Go runtime restores the limit at exec unless it was set through package syscall.
		if now, known := filesBefore(); known {
			to := l.rlimit(unix.RLIMIT_NOFILE, now)
			_ = syscall.Setrlimit(unix.RLIMIT_NOFILE, &syscall.Rlimit{Cur: to.Cur, Max: to.Max})
		}
	}
	for _, c := range w.Calls() {
		_, _, _ = syscall.RawSyscall6(c.Number, c.A, c.B, c.C, c.D, 0, 0)
	}
}

// Calls returns the system calls that change the attributes of this process to w. They point to memory that lives as
// long as the returned list.
func (w Attributes) Calls() []Call {
	var list []Call
	for name, kind := range limitKinds {
		l, said := w.Limits[name]
		var now unix.Rlimit
		if !said || unix.Getrlimit(kind, &now) != nil {
			continue
		}
		if before, known := filesBefore(); kind == unix.RLIMIT_NOFILE && known {
			now = before
		}
		to := l.rlimit(kind, now)
		if kept := (unix.Rlimit{Cur: min(to.Cur, now.Max), Max: min(to.Max, now.Max)}); kept != to && kept != now {
			list = append(list, limitCall(kind, &kept)) // even root may lack the privilege to raise a hard limit
		}
		if to != now {
			list = append(list, limitCall(kind, &to))
		}
	}
	if now, ok := ownUmask(); w.Umask != nil && (!ok || now != *w.Umask) {
		list = append(list, Call{Number: unix.SYS_UMASK, A: uintptr(*w.Umask)})
	}
	if now, ok := ownNice(); w.Nice != nil && (!ok || now != *w.Nice) {
		list = append(list, Call{Number: unix.SYS_SETPRIORITY, A: unix.PRIO_PROCESS, C: uintptr(*w.Nice)})
	}
	if cpus, err := parseCPUs(w.CPUs); err == nil && len(cpus) > 0 && w.CPUs != ownCPUs() {
		var set unix.CPUSet
		for _, cpu := range cpus {
			set.Set(cpu)
		}
		list = append(list, affinityCall(&set))
	}
	return list
}

// Prepare reads what Calls needs and what does not change.
func Prepare() { ownUmask() }
