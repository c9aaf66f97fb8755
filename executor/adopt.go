package executor

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A past is what the record tells about the runners before this one.
type past struct {
	boot  string // of the runner whose entries are being read
	open  map[ID]*execution
	order []ID // of their intents
	boots map[ID]string
}

// openRecord replays the record: what was announced is announced again, and what has no end is in
// the past that it returns. Then it signs the record.
func (r *runner) openRecord(open OpenRecord) (*past, error) {
	p := &past{open: make(map[ID]*execution), boots: make(map[ID]string)}
	r.news, r.known, r.gates = nil, make(map[ID]struct{}), gates{} // of a try that failed
	boot, err := r.options.Boot()
	if err != nil {
		return nil, fmt.Errorf("identity of this boot: %w", err)
	}
	r.tally = tally{file: r.tally.file, boot: boot}
	r.record, err = open(filepath.Join(r.dir, recordFile), func(line []byte) error {
		var e entry
		if err := e.decode(line); err != nil {
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
	r.note(&entry{Kind: entryRunner, PID: r.pid, Boot: boot, Time: time.Now().UnixNano()})
	p.boot = boot
	return p, nil
}

// replay folds one entry.
func (r *runner) replay(p *past, e *entry, line []byte) {
	id := e.id()
	switch e.Kind {
	case entryRunner:
		p.boot = e.Boot
		r.successor = true
		return
	case entryIntent:
		p.open[id] = &execution{job: Job{ID: id}, foreign: true}
		p.order = append(p.order, id)
	case entryStart, entryEnd:
		r.news = append(append(r.news, line...), '\n')
	}
	r.known[id] = struct{}{}
	switch e.Kind {
	case entryEnd:
		if delete(p.open, id); !e.succeeded() {
			r.gates.fail(id)
		}
		return
	case entryForget:
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
func (x *execution) resume(e *entry) {
	switch e.Kind {
	case entryFork:
		x.forked, x.mark, x.noted = true, e.Mark, e.Noted
		x.born = window{e.Born[0], 0}
		x.number, x.out, x.err = e.Slot, e.Out, e.Err
	case entryStart:
		x.pid, x.born, x.doubtful = e.PID, e.Born, e.Lost
		x.number, x.out, x.err = e.Slot, e.Out, e.Err
	case entryStop:
		x.stop = &stop{deadline: time.Unix(0, e.Time)}
	case entryExit:
		x.gone = true
		x.death = &death{
			pid: x.pid, code: e.Code, signal: e.Signal,
			user: time.Duration(e.User), system: time.Duration(e.System),
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
			r.end(e, &entry{Lost: true, Message: "the runner died before it noted the start"})
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
		r.end(e, &entry{Lost: e.death == nil, Message: "the machine was started anew meanwhile"})
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
	now, err := readProcess(e.pid)
	handle := r.heir.handle(e.job.ID)
	if err != nil || !e.born.holds(now.born) {
		if handle < 0 {
			r.foreignGone(e, nil)
			return
		}
		now = process{pid: e.pid, dead: true}
	}
	r.mark(e, environmentOf(e.pid)) // of one that is gone: nothing
	go func() {
		d := foreignFate(now)
		if d == nil && !now.dead {
			d = awaitForeign(now)
		}
		if e.doubtful {
			d = nil
		} else if d == nil && handle >= 0 {
			d = fateOf(handle, e.pid)
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
	death     *death // nil: nobody can say
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
func (r *runner) foreignGone(e *execution, d *death) {
	e.gone, e.death = true, d
	r.hunt.look = true
	if e.stop == nil {
		as := &entry{Lost: d == nil}
		if d == nil {
			as.Message = "ended while no runner was there to see how"
		}
		r.end(e, as)
	}
}
