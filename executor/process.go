package executor

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// A process as the system shows it at one moment.
type process struct {
	pid, parent, group, session int
	born                        int64 // clock ticks since boot; what tells it from a later one with its pid
	dead                        bool  // a zombie: nothing to signal
	bare                        bool  // forked, and has not executed a program yet
}

// A census is all processes of the machine at one moment, for questions about families.
type census struct {
	all      []process
	children map[int][]int // pid → indexes in all
}

// takeCensus looks at every process once, which costs about 10 µs for each. Those that come or go
// meanwhile may be missing: whoever wants to be sure looks again.
func takeCensus() (*census, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	c := &census{all: all, children: make(map[int][]int)}
	for i, p := range all {
		c.children[p.parent] = append(c.children[p.parent], i)
	}
	return c, nil
}

// below returns the living processes that descend from pid, without pid itself. Who is asked for here
// may be killed, so a pid that was never set, below which is the whole machine, is a bug that ends here.
func (c *census) below(pid int) []process {
	if pid <= 1 {
		panic(fmt.Sprintf("internal error: the family of process %d was asked for", pid))
	}
	var found []process
	queue, seen := []int{pid}, map[int]bool{pid: true}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, i := range c.children[parent] {
			p := c.all[i]
			if seen[p.pid] { // a census is not taken in one moment: a reused pid can close a circle
				continue
			}
			seen[p.pid] = true
			queue = append(queue, p.pid)
			if !p.dead {
				found = append(found, p)
			}
		}
	}
	return found
}

// signal sends sig to p unless its pid belongs to somebody else by now. A process that is gone is
// not an error.
func (p process) signal(sig unix.Signal) error {
	err := signalProcess(p, sig)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// freezeRounds bounds how often a family is looked at again while it is being stopped. Each round
// halts all members found, so only a fork storm needs more than two.
const freezeRounds = 100

// killFamily ends the processes that find finds. They are stopped first, until no new one
// appears, because killing one by one loses against a family that keeps forking.
func killFamily(find func(*census) []process) error {
	frozen := make(map[int]int64)
	var members []process
	for range freezeRounds {
		c, err := takeCensus()
		if err != nil {
			return err
		}
		members = find(c)
		grown := false
		for _, p := range members {
			if born, ok := frozen[p.pid]; ok && born == p.born {
				continue
			}
			frozen[p.pid] = p.born
			grown = true
			p.signal(unix.SIGSTOP) // who cannot be stopped may still be killed
		}
		if !grown {
			break
		}
	}
	var errs []error
	for _, p := range members {
		errs = append(errs, p.signal(unix.SIGKILL))
	}
	return errors.Join(errs...)
}
