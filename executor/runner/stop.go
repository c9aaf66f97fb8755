package runner

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/wire"
)

const (
	// killTimeout is how long the run waits after KILL for a process that does not end (for example one that
	// waits for a disk inside the kernel), before it goes on without it.
	killTimeout = 5 * time.Second
	firstLook   = 5 * time.Millisecond // between two checks for killed processes; then the pause doubles
	longestLook = 200 * time.Millisecond
)

// A stop is the progress of stopping one execution: TERM, the grace, KILL.
type stop struct {
	deadline time.Time // the end of the grace
	killed   time.Time // when KILL was first sent; zero before that
}

// stops is the state of all stops together: one read of the process table serves all of them.
type stops struct {
	pid      int // of this runner
	children *children
	stopping map[*execution]struct{}
	look     bool      // a process has died, so a stop may be over
	looked   time.Time // when the process table was last read
	next     time.Time // when to read it again even if no child dies
	pause    time.Duration
	swept    time.Time // when the sweep at the end of the run first killed processes; zero before that
}

// stopAll begins to stop executions. For those that are being stopped already it shortens the grace, if grace ends
// sooner.
func (r *runner) stopAll(ids []wire.ID, grace time.Duration) {
	deadline := time.Now().Add(grace)
	var fresh []*execution
	for _, id := range ids {
		e := r.jobs.active[id]
		switch {
		case e == nil:
		case e.waitsFor > 0:
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

// beginStop records that e is being stopped, so that the next runner continues the stop.
func (r *runner) beginStop(e *execution, deadline time.Time) {
	e.stop = &stop{deadline: deadline}
	if !e.adopted { // adoptStarted has set the marker of those
		r.commands.setMarker(e, e.job.Env, r.commands.env.base)
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

// terminate sends TERM to the processes of the executions, and then CONT: a halted process would not get TERM. The group of an
// execution with hooks comes last: a hook after the command starts when the command has got TERM, and must not get it, too.
func (s *stops) terminate(executions []*execution) {
	if len(executions) == 0 {
		return
	}
	terminateGroups(executions, func(e *execution) bool { return e.job.Around == nil })
	defer terminateGroups(executions, func(e *execution) bool { return e.job.Around != nil })
	table, err := proc.ReadTable()
	if err != nil {
		return // KILL will follow
	}
	for _, e := range executions {
		for _, p := range s.members(table, e) {
			if p.Group == e.pid && !e.adopted {
				continue
			}
			p.Signal(unix.SIGTERM)
			p.Signal(unix.SIGCONT)
		}
	}
}

// terminateGroups sends TERM to the process groups of some of the executions.
func terminateGroups(executions []*execution, chosen func(*execution) bool) {
	for _, e := range executions {
		if chosen(e) && !e.adopted && !e.gone { // the leader is not reaped, so the number of the group cannot be another's
			unix.Kill(-e.pid, unix.SIGTERM) // an error does not matter: the stop goes on
			unix.Kill(-e.pid, unix.SIGCONT)
		}
	}
}

// members returns the living processes of an execution: its session and group, the processes with its marker, and all
// descendants of these.
func (s *stops) members(table *proc.Table, e *execution) []proc.Process {
	pool := s.pool(table, e)
	found := make(map[int]proc.Process)
	for _, p := range pool {
		if !s.belongs(p, e) {
			continue
		}
		found[p.PID] = p
		for _, child := range table.Descendants(p.PID) {
			found[child.PID] = child
		}
	}
	return slices.Collect(maps.Values(found))
}

// pool returns the processes among which members of e can be: the descendants of this runner, or all processes if an
// earlier runner has started e.
func (s *stops) pool(table *proc.Table, e *execution) []proc.Process {
	if !e.adopted {
		return table.Descendants(s.pid)
	}
	return slices.DeleteFunc(slices.Clone(table.All), func(p proc.Process) bool {
		return p.Dead || p.PID == s.pid
	})
}

// belongs reports whether p itself, apart from its parents, belongs to the execution.
func (s *stops) belongs(p proc.Process, e *execution) bool {
	if p.PID == e.pid {
		return e.startWindow.Contains(p.StartTicks)
	}
	if other := s.children.running[p.Session]; p.StartTicks < e.startWindow[0] || (other != nil && other != e) {
		return false // older than e, or in the session of another execution
	}
	if p.Session == e.pid || p.Group == e.pid {
		return true
	}
	return e.marker.Node != "" && rundir.MarkerOf(proc.Environment(p.PID)) == e.marker
}

// advanceStops advances all stops, and the sweep at the end of the run.
func (r *runner) advanceStops(now time.Time) {
	if len(r.stops.stopping) == 0 && !r.closing.requested {
		return
	}
	if !r.stops.look && now.Before(r.stops.next) {
		return
	}
	if r.children.more && now.Sub(r.stops.looked) < longestLook {
		return // while many children die, a read of the table for each would take longer than their deaths
	}
	r.stops.look, r.stops.looked = false, now
	if r.closing.requested && len(r.jobs.active) == 0 && !r.recovery.successor && hasNoChildren() {
		r.finish(nil)
		return
	}
	table, err := proc.ReadTable()
	if err != nil {
		r.stops.next = now.Add(longestLook)
		return
	}
	overdue := r.endFinishedStops(table, now)
	if len(overdue) > 0 {
		r.stops.kill(overdue, now)
	}
	busy := len(overdue) > 0
	if r.closing.requested && len(r.jobs.active) == 0 {
		busy = r.sweep(now)
	}
	r.stops.schedule(now, busy)
}

// hasNoChildren reports whether this process has no children, which is usual at the end of a run. To read the process
// table instead would take longer than a short run.
func hasNoChildren() bool {
	_, err := proc.NextDeath()
	return errors.Is(err, unix.ECHILD)
}

// endFinishedStops ends the executions whose processes are gone, and returns those whose grace is over.
func (r *runner) endFinishedStops(table *proc.Table, now time.Time) (overdue []*execution) {
	for e := range r.stops.stopping {
		left := r.stops.members(table, e)
		switch {
		case e.gone && len(left) == 0:
			if endBox(r, e) {
				r.end(e, withBox(r, e, &wire.Entry{Lost: e.death == nil}))
			}
		case !e.stop.killed.IsZero() && now.Sub(e.stop.killed) > killTimeout:
			r.abandonStop(e, left)
		case !now.Before(e.stop.deadline):
			overdue = append(overdue, e)
		}
	}
	return overdue
}

// abandonStop ends an execution whose processes have survived KILL.
func (r *runner) abandonStop(e *execution, left []proc.Process) {
	r.end(e, &wire.Entry{
		Lost:    e.death == nil,
		Message: fmt.Sprintf("survived KILL: %v", proc.PIDs(left)),
	})
}

// kill kills the processes of executions whose grace is over. If a process forks meanwhile, its child survives, and
// the next turn kills again.
func (s *stops) kill(overdue []*execution, now time.Time) {
	for _, e := range overdue {
		if e.stop.killed.IsZero() {
			e.stop.killed = now
			s.pause = firstLook // killed processes end soon
		}
	}
	proc.KillAll(func(table *proc.Table) (all []proc.Process) { // the next turn finds the survivors
		for _, e := range overdue {
			all = append(all, s.members(table, e)...)
		}
		return all
	})
}

// schedule sets when to check again if no child dies meanwhile: the runner gets no signal when a process dies that is
// not its child.
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

// close ends the run: it kills first all executions, then all processes that are left.
func (r *runner) close() {
	if r.closing.requested {
		return
	}
	r.closing.requested = true
	r.stopAll(slices.Collect(maps.Keys(r.jobs.active)), 0)
}

// sweep kills the processes that are left, and closes the run if there are none. It reports whether it has to be
// called again.
func (r *runner) sweep(now time.Time) bool {
	table, err := proc.ReadTable()
	if err != nil {
		return true
	}
	left := r.remainingProcesses(table)
	// A read of the process table can miss a process that forks and ends at that moment. hasNoChildren cannot: this
	// process or one of its children is an ancestor of each process of the run.
	if len(left) == 0 && hasNoChildren() {
		r.finish(nil)
		return false
	}
	if !r.stops.swept.IsZero() && now.Sub(r.stops.swept) > killTimeout {
		r.finish(proc.PIDs(left))
		return false
	}
	if r.stops.swept.IsZero() {
		r.stops.swept = now
		r.closing.noteLeftovers(left)
	}
	proc.KillAll(r.remainingProcesses) // the next turn finds the survivors
	return true
}

// remainingProcesses returns the living processes of the run: all descendants of this runner and, if there was an
// earlier runner, all processes that rundir.Members recognizes, with their descendants.
func (r *runner) remainingProcesses(table *proc.Table) []proc.Process {
	left := table.Descendants(r.pid)
	if !r.recovery.successor {
		return left
	}
	members := rundir.MembersOf(r.dir, r.commands.marker)
	for _, p := range table.All {
		if !p.Dead && p.PID != r.pid && members.Contain(p) {
			left = append(append(left, p), table.Descendants(p.PID)...)
		}
	}
	return slices.DeleteFunc(left, func(p proc.Process) bool { return p.PID == r.pid })
}

// finish reports to the daemon that the run is closed: the daemon does not wait for the end of this process. The last
// entries must be synced before that: if the sync fails, finish returns and is called again later. If the folder of the
// run has been removed, it does not wait: nobody could find the entries.
func (r *runner) finish(survivors []int) {
	if !r.sync() && !r.log.broken && !folderGone(r.dir) {
		r.stops.next = r.hold.till
		return
	}
	r.announceNow()
	r.listener.remove()
	r.commands.removeFiles()
	closed := wire.Notice{Kind: wire.LineClosed, Survivors: survivors, Left: r.closing.left, LeftCount: r.closing.leftCount}
	r.links.publish(closed.Append(nil))
	r.closing.done = true
}
