// Package proc reads the processes of this machine, signals them and waits for them. It knows no runs.
package proc

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// TimeOf is the time of day of a moment in ticks since boot.
func TimeOf(ticks int64) time.Time {
	return time.Now().Add(-time.Duration(Ticks()-ticks) * (time.Second / TicksPerSecond))
}

// A process as the system shows it at one moment.
type Process struct {
	PID, Parent, Group, Session int
	Born                        int64 // clock ticks since boot; what tells it from a later one with its pid
	Dead                        bool  // a zombie: nothing to signal
	BeforeExec                  bool  // forked, and has not executed a program yet
}

// A census is all processes of the machine at one moment, for questions about families.
type Table struct {
	All      []Process
	Children map[int][]int // PID → indexes in all
}

// ReadTable looks at every process once, which costs about 10 µs for each. Those that come or go
// meanwhile may be missing: whoever wants to be sure looks again.
func ReadTable() (*Table, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	c := &Table{All: all, Children: make(map[int][]int)}
	for i, p := range all {
		c.Children[p.Parent] = append(c.Children[p.Parent], i)
	}
	return c, nil
}

// Descendants returns the living processes that descend from pid, without pid itself. Who is asked for here
// may be killed, so a pid that was never set, below which is the whole machine, is a bug that ends here.
func (c *Table) Descendants(pid int) []Process {
	if pid <= 1 {
		panic(fmt.Sprintf("internal error: the family of process %d was asked for", pid))
	}
	var found []Process
	queue, seen := []int{pid}, map[int]bool{pid: true}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, i := range c.Children[parent] {
			p := c.All[i]
			if seen[p.PID] { // a census is not taken in one moment: a reused pid can close a circle
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

// Signal sends sig to p unless its pid belongs to somebody else by now. A process that is gone is
// not an error.
func (p Process) Signal(sig unix.Signal) error {
	err := signalProcess(p, sig)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// freezeRounds bounds how often a family is looked at again while it is being stopped. Each round
// halts all members found, so only a fork storm needs more than two.
const freezeRounds = 100

// KillAll ends the processes that find finds. They are stopped first, until no new one
// appears, because killing one by one loses against a family that keeps forking.
func KillAll(find func(*Table) []Process) error {
	frozen := make(map[int]int64)
	var members []Process
	for range freezeRounds {
		c, err := ReadTable()
		if err != nil {
			return err
		}
		members = find(c)
		grown := false
		for _, p := range members {
			if born, ok := frozen[p.PID]; ok && born == p.Born {
				continue
			}
			frozen[p.PID] = p.Born
			grown = true
			p.Signal(unix.SIGSTOP) // who cannot be stopped may still be killed
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

// A window is the earliest and the latest moment a process can have been born, in clock ticks
// since boot. Together with the pid and the boot it identifies a process.
type Window [2]int64

func (w Window) Contains(born int64) bool { return w[0] <= born && born <= w[1] }

// A death is how a process ended.
type Death struct {
	PID          int
	Code, Signal int
	User, System time.Duration
}

func PIDs(list []Process) []int {
	pids := make([]int, 0, len(list))
	for _, p := range list {
		pids = append(pids, p.PID)
	}
	slices.Sort(pids)
	return pids
}

func IsAlive(pid int) bool {
	p, err := Read(pid)
	return err == nil && !p.Dead
}
