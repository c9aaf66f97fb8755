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
type stops struct {
	pid      int // of this runner
	children *children
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
		e := r.jobs.active[id]
		switch {
		case e == nil:
		case e.lacks > 0:
			r.jobs.takeBack(e)
			r.end(e, &wire.Entry{Stopped: true})
		case e.waiting:
			r.jobs.queue.drop(e)
			r.end(e, &wire.Entry{Stopped: true})
		case e.stop == nil:
			r.beginStop(e, deadline)
			fresh = append(fresh, e)
		case deadline.Before(e.stop.deadline):
			e.stop.deadline = deadline
		}
	}
	r.stops.look, r.stops.pause = true, firstLook
	if grace > 0 {
		r.stops.terminate(fresh)
	}
}

// beginStop records that e shall end, so that the next runner would go on with it.
func (r *runner) beginStop(e *execution, deadline time.Time) {
	e.stop = &stop{deadline: deadline}
	if !e.adopted { // adopt has looked at those
		r.commands.mark(e, e.job.Env, r.commands.env.base)
	}
	if r.stops.stopping == nil {
		r.stops.stopping = make(map[*execution]struct{})
	}
	r.stops.stopping[e] = struct{}{}
	r.note(&wire.Entry{
		Kind: wire.EntryStop, Node: e.job.ID.Node, Execution: e.job.ID.Execution,
		Time: deadline.UnixNano(),
	})
}

// terminate sends TERM to the families, and CONT after it: a halted process would never see it.
func (s *stops) terminate(executions []*execution) {
	if len(executions) == 0 {
		return
	}
	for _, e := range executions {
		if !e.adopted && !e.gone { // unreaped: the group is still its own
			unix.Kill(-e.pid, unix.SIGTERM) // gone is fine; the ladder goes on
			unix.Kill(-e.pid, unix.SIGCONT)
		}
	}
	c, err := proc.ReadTable()
	if err != nil {
		return // KILL will follow
	}
	for _, e := range executions {
		for _, p := range s.members(c, e) {
			if p.Group == e.pid && !e.adopted {
				continue
			}
			p.Signal(unix.SIGTERM)
			p.Signal(unix.SIGCONT)
		}
	}
}

// members returns the living processes of an execution: its session and group, what carries its
// marker, and all descendants of these.
func (s *stops) members(c *proc.Table, e *execution) []proc.Process {
	pool := s.pool(c, e)
	found := make(map[int]proc.Process)
	for _, p := range pool {
		if !s.belongs(p, e) {
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
func (s *stops) pool(c *proc.Table, e *execution) []proc.Process {
	if !e.adopted {
		return c.Descendants(s.pid)
	}
	return slices.DeleteFunc(slices.Clone(c.All), func(p proc.Process) bool {
		return p.Dead || p.PID == s.pid
	})
}

// belongs reports whether p is of the execution by itself, not by its parents.
func (s *stops) belongs(p proc.Process, e *execution) bool {
	if p.PID == e.pid {
		return e.startWindow.Contains(p.Born)
	}
	if other := s.children.running[p.Session]; p.Born < e.startWindow[0] || (other != nil && other != e) {
		return false // older than e, or in the session of another
	}
	if p.Session == e.pid || p.Group == e.pid {
		return true
	}
	return e.marker.Node != "" && rundir.MarkerOf(proc.Environment(p.PID)) == e.marker
}

// advanceStops moves every stop on, and the sweep at the end of the run.
func (r *runner) advanceStops(now time.Time) {
	if len(r.stops.stopping) == 0 && !r.closing.requested {
		return
	}
	if !r.stops.look && now.Before(r.stops.next) {
		return
	}
	if r.children.more && now.Sub(r.stops.looked) < longestLook {
		return // a storm leaves so many dead that a look for each would take longer than the storm
	}
	r.stops.look, r.stops.looked = false, now
	if r.closing.requested && len(r.jobs.active) == 0 && !r.recovery.successor && childless() {
		r.finish(nil)
		return
	}
	c, err := proc.ReadTable()
	if err != nil {
		r.stops.next = now.Add(longestLook)
		return
	}
	condemned := r.endFinishedStops(c, now)
	if len(condemned) > 0 {
		r.stops.kill(condemned, now)
	}
	busy := len(condemned) > 0
	if r.closing.requested && len(r.jobs.active) == 0 {
		busy = r.sweep(now)
	}
	r.stops.schedule(now, busy)
}

// childless reports that nothing is below us, as is usual at the end of a run: a census of the whole
// machine would take longer than a short run.
func childless() bool {
	_, err := proc.NextDeath()
	return errors.Is(err, unix.ECHILD)
}

// endFinishedStops ends the stops that are over and returns the executions whose grace is.
func (r *runner) endFinishedStops(c *proc.Table, now time.Time) (condemned []*execution) {
	for e := range r.stops.stopping {
		left := r.stops.members(c, e)
		switch {
		case e.gone && len(left) == 0:
			r.end(e, &wire.Entry{Lost: e.death == nil})
		case !e.stop.killed.IsZero() && now.Sub(e.stop.killed) > killPatience:
			r.abandonStop(e, left)
		case !now.Before(e.stop.deadline):
			condemned = append(condemned, e)
		}
	}
	return condemned
}

// abandonStop ends an execution that KILL does not end.
func (r *runner) abandonStop(e *execution, left []proc.Process) {
	r.end(e, &wire.Entry{
		Lost:    e.death == nil,
		Message: fmt.Sprintf("survived KILL: %v", proc.PIDs(left)),
	})
}

// kill ends the families of executions whose grace is over. Once is not enough when a family was
// quicker, so judge condemns it again until it is gone.
func (s *stops) kill(condemned []*execution, now time.Time) {
	for _, e := range condemned {
		if e.stop.killed.IsZero() {
			e.stop.killed = now
			s.pause = firstLook // what was killed is gone soon
		}
	}
	proc.KillAll(func(c *proc.Table) (all []proc.Process) { // who is left is found by the next look
		for _, e := range condemned {
			all = append(all, s.members(c, e)...)
		}
		return all
	})
}

// schedule decides when to look again if no child of ours dies: of the deaths of other members of
// a family nobody tells us.
func (s *stops) schedule(now time.Time, busy bool) {
	s.next = now.Add(s.pause)
	s.pause = min(2*s.pause, longestLook)
	if busy {
		return
	}
	for e := range s.stopping {
		if e.stop.deadline.Before(s.next) {
			s.next = e.stop.deadline
		}
	}
}

// Close ends the run: first every execution, at once, then everything else that is left.
func (r *runner) close() {
	if r.closing.requested {
		return
	}
	r.closing.requested = true
	r.stopAll(slices.Collect(maps.Keys(r.jobs.active)), 0)
}

// sweep kills whatever is still below us. It reports whether there is something to wait for; when
// not, the run is closed.
func (r *runner) sweep(now time.Time) bool {
	c, err := proc.ReadTable()
	if err != nil {
		return true
	}
	left := r.remainingProcesses(c)
	// A census can miss one that forks and ends; the kernel does not: whoever is below us has us, or a
	// child of ours, for an ancestor.
	if len(left) == 0 && childless() {
		r.finish(nil)
		return false
	}
	if !r.stops.swept.IsZero() && now.Sub(r.stops.swept) > killPatience {
		r.finish(proc.PIDs(left))
		return false
	}
	if r.stops.swept.IsZero() {
		r.stops.swept = now
		r.closing.noteLeftovers(left)
	}
	proc.KillAll(r.remainingProcesses) // see kill
	return true
}

// remainingProcesses returns what is left of the run: everything below us, and, where an earlier runner has
// left something, who can be told to belong to the run, see kin, with all that is below.
func (r *runner) remainingProcesses(c *proc.Table) []proc.Process {
	left := c.Descendants(r.pid)
	if !r.recovery.successor {
		return left
	}
	k := rundir.MembersOf(r.dir, r.commands.marker)
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
	if !r.sync() && !r.log.broken {
		r.stops.next = r.hold.till
		return
	}
	r.announceNow()
	if err := os.Remove(filepath.Join(r.dir, rundir.EnvironmentFile)); err != nil && !r.commands.env.missing {
		fmt.Fprintln(os.Stderr, "runner:", err)
	}
	r.links.publish(wire.AppendLine(nil, wire.Notice{Kind: wire.LineClosed, Survivors: survivors, Left: r.closing.left, LeftCount: r.closing.leftCount}))
	r.closing.done = true
}
