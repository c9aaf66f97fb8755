package runner

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/shell"
	"wf/executor/wire"
)

// forkRetries is how often a fork that failed for a shortage of resources is tried again before the run is held.
const forkRetries = 6

// forkPause returns the pause before the first retry of a fork. Each further pause is twice as long.
func (o Options) forkPause() time.Duration { return min(20*time.Millisecond, o.Pause/8) }

// setMarker stores the marker by which the processes of e are recognized.
func (c *commands) setMarker(e *execution, envs ...[]string) {
	e.marker = rundir.MarkerOf(envs...)
	if e.marker.Run != "" {
		c.marker = e.marker.Run
	}
}

// acceptJob takes over a job from the daemon. A job that is known already was sent again after the connection was
// lost, or it no longer has to wait for others.
func (r *runner) acceptJob(j wire.Job) {
	if r.log.broken {
		return
	}
	if _, ok := r.jobs.known[j.ID]; ok {
		if e := r.jobs.active[j.ID]; e != nil && len(j.After) == 0 {
			if e.job.After = nil; e.waitsFor > 0 {
				r.jobs.takeBack(e)
				r.ready(e)
			}
		}
		return
	}
	r.jobs.known[j.ID] = struct{}{}
	e := &execution{job: j}
	r.jobs.active[j.ID] = e
	if r.closing.requested {
		r.end(e, &wire.Entry{Stopped: true})
		return
	}
	r.admit(e)
}

// occupied returns how many executions occupy a place.
func (j *jobs) occupied() int { return len(j.active) - j.queue.waiting - j.gates.shut }

// startNext forks waiting jobs in order while there are free places.
func (r *runner) startNext(now time.Time) {
	for !r.log.broken && r.jobs.occupied() < r.jobs.width {
		e := r.jobs.queue.first()
		if e == nil || now.Before(e.retryAt) || !r.mayStart(e, now) {
			return
		}
		if !r.jobs.queue.isDurable() {
			if !r.sync() {
				return
			}
			continue
		}
		r.options.Reached(pointIntent, e.job.ID)
		if r.intendFork(e); !r.log.unwritten {
			r.start(e)
		}
	}
}

// intendFork writes the fork entry of e, whose output files are open already. The entry contains what the next runner
// needs to find the child if this runner dies between the fork and the start entry.
func (r *runner) intendFork(e *execution) {
	e.out, e.err = e.slot.extents()
	e.startWindow = proc.Window{proc.Ticks(), 0}
	mark, _ := shell.Value(e.job.Env, rundir.NodeVariable)
	noted := r.commands.forker.notes(r.dir)
	r.note(&wire.Entry{
		Kind: wire.EntryFork, Node: e.job.ID.Node, Execution: e.job.ID.Execution,
		StartWindow: e.startWindow, Slot: e.number, Out: e.out, Err: e.err, Mark: mark, Noted: noted,
	})
	r.save()
}

// start forks e, whose intent is durable and whose fork entry is written.
func (r *runner) start(e *execution) {
	if r.log.broken {
		return
	}
	r.options.Reached(pointForkEntry, e.job.ID)
	begin := time.Now()
	c, err := r.commands.fork(e, moment{r.jobs.event, begin})
	if err != nil && r.children.zombie != nil { // it counts against the limit of processes
		r.reapEnded()
		c, err = r.commands.fork(e, moment{r.jobs.event, begin})
	}
	e.startWindow[1] = proc.Ticks()
	if err != nil {
		r.startFailed(e, err)
		return
	}
	r.options.Reached(pointForked, e.job.ID)
	r.started(e, c, begin)
}

// started records a process that has just been forked. The start is announced without a sync: a crash of the machine
// ends the process too, and the intent is on the disk. If the fork note has the pid, the entry is written together with
// later ones.
func (r *runner) started(e *execution, c child, at time.Time) {
	r.jobs.queue.drop(e)
	if r.hold.short {
		r.hold.short = false
		r.links.hold("")
	}
	r.poller.watch(c)
	e.pid, e.handle = c.pid, c.handle
	if r.commands.marker == "" {
		r.commands.setMarker(e, e.job.Env, r.commands.env.base)
	}
	r.children.running[e.pid] = e
	r.jobs.lookahead.starts++
	r.jobs.forked = true
	urgent := r.log.urgent || !c.noted
	r.note(&wire.Entry{
		Kind: wire.EntryStart, Node: e.job.ID.Node, Execution: e.job.ID.Execution,
		Time: at.UnixNano(), PID: e.pid, StartWindow: e.startWindow, Slot: e.number, Out: e.out, Err: e.err,
	})
	r.log.urgent = urgent
	r.options.Reached(pointStarted, e.job.ID)
}

// startFailed handles a failed fork: it schedules a retry if that can help, and otherwise ends e. During the retries e
// stays first in the queue, since the jobs behind it would fail in the same way.
func (r *runner) startFailed(e *execution, err error) {
	if fault.Shortage(err) {
		if e.retries < forkRetries {
			e.retryAt = time.Now().Add(r.options.forkPause() << e.retries)
			e.retries++
			return
		}
		r.hold.short = true
		r.holdFor(err)
		return
	}
	r.jobs.queue.drop(e)
	r.end(e, &wire.Entry{Failed: true, Message: err.Error()})
}

// died handles the death of a child: it records the end. reapEnded does what has time until the next job is forked.
func (r *runner) died(d *proc.Death) {
	r.stops.look = true
	e := r.children.running[d.PID]
	if e == nil {
		if !enderDied(r, d) { // an orphan that this process has adopted
			proc.Reap(d.PID)
		}
		return
	}
	r.options.Reached(pointDied, e.job.ID)
	r.children.zombie = e
	delete(r.children.running, d.PID)
	e.gone, e.death = true, d
	leaves := e.stop == nil && mayLeaveBox(e, d) && r.commands.boxOf(e) != nil
	if e.stop != nil || leaves {
		r.note(&wire.Entry{
			Kind: wire.EntryExit, Node: e.job.ID.Node, Execution: e.job.ID.Execution,
			Code: d.Code, Signal: d.Signal, User: int64(d.User), System: int64(d.System),
		})
		if leaves {
			endAfterBox(r, e, &wire.Entry{})
		}
		return
	}
	r.recordEnd(e, &wire.Entry{})
	r.options.Reached(pointEndNoted, e.job.ID)
}

// reapEnded writes the log if that was not done yet, and only then reaps the child that has died. A write is enough:
// whatever the zombie would have survived, the written entry survives.
func (r *runner) reapEnded() {
	e := r.children.zombie
	if e == nil {
		return
	}
	r.children.zombie = nil
	if r.log.urgent {
		r.save()
	}
	r.options.Reached(pointEndWritten, e.job.ID)
	r.poller.forget(e.handle)
	if e.stop != nil || r.boxes.ends[e] != nil {
		proc.Reap(e.pid)
		return
	}
	quiet := !r.children.list.HasOther(func(pid int) bool { return pid == e.pid || r.children.running[pid] != nil })
	proc.Reap(e.pid)
	r.outputs.release(e, quiet && groupGone(e.pid))
}

// groupGone reports whether the process group is empty. If another user's group has got the same number it wrongly
// returns false, which only costs a new output file.
func groupGone(group int) bool {
	return errors.Is(unix.Kill(-group, 0), unix.ESRCH)
}

// end ends an execution that has no running process.
func (r *runner) end(e *execution, as *wire.Entry) {
	r.recordEnd(e, as)
	r.outputs.release(e, e.pid == 0)
}

// recordEnd fills the entry with what is known about e, records it and opens the gates behind e.
func (r *runner) recordEnd(e *execution, as *wire.Entry) {
	r.commands.dropFiles(e)
	as.Kind, as.Node, as.Execution = wire.EntryEnd, e.job.ID.Node, e.job.ID.Execution
	as.Time = time.Now().UnixNano()
	as.Stopped = as.Stopped || e.stop != nil
	if e.pid != 0 {
		r.outputs.measure(e)
		as.Slot, as.Out, as.Err = e.number, e.out, e.err
	}
	if d := e.death; d != nil {
		as.Code, as.Signal = d.Code, d.Signal
		as.User, as.System, as.Peak = int64(d.User), int64(d.System), peakOf(d)
	}
	r.note(as)
	r.news.hurry = r.news.hurry || !e.job.Foreseen || !as.Succeeded()
	r.jobs.event++
	delete(r.jobs.active, e.job.ID)
	delete(r.stops.stopping, e)
	if len(r.boxes.ends) > 0 && e != r.children.zombie {
		delete(r.boxes.ends, e)
	}
	r.settle(e.job.ID, as)
}

// leastPeak is the smallest peak of memory that is reported. Small ones tell nothing and would lengthen every entry.
const leastPeak = 64 << 20

// peakOf returns the peak of memory of a child, or 0 if it is small or may be that of this process: a child shares the memory of
// this process until it executes its program.
func peakOf(d *proc.Death) int64 {
	if d.Peak < leastPeak || d.Peak <= proc.OwnPeak() {
		return 0
	}
	return d.Peak
}

// measure sets where the output of e ends.
func (o *outputs) measure(e *execution) {
	if e.slot != nil {
		e.out, e.err = e.slot.measure()
		return
	}
	e.out[1] = o.endOf(e, "out", e.out[0])
	if e.err != wire.NoExtent {
		e.err[1] = o.endOf(e, "err", e.err[0])
	}
}

// endOf returns where a stream that begins at start ends, for an execution of an earlier runner. If the file was
// removed it returns start.
func (o *outputs) endOf(e *execution, stream string, start int64) int64 {
	size, err := o.slots.sizeAt(e.number, stream)
	if err != nil {
		return start
	}
	return max(size, start)
}

// release returns the output files of e. quiet promises that no process writes to them any more.
func (o *outputs) release(e *execution, quiet bool) {
	if e.slot != nil {
		o.slots.put(e.slot, quiet)
		e.slot = nil
	}
}
