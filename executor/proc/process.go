// Package proc reads the processes of this machine, signals them and waits for them. It contains nothing about runs.
package proc

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// TimeOf returns the time of day of a moment in clock ticks since boot.
func TimeOf(ticks int64) time.Time {
	return time.Now().Add(-time.Duration(Ticks()-ticks) * (time.Second / ticksPerSecond))
}

// A Process is a process at the moment when it was read.
type Process struct {
	PID, Parent, Group, Session int
	StartTicks                  int64 // clock ticks since boot; distinguishes it from a later process with the same pid
	Dead                        bool  // a zombie
	BeforeExec                  bool  // it has not executed a program since its fork
}

// A Table contains the processes of the machine.
type Table struct {
	All      []Process
	Children map[int][]int // by pid: indexes in All
}

// ReadTable reads all processes, which costs about 10 µs for each. Processes that start or end meanwhile may be missing:
// a caller that must be sure reads again.
func ReadTable() (*Table, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	t := &Table{All: all, Children: make(map[int][]int)}
	for i, p := range all {
		t.Children[p.Parent] = append(t.Children[p.Parent], i)
	}
	return t, nil
}

// Descendants returns the living processes that descend from pid, without pid itself. Callers kill them, so a pid of 0
// or 1, from which all processes descend, is a bug and panics.
func (t *Table) Descendants(pid int) []Process {
	if pid <= 1 {
		panic(fmt.Sprintf("internal error: the family of process %d was asked for", pid))
	}
	var found []Process
	queue, seen := []int{pid}, map[int]bool{pid: true}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, i := range t.Children[parent] {
			p := t.All[i]
			if seen[p.PID] { // processes are read one after the other, so a reused pid can close a circle
				continue
			}
			seen[p.PID] = true
			queue = append(queue, p.PID)
			if !p.Dead {
				found = append(found, p)
			}
		}
	}
	return found
}

// Signal sends sig to p unless its pid belongs to another process by now. It returns nil if p has ended.
func (p Process) Signal(sig unix.Signal) error {
	err := signalProcess(p, sig)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// freezeRounds is how often KillAll looks for more processes. Each round halts all that it finds, so only a process that
// keeps forking needs more than two.
const freezeRounds = 100

// KillAll kills the processes that find returns. First it halts them with SIGSTOP until find returns no new one: a group
// of processes that keep forking would outrun one KILL after the other.
func KillAll(find func(*Table) []Process) error {
	frozen := make(map[int]int64)
	var members []Process
	for range freezeRounds {
		t, err := ReadTable()
		if err != nil {
			return err
		}
		members = find(t)
		grown := false
		for _, p := range members {
			if start, ok := frozen[p.PID]; ok && start == p.StartTicks {
				continue
			}
			frozen[p.PID] = p.StartTicks
			grown = true
			p.Signal(unix.SIGSTOP) // even if this fails, KILL may work
		}
		if !grown {
			break
		}
	}
	var errs []error
	for _, p := range members {
		errs = append(errs, p.Signal(unix.SIGKILL))
	}
	return errors.Join(errs...)
}

// A Window is the earliest and the latest moment at which a process can have been started, in clock ticks since boot.
// Together with the pid and the boot it identifies a process.
type Window [2]int64

// Contains reports whether a process with this start time, in ticks, can be the one of the window.
func (w Window) Contains(start int64) bool { return w[0] <= start && start <= w[1] }

// A Death is how a process ended.
type Death struct {
	PID          int
	Code, Signal int
	User, System time.Duration
	Peak         int64 // of memory, of it or of the largest of its children that were waited for, in bytes
}

// OwnPeak returns the peak of memory of this process in bytes, or 0 if it is not known.
func OwnPeak() int64 {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return peakOf(&usage)
}

// deathOf converts a status of wait(2).
func deathOf(pid int, status unix.WaitStatus) *Death {
	d := &Death{PID: pid}
	if status.Signaled() {
		d.Signal = int(status.Signal())
	} else {
		d.Code = status.ExitStatus()
	}
	return d
}

// PIDs returns the pids of a list, sorted.
func PIDs(list []Process) []int {
	pids := make([]int, 0, len(list))
	for _, p := range list {
		pids = append(pids, p.PID)
	}
	slices.Sort(pids)
	return pids
}

// IsAlive reports whether a process exists and is not a zombie.
func IsAlive(pid int) bool {
	p, err := Read(pid)
	return err == nil && !p.Dead
}
