package runner

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/wire"
)

const (
	// killPatience is how long after KILL something may still be there (it sits in the kernel,
	// waiting for a disk) until the run goes on without it.
	killPatience = 5 * time.Second
	firstLook    = 5 * time.Millisecond // between two looks at what was killed, then doubled
	longestLook  = 200 * time.Millisecond
)

// A stop is how far the ladder TERM, grace, KILL has come for one execution.
type stop struct {
	deadline time.Time // when TERM has been waited for long enough
	killed   time.Time // when KILL was first sent; zero before
}

// The hunt is the state of all stops together: one look at the processes of the machine serves
// all of them.
type hunt struct {
	stopping map[*execution]struct{}
	look     bool      // something has died, so that somebody may be gone
	looked   time.Time // the last time
	next     time.Time // when to look without a death
	pause    time.Duration
	swept    time.Time // when the sweep at the end of the run first killed; zero before
}

// stopAll begins to stop executions, or shortens the grace of those being stopped.
func (r *runner) stopAll(ids []wire.ID, grace time.Duration) {
	deadline := time.Now().Add(grace)
	var fresh []*execution
	for _, id := range ids {
		e := r.active[id]
		switch {
		case e == nil:
		case e.lacks > 0:
			r.takeBack(e)
			r.end(e, &wire.Entry{Stopped: true})
		case e.waiting:
			r.queue.drop(e)
			r.end(e, &wire.Entry{Stopped: true})
		case e.stop == nil:
			r.beginStop(e, deadline)
			fresh = append(fresh, e)
		case deadline.Before(e.stop.deadline):
			e.stop.deadline = deadline
		}
	}
	r.hunt.look, r.hunt.pause = true, firstLook
	if grace > 0 {
		r.terminate(fresh)
	}
}

// beginStop records that e shall end, so that the next runner would go on with it.
func (r *runner) beginStop(e *execution, deadline time.Time) {
	e.stop = &stop{deadline: deadline}
	if !e.foreign { // adopt has looked at those
		r.mark(e, e.job.Env, r.env.base)
	}
	if r.hunt.stopping == nil {
		r.hunt.stopping = make(map[*execution]struct{})
	}
	r.hunt.stopping[e] = struct{}{}
	r.note(&wire.Entry{
		Kind: wire.EntryStop, Node: e.job.ID.Node, Execution: e.job.ID.Execution,
		Time: deadline.UnixNano(),
	})
}

// terminate sends TERM to the families, and CONT after it: a halted process would never see it.
func (r *runner) terminate(executions []*execution) {
	if len(executions) == 0 {
		return
	}
	for _, e := range executions {
		if !e.foreign && !e.gone { // unreaped: the group is still its own
			unix.Kill(-e.pid, unix.SIGTERM) // gone is fine; the ladder goes on
			unix.Kill(-e.pid, unix.SIGCONT)
		}
	}
	c, err := proc.ReadTable()
	if err != nil {
		return // KILL will follow
	}
	for _, e := range executions {
		for _, p := range r.members(c, e) {
			if p.Group == e.pid && !e.foreign {
				continue
			}
			p.Signal(unix.SIGTERM)
			p.Signal(unix.SIGCONT)
		}
	}
}

// members returns the living processes of an execution: its session and group, what carries its
// marker, and all descendants of these.
func (r *runner) members(c *proc.Table, e *execution) []proc.Process {
	pool := r.pool(c, e)
	found := make(map[int]proc.Process)
	for _, p := range pool {
		if !r.belongs(p, e) {
			continue
		}
		found[p.PID] = p
		for _, child := range c.Descendants(p.PID) {
			found[child.PID] = child
		}
	}
	return slices.Collect(maps.Values(found))
}

// pool returns where members of e can be: below us, or anywhere if an earlier runner started it.
func (r *runner) pool(c *proc.Table, e *execution) []proc.Process {
	if !e.foreign {
		return c.Descendants(r.pid)
	}
	return slices.DeleteFunc(slices.Clone(c.All), func(p proc.Process) bool {
		return p.Dead || p.PID == r.pid
	})
}

// belongs reports whether p is of the execution by itself, not by its parents.
func (r *runner) belongs(p proc.Process, e *execution) bool {
	if p.PID == e.pid {
		return e.born.Contains(p.Born)
	}
	if other := r.running[p.Session]; p.Born < e.born[0] || (other != nil && other != e) {
		return false // older than e, or in the session of another
	}
	if p.Session == e.pid || p.Group == e.pid {
		return true
	}
	return e.marker.Node != "" && rundir.MarkerOf(proc.Environment(p.PID)) == e.marker
}

// pursue moves every stop on, and the sweep at the end of the run.
func (r *runner) pursue(now time.Time) {
	if len(r.hunt.stopping) == 0 && !r.closing {
		return
	}
	if !r.hunt.look && now.Before(r.hunt.next) {
		return
	}
	if r.moreDeaths && now.Sub(r.hunt.looked) < longestLook {
		return // a storm leaves so many dead that a look for each would take longer than the storm
	}
	r.hunt.look, r.hunt.looked = false, now
	if r.closing && len(r.active) == 0 && !r.successor && childless() {
		r.finish(nil)
		return
	}
	c, err := proc.ReadTable()
	if err != nil {
		r.hunt.next = now.Add(longestLook)
		return
	}
	condemned := r.judge(c, now)
	if len(condemned) > 0 {
		r.kill(condemned, now)
	}
	busy := len(condemned) > 0
	if r.closing && len(r.active) == 0 {
		busy = r.sweep(now)
	}
	r.schedule(now, busy)
}

// childless reports that nothing is below us, as is usual at the end of a run: a census of the whole
// machine would take longer than a short run.
func childless() bool {
	_, err := proc.NextDeath()
	return errors.Is(err, unix.ECHILD)
}

// judge ends the stops that are over and returns the executions whose grace is.
func (r *runner) judge(c *proc.Table, now time.Time) (condemned []*execution) {
	for e := range r.hunt.stopping {
		left := r.members(c, e)
		switch {
		case e.gone && len(left) == 0:
			r.end(e, &wire.Entry{Lost: e.death == nil})
		case !e.stop.killed.IsZero() && now.Sub(e.stop.killed) > killPatience:
			r.abandon(e, left)
		case !now.Before(e.stop.deadline):
			condemned = append(condemned, e)
		}
	}
	return condemned
}

// abandon ends an execution that KILL does not end.
func (r *runner) abandon(e *execution, left []proc.Process) {
	r.end(e, &wire.Entry{
		Lost:    e.death == nil,
		Message: fmt.Sprintf("survived KILL: %v", proc.PIDs(left)),
	})
}

// kill ends the families of executions whose grace is over. Once is not enough when a family was
// quicker, so judge condemns it again until it is gone.
func (r *runner) kill(condemned []*execution, now time.Time) {
	for _, e := range condemned {
		if e.stop.killed.IsZero() {
			e.stop.killed = now
			r.hunt.pause = firstLook // what was killed is gone soon
		}
	}
	proc.KillAll(func(c *proc.Table) (all []proc.Process) { // who is left is found by the next look
		for _, e := range condemned {
			all = append(all, r.members(c, e)...)
		}
		return all
	})
}

// schedule decides when to look again if no child of ours dies: of the deaths of other members of
// a family nobody tells us.
func (r *runner) schedule(now time.Time, busy bool) {
	r.hunt.next = now.Add(r.hunt.pause)
	r.hunt.pause = min(2*r.hunt.pause, longestLook)
	if busy {
		return
	}
	for e := range r.hunt.stopping {
		if e.stop.deadline.Before(r.hunt.next) {
			r.hunt.next = e.stop.deadline
		}
	}
}

// Close ends the run: first every execution, at once, then everything else that is left.
func (r *runner) close() {
	if r.closing {
		return
	}
	r.closing = true
	r.stopAll(slices.Collect(maps.Keys(r.active)), 0)
}

// sweep kills whatever is still below us. It reports whether there is something to wait for; when
// not, the run is closed.
func (r *runner) sweep(now time.Time) bool {
	c, err := proc.ReadTable()
	if err != nil {
		return true
	}
	left := r.remains(c)
	// A census can miss one that forks and ends; the kernel does not: whoever is below us has us, or a
	// child of ours, for an ancestor.
	if len(left) == 0 && childless() {
		r.finish(nil)
		return false
	}
	if !r.hunt.swept.IsZero() && now.Sub(r.hunt.swept) > killPatience {
		r.finish(proc.PIDs(left))
		return false
	}
	if r.hunt.swept.IsZero() {
		r.hunt.swept = now
		r.noteLeftovers(left)
	}
	proc.KillAll(r.remains) // see kill
	return true
}

// remains returns what is left of the run: everything below us, and, where an earlier runner has
// left something, who can be told to belong to the run, see kin, with all that is below.
func (r *runner) remains(c *proc.Table) []proc.Process {
	left := c.Descendants(r.pid)
	if !r.successor {
		return left
	}
	k := rundir.MembersOf(r.dir, r.runMarker)
	for _, p := range c.All {
		if !p.Dead && p.PID != r.pid && k.Contain(p) {
			left = append(append(left, p), c.Descendants(p.PID)...)
		}
	}
	return slices.DeleteFunc(left, func(p proc.Process) bool { return p.PID == r.pid })
}

// finish announces that the run is over. Its last entries have to be on the disk before that: while
// they cannot be, it is called again and again.
func (r *runner) finish(survivors []int) {
	if !r.sync() && !r.broken {
		r.hunt.next = r.hold.till
		return
	}
	r.announce()
	if err := os.Remove(filepath.Join(r.dir, rundir.EnvironmentFile)); err != nil && !r.env.missing {
		fmt.Fprintln(os.Stderr, "runner:", err)
	}
	r.publish(wire.AppendLine(nil, wire.Notice{Kind: wire.LineClosed, Survivors: survivors, Left: r.left, LeftCount: r.leftCount}))
	r.closed = true
}
