package runner

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// A replayState is what the runner log contains about earlier runners.
type replayState struct {
	boot  string                 // of the runner whose entries are being read
	open  map[wire.ID]*execution // those without an end
	order []wire.ID              // in the order of their intents
	boots map[wire.ID]string     // the boots in which they were started

	successor bool                 // there was an earlier runner
	news      []byte               // what earlier runners announced
	known     map[wire.ID]struct{} // every execution with an intent or an end
	gates     gates                // only gates.failed is used
}

func newReplayState() *replayState {
	return &replayState{open: make(map[wire.ID]*execution), boots: make(map[wire.ID]string), known: make(map[wire.ID]struct{})}
}

// recovery is what this runner has from earlier runners, and how it learns that adopted executions have ended.
type recovery struct {
	handover  *wire.Handover  // from the daemon: handles of the earlier runner's children; nil for the first runner
	successor bool            // there was an earlier runner, whose processes are not descendants of this one
	ends      chan adoptedEnd // adopted executions that have ended; a byte in wake announces each
	wake      [2]int          // a pipe
}

// openLog opens the runner log and reads it. It announces again what was announced before, returns the executions
// without an end, and appends an entry for this runner.
func (r *runner) openLog(open OpenLog) (*replayState, error) {
	p := newReplayState()
	boot, err := r.options.Boot()
	if err != nil {
		return nil, fmt.Errorf("identity of this boot: %w", err)
	}
	r.log.count = entryCount{file: r.log.count.file, boot: boot}
	r.log.file, err = open(filepath.Join(r.dir, rundir.RunnerLogFile), func(line []byte) error {
		var e wire.Entry
		if err := e.Decode(line); err != nil {
			return fmt.Errorf("runner log: %w", err)
		}
		p.replay(&e, line)
		r.log.count.appended++
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := r.log.count.check(r.log.count.appended); err != nil {
		return nil, errors.Join(err, r.log.file.Close())
	}
	r.news.text, r.jobs.known, r.jobs.gates, r.recovery.successor = p.news, p.known, p.gates, p.successor
	r.note(&wire.Entry{Kind: wire.EntryRunner, PID: r.pid, Boot: boot, Time: time.Now().UnixNano()})
	p.boot = boot
	return p, nil
}

// replay applies one entry.
func (p *replayState) replay(e *wire.Entry, line []byte) {
	id := e.ID()
	switch e.Kind {
	case wire.EntryRunner:
		p.boot = e.Boot
		p.successor = true
		return
	case wire.EntryIntent:
		p.open[id] = &execution{job: wire.Job{ID: id}, adopted: true}
		p.order = append(p.order, id)
	case wire.EntryStart, wire.EntryEnd:
		p.news = append(append(p.news, line...), '\n')
	}
	p.known[id] = struct{}{}
	switch e.Kind {
	case wire.EntryEnd:
		if delete(p.open, id); !e.Succeeded() {
			p.gates.fail(id)
		}
		return
	case wire.EntryForget:
		delete(p.open, id)
		delete(p.known, id)
		return
	}
	if x := p.open[id]; x != nil {
		p.boots[id] = p.boot
		x.resume(e)
	}
}

// resume applies an entry to the execution.
func (x *execution) resume(e *wire.Entry) {
	switch e.Kind {
	case wire.EntryFork:
		x.earlier.forked, x.earlier.mark, x.earlier.noted = true, e.Mark, e.Noted
		x.startWindow = proc.Window{e.StartWindow[0], 0}
		x.number, x.out, x.err = e.Slot, e.Out, e.Err
	case wire.EntryStart:
		x.pid, x.startWindow, x.earlier.doubtful = e.PID, e.StartWindow, e.Lost
		x.number, x.out, x.err = e.Slot, e.Out, e.Err
	case wire.EntryStop:
		x.stop = &stop{deadline: time.Unix(0, e.Time)}
	case wire.EntryExit:
		x.gone = true
		x.death = &proc.Death{
			PID: x.pid, Code: e.Code, Signal: e.Signal,
			User: time.Duration(e.User), System: time.Duration(e.System),
		}
	}
}

// adopt takes over the executions of earlier runners whose processes may still live, and ends the others. It forgets
// executions that were not forked: the daemon sends those jobs again.
func (r *runner) adopt(p *replayState) {
	r.recovery.ends = make(chan adoptedEnd, len(p.order))
	r.endEarlierBoots(p)
	for _, id := range p.order {
		e := p.open[id]
		if e == nil {
			continue
		}
		delete(p.open, id) // a forgotten execution has a second intent later in the order
		if e.pid == 0 && (!e.earlier.forked || r.adoptForked(e, p)) {
			delete(r.jobs.known, id)
			continue
		}
		r.jobs.active[id] = e
		switch {
		case e.pid == 0:
			endAfterBox(r, e, &wire.Entry{Lost: true, Message: "the runner died before it recorded the start"})
		default:
			r.adoptStarted(e)
		}
	}
	if r.recovery.successor {
		r.sync()
	} else {
		r.save() // the sync of the first intent makes the new log durable
	}
	r.log.count.keep(time.Now())
	r.announceNow()
}

// endEarlierBoots ends the executions that were or may have been running when the machine went down. Jobs behind gates
// end before the jobs that they wait for: they may have started, and a daemon can only report that while the others
// count as running.
func (r *runner) endEarlierBoots(p *replayState) {
	for _, id := range slices.Backward(p.order) {
		e := p.open[id]
		if e == nil || p.boots[id] == p.boot {
			continue
		}
		delete(p.open, id)
		r.jobs.active[id] = e
		r.end(e, &wire.Entry{Lost: e.death == nil, Message: "the machine was restarted meanwhile"})
	}
}

// adopted returns the executions of earlier runners whose leaders have not ended.
func (r *runner) adopted() (list []*execution) {
	if !r.recovery.successor {
		return nil
	}
	for _, e := range r.jobs.active {
		if e.adopted && e.pid != 0 && !e.gone {
			list = append(list, e)
		}
	}
	return list
}

// adoptStarted takes over an execution that was started in this boot of the machine.
func (r *runner) adoptStarted(e *execution) {
	if e.stop != nil {
		deadline := e.stop.deadline // set by the earlier runner
		e.stop = nil
		r.beginStop(e, deadline)
		r.stops.look, r.stops.pause = true, firstLook
	}
	if e.gone {
		if e.stop == nil { // its box was being ended; otherwise the stop takes care of its other processes
			endAfterBox(r, e, &wire.Entry{})
		}
		return
	}
	now, err := proc.Read(e.pid)
	handle := r.recovery.handover.Handle(e.job.ID)
	if err != nil || !e.startWindow.Contains(now.StartTicks) {
		if handle < 0 {
			r.adoptedEnded(e, nil)
			return
		}
		now = proc.Process{PID: e.pid, Dead: true}
	}
	r.commands.setMarker(e, proc.Environment(e.pid)) // the environment is empty if the process has ended
	go func() {
		d := proc.ZombieExit(now)
		if d == nil && !now.Dead {
			d = proc.AwaitExit(now)
		}
		if e.earlier.doubtful {
			d = nil
		} else if d == nil && handle >= 0 {
			d = proc.HandleExit(handle, e.pid)
		}
		r.recovery.ends <- adoptedEnd{e, d} // the channel has room for all
		unix.Write(r.recovery.wake[1], []byte{0})
	}()
}

// An adoptedEnd is the end of the leader of an adopted execution.
type adoptedEnd struct {
	execution *execution
	death     *proc.Death // nil if unknown
}

// handleAdoptedEnds handles all ends that have arrived.
func (r *runner) handleAdoptedEnds() {
	var rings [64]byte
	unix.Read(r.recovery.wake[0], rings[:])
	for {
		select {
		case f := <-r.recovery.ends:
			if e := f.execution; r.jobs.active[e.job.ID] == e { // not abandoned meanwhile
				r.adoptedEnded(e, f.death)
			}
		default:
			return
		}
	}
}

// adoptedEnded handles the end of the leader of an adopted execution. It ends the execution, unless a stop is in
// progress: the stop ends it when its other processes are gone.
func (r *runner) adoptedEnded(e *execution, d *proc.Death) {
	e.gone, e.death = true, d
	r.stops.look = true
	if e.stop == nil {
		as := &wire.Entry{Lost: d == nil}
		if d == nil {
			as.Message = "ended while no runner was alive, so its exit code is unknown"
		}
		if mayLeaveBox(e, d) {
			endAfterBox(r, e, as)
			return
		}
		r.end(e, as)
	}
}
