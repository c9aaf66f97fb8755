package procattr

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// limitKinds are the limits in Attributes.
var limitKinds = map[string]int{
	"as": unix.RLIMIT_AS, "core": unix.RLIMIT_CORE, "cpu": unix.RLIMIT_CPU, "data": unix.RLIMIT_DATA,
	"fsize": unix.RLIMIT_FSIZE, "memlock": unix.RLIMIT_MEMLOCK, "nproc": unix.RLIMIT_NPROC,
	"rss": unix.RLIMIT_RSS, "stack": unix.RLIMIT_STACK,
}

// Own returns the attributes of this process. There are no lists of processors, and the limit of open files before the
// Go runtime raised it is unknown.
func Own() Attributes {
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
	if nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		w.Nice = &nice
	}
	return w
}

// differs reports whether this process has other attributes.
func (w Attributes) differs() bool {
	own := Own()
	if w.Umask != nil && *w.Umask != *own.Umask || w.Nice != nil && own.Nice != nil && *w.Nice != *own.Nice {
		return true
	}
	for name, l := range w.Limits {
		if now, said := own.Limits[name]; said && now != l {
			return true
		}
	}
	return false
}

// enter sets the attributes of this process, as far as it may.
func (w Attributes) enter() {
	for name, kind := range limitKinds {
		var now unix.Rlimit
		if l, said := w.Limits[name]; said && unix.Getrlimit(kind, &now) == nil {
			to := l.rlimit(kind, now)
			_ = syscall.Setrlimit(kind, &syscall.Rlimit{Cur: to.Cur, Max: to.Max}) // the Go runtime does not restore this one at exec
		}
	}
	if w.Nice != nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, *w.Nice)
	}
	if w.Umask != nil {
		syscall.Umask(*w.Umask)
	}
}

// Prepare does nothing: a helper sets the attributes.
func Prepare() {}
