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

// A past is what the record tells about the runners before this one.
type past struct {
	boot  string // of the runner whose entries are being read
	open  map[wire.ID]*execution
	order []wire.ID // of their intents
	boots map[wire.ID]string
}

// openRecord replays the record: what was announced is announced again, and what has no end is in
// the past that it returns. Then it signs the record.
func (r *runner) openRecord(open OpenLog) (*past, error) {
	p := &past{open: make(map[wire.ID]*execution), boots: make(map[wire.ID]string)}
	r.news, r.known, r.gates = nil, make(map[wire.ID]struct{}), gates{} // of a try that failed
	boot, err := r.options.Boot()
	if err != nil {
		return nil, fmt.Errorf("identity of this boot: %w", err)
	}
	r.tally = tally{file: r.tally.file, boot: boot}
	r.record, err = open(filepath.Join(r.dir, rundir.RunnerLogFile), func(line []byte) error {
		var e wire.Entry
		if err := e.Decode(line); err != nil {
			return fmt.Errorf("record of the run: %w", err)
		}
		r.replay(p, &e, line)
		r.tally.appended++
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := r.tally.check(r.tally.appended); err != nil {
		return nil, errors.Join(err, r.record.Close())
	}
	r.note(&wire.Entry{Kind: wire.EntryRunner, PID: r.pid, Boot: boot, Time: time.Now().UnixNano()})
	p.boot = boot
	return p, nil
}

// replay folds one entry.
func (r *runner) replay(p *past, e *wire.Entry, line []byte) {
	id := e.ID()
	switch e.Kind {
	case wire.EntryRunner:
		p.boot = e.Boot
		r.successor = true
		return
	case wire.EntryIntent:
		p.open[id] = &execution{job: wire.Job{ID: id}, foreign: true}
		p.order = append(p.order, id)
	case wire.EntryStart, wire.EntryEnd:
		r.news = append(append(r.news, line...), '\n')
	}
	r.known[id] = struct{}{}
	switch e.Kind {
	case wire.EntryEnd:
		if delete(p.open, id); !e.Succeeded() {
			r.gates.fail(id)
		}
		return
	case wire.EntryForget:
		delete(p.open, id)
		delete(r.known, id)
		return
	}
	if x := p.open[id]; x != nil {
		p.boots[id] = p.boot
		x.resume(e)
	}
}

// resume brings the execution to where the entry says it was.
func (x *execution) resume(e *wire.Entry) {
	switch e.Kind {
	case wire.EntryFork:
		x.forked, x.mark, x.noted = true, e.Mark, e.Noted
		x.born = proc.Window{e.Born[0], 0}
		x.number, x.out, x.err = e.Slot, e.Out, e.Err
	case wire.EntryStart:
		x.pid, x.born, x.doubtful = e.PID, e.Born, e.Lost
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

// adopt follows what an earlier runner has started and still lives, and ends the rest. What it did
// not come to fork is forgotten: the daemon hands over again what it has no news of.
func (r *runner) adopt(p *past) {
	r.foreign = make(chan foreignEnd, len(p.order))
	r.mournLastBoot(p)
	for _, id := range p.order {
		e := p.open[id]
		if e == nil {
			continue
		}
		delete(p.open, id) // one that was forgotten has another intent later
		if e.pid == 0 && (!e.forked || r.adoptForked(e, p)) {
			delete(r.known, id)
			continue
		}
		r.active[id] = e
		switch {
		case e.pid == 0:
			r.end(e, &wire.Entry{Lost: true, Message: "the runner died before it noted the start"})
		default:
			r.adoptStarted(e)
		}
	}
	r.sync()
	r.tally.keep(time.Now())
	r.announce()
}

// mournLastBoot ends what was going on, or may have been, when the machine went down. What was to come
// after others is told before them: it may have begun, and only as long as they count as going can a
// daemon say so.
func (r *runner) mournLastBoot(p *past) {
	for _, id := range slices.Backward(p.order) {
		e := p.open[id]
		if e == nil || p.boots[id] == p.boot {
			continue
		}
		delete(p.open, id)
		r.active[id] = e
		r.end(e, &wire.Entry{Lost: e.death == nil, Message: "the machine was started anew meanwhile"})
	}
}

// adopted are the leaders of adopted executions that have not ended: their zombies, which the daemon
// may have, are still to be asked.
func (r *runner) adopted() (pids []int) {
	for _, e := range r.active {
		if e.foreign && !e.gone {
			pids = append(pids, e.pid)
		}
	}
	return pids
}

// adoptStarted takes up an execution of this boot that had a process.
func (r *runner) adoptStarted(e *execution) {
	if e.stop != nil {
		r.resumeStop(e)
	}
	if e.gone {
		return // only its family is left, which the stop looks after
	}
	now, err := proc.Read(e.pid)
	handle := r.heir.Handle(e.job.ID)
	if err != nil || !e.born.Contains(now.Born) {
		if handle < 0 {
			r.foreignGone(e, nil)
			return
		}
		now = proc.Process{PID: e.pid, Dead: true}
	}
	r.mark(e, proc.Environment(e.pid)) // of one that is gone: nothing
	go func() {
		d := proc.ZombieExit(now)
		if d == nil && !now.Dead {
			d = proc.AwaitExit(now)
		}
		if e.doubtful {
			d = nil
		} else if d == nil && handle >= 0 {
			d = proc.HandleExit(handle, e.pid)
		}
		r.foreign <- foreignEnd{e, d} // has room for all
		unix.Write(r.bell[1], []byte{0})
	}()
}

// resumeStop goes on with a stop that an earlier runner has begun, with the deadline of then.
func (r *runner) resumeStop(e *execution) {
	deadline := e.stop.deadline
	e.stop = nil
	r.beginStop(e, deadline)
	r.hunt.look, r.hunt.pause = true, firstLook
}

// A foreignEnd is the end of an adopted leader, as its watcher has seen it.
type foreignEnd struct {
	execution *execution
	death     *proc.Death // nil: nobody can say
}

// foreignEnded takes what the watchers have to tell.
func (r *runner) foreignEnded() {
	var rings [64]byte
	unix.Read(r.bell[0], rings[:])
	for {
		select {
		case f := <-r.foreign:
			if e := f.execution; r.active[e.job.ID] == e { // else given up meanwhile
				r.foreignGone(e, f.death)
			}
		default:
			return
		}
	}
}

// foreignGone ends an adopted execution whose leader is gone, unless its family has to be stopped
// first.
func (r *runner) foreignGone(e *execution, d *proc.Death) {
	e.gone, e.death = true, d
	r.hunt.look = true
	if e.stop == nil {
		as := &wire.Entry{Lost: d == nil}
		if d == nil {
			as.Message = "ended while no runner was there to see how"
		}
		r.end(e, as)
	}
}
