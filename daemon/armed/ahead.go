package armed

import (
	"slices"
	"time"

	"wf/workspace/clock"
)

// Opening a workfile takes longer than starting a run of it. So the workfiles with an instant in the next seconds are opened
// before, and their triggers compared with those that are armed. At the instant only the request for the run remains. What was
// prepared is released when the run has been requested, and also if the instant is not reached.

// Times and limits of this.
const (
	lead = 2 * time.Second // before the instant
	// mostPrepared and mostPreparedBytes bound the workfiles that are prepared, those of the earliest instants. An open workfile
	// needs a watch of its folder, of which the system has few, and a multiple of its size in memory.
	mostPrepared      = 32
	mostPreparedBytes = 32 << 20
	preparedAtOnce    = 2
	preparePatience   = time.Second // then a preparation no longer counts for preparedAtOnce: its disk may be dead
)

// A preparation is a workfile that is opened before an instant. It belongs to the loop.
type preparation struct {
	entry   *entry
	begun   time.Duration // of clock.Process
	size    int64         // of the workfile in bytes; 0 while it is not known
	release func()        // nil before the workfile is open, and if it could not be opened
	over    bool          // it is open, or failed
	dropped bool          // its end is not awaited any more
}

// lookAhead prepares the workfiles with an instant soon, and releases the others. It returns the time of the next step, at most
// next.
func (k *Keeper) lookAhead(now, next time.Time) time.Time {
	for id, p := range k.ahead {
		if e := k.entries[id]; e != p.entry || !e.starting && !e.dueSoon(now) {
			k.drop(id)
		}
	}
	var due []*entry
	for id, e := range k.entries {
		at := e.instant()
		switch {
		case at.IsZero() || e.starting || k.ahead[id] != nil:
		case e.dueSoon(now):
			due = append(due, e)
		default:
			next = earlier(next, at.Add(-lead))
		}
	}
	slices.SortFunc(due, func(a, b *entry) int { return a.instant().Compare(b.instant()) })
	for _, e := range due {
		if !k.roomAhead() {
			break
		}
		k.prepare(e)
	}
	for _, p := range k.ahead {
		if !p.over { // when it is too late, the next one begins
			next = earlier(next, now.Add(max(preparePatience-(clock.Process()-p.begun), preparePatience/10)))
		}
	}
	return next
}

// instant returns when the next run of a workfile begins that starts at a known time; zero if there is none, or it is not known
// yet.
func (e *entry) instant() (at time.Time) {
	for _, t := range e.triggers {
		if t.Schedule != nil && !t.idle && !t.wake.IsZero() && (at.IsZero() || t.wake.Before(at)) {
			at = t.wake
		}
	}
	return at
}

// dueSoon reports whether the workfile is to be prepared.
func (e *entry) dueSoon(now time.Time) bool {
	at := e.instant()
	return !at.IsZero() && !at.After(now.Add(lead))
}

// roomAhead reports whether another workfile may be prepared now.
func (k *Keeper) roomAhead() bool {
	opening, size := 0, int64(0)
	for _, p := range k.ahead {
		size += p.size
		if !p.over && clock.Process()-p.begun < preparePatience {
			opening++
		}
	}
	return len(k.ahead) < mostPrepared && opening < preparedAtOnce && size < mostPreparedBytes
}

// prepare lets a helper open a workfile. What is wrong with it is told at the instant.
func (k *Keeper) prepare(e *entry) {
	p := &preparation{entry: e, begun: clock.Process()}
	k.ahead[e.ID] = p
	k.starts.Go(func() {
		var release func()
		size, err := e.verify()
		if err == nil {
			release, err = k.cfg.Runs.Prepare(k.ctx, e.Workfile)
		}
		opened := func() {
			if p.over, p.size = true, size; err != nil {
				k.cfg.Log.Debug("a workfile cannot be opened before the instant of its trigger", "workfile", e.Workfile, "err", err)
				return
			}
			if p.release = release; p.dropped {
				release()
			}
		}
		if !k.post(opened) && err == nil {
			release()
		}
	})
}

// drop releases a preparation.
func (k *Keeper) drop(id string) {
	p := k.ahead[id]
	delete(k.ahead, id)
	if p.dropped = true; p.release != nil {
		p.release()
	}
}

// dropAll releases all preparations.
func (k *Keeper) dropAll() {
	for id := range k.ahead {
		k.drop(id)
	}
}
