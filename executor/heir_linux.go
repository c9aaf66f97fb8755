package executor

import (
	"cmp"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// look takes the candidates of one moment.
func (s *search) look() (*candidates, error) {
	all, err := takeCensus()
	if err != nil {
		return nil, err
	}
	c := &candidates{}
	for _, p := range all.all {
		if (s.parent == 0 || p.parent == s.parent) && p.born >= s.since && !s.known[p.pid] {
			s.sort(c, p)
		}
	}
	return c, nil
}

// sort puts one child of the parent where it belongs.
func (s *search) sort(c *candidates, p process) {
	if p.dead {
		// One that never got to its program has not run: exec was refused, or it died before.
		if !p.bare && p.session == p.pid {
			c.zombies = append(c.zombies, p)
		}
		return
	}
	env := environmentOf(p.pid)
	m := markerOf(env)
	_, isRunner := value(env, heirVariable)
	switch {
	case p.bare: // it still shows the environment of the runner, which has no marker
		c.unsettled = c.unsettled || m.node == ""
	case p.session != p.pid:
	case m == s.marker && m.node != "":
		c.mine = append(c.mine, p)
	case m.run != "" || isRunner: // of another execution, or another run
	default:
		c.blank = c.blank || !slices.ContainsFunc(env, func(v string) bool { return v != "" })
		c.strangers = append(c.strangers, p)
	}
}

// byBirth orders processes by their birth: by ticks, and within one by the number that the kernel
// (6.9 and later) gives to each.
func byBirth(a, b process) int {
	return cmp.Or(cmp.Compare(a.born, b.born), cmp.Compare(birthNumber(a.pid), birthNumber(b.pid)),
		cmp.Compare(a.pid, b.pid))
}

// birthNumber is the inode of a pidfd, which counts processes, or 0.
func birthNumber(pid int) uint64 {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0
	}
	return st.Ino
}

// openHandle returns a pidfd of the process that was born within the window, or -1.
func openHandle(pid int, born window) int {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1
	}
	if now, err := readProcess(pid); err != nil || !born.holds(now.born) {
		unix.Close(fd)
		return -1
	}
	return fd
}

// fateOf tells how the process behind a handle ended, which is gone, or nil.
func fateOf(handle, pid int) *death {
	return fateBehind(handle, process{pid: pid, born: -1}) // nobody has this birth: only the kernel is asked
}

// isSubreaper reports whether orphans below this process become its children.
func isSubreaper() bool {
	var yes int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&yes)), 0, 0, 0)
	return err == nil && yes == 1
}
