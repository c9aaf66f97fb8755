package executor

import (
	"errors"
	"os"
	"time"

	"wf/executor/proc"
	"wf/executor/rundir"
)

// A stray is what a command has left behind, in a session of its own and with an emptied
// environment, so that nothing on it tells where it comes from. While its runner lives it is below
// that, and killed with the rest. When the runner is killed it comes to the daemon, as a child that
// is neither a runner nor an execution. It belongs to a run whose runner has died and had begun
// before it was born. Where that is so of several runs, the last of them to end takes it along:
// until then it may be at work for one that goes on.

// orphanPause is between two looks at strays that were killed.
const orphanPause = 5 * time.Millisecond

// orphanPatience is how long after KILL a process is waited for.
const orphanPatience = 5 * time.Second

// errUnsettled says that a runner has just died: what is a child of ours now may be an execution
// that the next runner will adopt.
var errUnsettled = errors.New("a runner is being replaced")

// killOrphans kills those of the run, after its runner has ended. It returns who survived that.
func (d *claim) killOrphans() (survivors []int) {
	if !d.mayHaveOrphans() {
		return nil
	}
	for begin := time.Now(); ; time.Sleep(orphanPause) {
		left, err := d.findOrphans()
		switch {
		case err == nil && len(left) == 0:
			return nil
		case time.Since(begin) > orphanPatience:
			return proc.PIDs(left)
		case err == nil:
			proc.KillAll(func(c *proc.Table) []proc.Process { // who is left is found by the next look
				left, _ := d.orphansIn(c)
				return left
			})
		}
	}
}

// mayHaveOrphans reports whether there can be any, which costs nothing to know.
func (d *claim) mayHaveOrphans() bool {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	return d.reaper.ownsChildren && d.since != 0
}

func (d *claim) findOrphans() ([]proc.Process, error) {
	c, err := proc.ReadTable()
	if err != nil {
		return nil, err
	}
	return d.orphansIn(c)
}

// orphansIn returns the living processes that can only be of this run, and all below them. The children
// are in the census before the wards are looked at, for the reason that reap gives.
func (d *claim) orphansIn(c *proc.Table) (found []proc.Process, err error) {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	if d.reaper.unsettled(d) {
		return nil, errUnsettled
	}
	for _, i := range c.Children[os.Getpid()] {
		p := c.All[i]
		if p.PID > 1 && d.owns(p) {
			if !p.Dead {
				found = append(found, p)
			}
			found = append(found, c.Descendants(p.PID)...)
		}
	}
	return found, nil
}

// unsettled reports whether some other runner has died of which nobody knows yet what it leaves. The
// caller holds mu.
func (w *reaper) unsettled(but *claim) bool {
	for d := range w.list {
		if d != but && (!d.settled || (w.own[d.runner] != nil && !proc.IsAlive(d.runner))) {
			return true
		}
	}
	return false
}

// owns reports whether p, a child of ours, is a stray of this run and of no other. The caller holds mu.
func (d *claim) owns(p proc.Process) bool {
	if p.Born < d.since || d.reaper.own[p.PID] != nil {
		return false
	}
	for other := range d.reaper.list {
		_, kept := other.waitedFor[p.PID]
		if other != d && (kept || other.since != 0 && other.since <= p.Born) {
			return false
		}
	}
	run := rundir.MarkerOf(proc.Environment(p.PID)).Run
	return run == "" || run == d.run
}
