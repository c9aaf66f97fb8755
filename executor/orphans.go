package executor

import (
	"errors"
	"os"
	"time"

	"wf/executor/proc"
	"wf/executor/rundir"
)

// An orphan process is one that a command has left behind. It may have a session of its own and an empty environment, so
// that nothing in it names its run. While its runner is alive it is a descendant of the runner, which kills it at the end
// of the run. When the runner is killed it becomes a child of the daemon, neither a runner nor an execution. It belongs to
// a run whose runner has died and had started before it. If several runs match, the last of them to end kills it: until
// then it may be working for a run that goes on.

// orphanPause is the time between two searches for orphan processes that were killed.
const orphanPause = 5 * time.Millisecond

// orphanTimeout is how long killOrphans waits for a process after KILL.
const orphanTimeout = 5 * time.Second

// errUnsettled says that a runner has just died: its children, which are now children of this process, may be executions
// that the next runner will adopt.
var errUnsettled = errors.New("a runner is being replaced")

// killOrphans kills the orphan processes of the run, after its runner has ended. It returns those that survive KILL.
func (d *claim) killOrphans() (survivors []int) {
	if !d.mayHaveOrphans() {
		return nil
	}
	for begin := time.Now(); ; time.Sleep(orphanPause) {
		left, err := d.findOrphans()
		switch {
		case err == nil && len(left) == 0:
			return nil
		case time.Since(begin) > orphanTimeout:
			return proc.PIDs(left)
		case err == nil:
			proc.KillAll(func(table *proc.Table) []proc.Process { // the next findOrphans finds the survivors
				left, _ := d.orphansIn(table)
				return left
			})
		}
	}
}

// mayHaveOrphans reports whether there can be orphan processes, without reading the process table.
func (d *claim) mayHaveOrphans() bool {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	return d.reaper.ownsChildren && d.since != 0
}

func (d *claim) findOrphans() ([]proc.Process, error) {
	table, err := proc.ReadTable()
	if err != nil {
		return nil, err
	}
	return d.orphansIn(table)
}

// orphansIn returns the living processes that can only belong to this run, with their descendants. The table must have
// been read before the claims are looked at, for the reason given at reap.
func (d *claim) orphansIn(table *proc.Table) (found []proc.Process, err error) {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	if d.reaper.unsettled(d) {
		return nil, errUnsettled
	}
	for _, i := range table.Children[os.Getpid()] {
		p := table.All[i]
		if p.PID > 1 && d.owns(p) {
			if !p.Dead {
				found = append(found, p)
			}
			found = append(found, table.Descendants(p.PID)...)
		}
	}
	return found, nil
}

// unsettled reports whether a runner of another session has died whose successor has not listed its processes yet. The
// caller holds mu.
func (w *reaper) unsettled(but *claim) bool {
	for d := range w.list {
		if d != but && (!d.settled || (w.own[d.runner] != nil && !proc.IsAlive(d.runner))) {
			return true
		}
	}
	return false
}

// owns reports whether p, a child of this process, is an orphan of this run and of no other. The caller holds mu.
func (d *claim) owns(p proc.Process) bool {
	if p.StartTicks < d.since || d.reaper.own[p.PID] != nil {
		return false
	}
	for other := range d.reaper.list {
		_, kept := other.waitedFor[p.PID]
		if other != d && (kept || other.since != 0 && other.since <= p.StartTicks) {
			return false
		}
	}
	run := rundir.MarkerOf(proc.Environment(p.PID)).Run
	return run == "" || run == d.run
}
