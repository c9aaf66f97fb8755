package runner

import (
	"time"

	"wf/executor/wire"
)

// An intent that is on the disk lets its job be forked at any moment, without another sync. So after
// the machine went down nobody can say of it whether it was. Most of a sync costs the same for one
// intent and for many; so where jobs are over in no time, intents are written as far ahead as jobs
// start in a while, and where they take long only when there is a place for the job. What waits
// without an intent has provably not been forked.
const (
	// lookaheadWindow is how long the intents on the disk are to last.
	lookaheadWindow = 40 * time.Millisecond
	// lookaheadFirst is how many intents more than needed are written when the ones before were used up
	// sooner; the next time it is twice as many.
	lookaheadFirst = 4
	// lookaheadMost bounds them.
	lookaheadMost = 256
	// lookaheadStale is when intents that nobody needed are taken back.
	lookaheadStale = time.Second
)

// lookahead says how many intents are to be on the disk before their time.
type lookahead struct {
	n      int
	starts int       // since then
	since  time.Time // when they were last counted
}

// count returns how many intents are to be there beside those for which there is a place. wanting: a
// job that has a place waits for this sync.
func (a *lookahead) count(now time.Time, wanting bool) int {
	switch took := now.Sub(a.since); {
	case took >= lookaheadWindow:
		a.n = int(int64(a.starts) * int64(lookaheadWindow) / int64(took))
		a.since, a.starts = now, 0
	case wanting:
		a.n = max(2*a.n, lookaheadFirst)
	}
	a.n = min(a.n, lookaheadMost)
	return a.n
}

// recordIntents records the intents of those who are next, to be synced, and takes back those that are
// there too early.
func (r *runner) recordIntents(now time.Time) {
	if r.links.held != "" && !r.hold.short {
		return
	}
	stale := now.Sub(r.jobs.lookahead.since) >= lookaheadStale
	places := max(0, r.jobs.width-r.jobs.going())
	n := places + r.jobs.lookahead.count(now, places > 0 && !r.jobs.queue.isDurable())
	if r.jobs.width == 0 {
		n = 0
	}
	if all := r.jobs.queue.intend(n, r.intend); all && r.jobs.width > 0 {
		r.jobs.gates.intend(now, r.intend)
	}
	if early := r.jobs.queue.intended - r.jobs.queue.head - n; early > n+lookaheadFirst || early > 0 && stale {
		r.jobs.queue.retract(n, r.unintend)
	}
}

// intend records the intent of a job.
func (r *runner) intend(e *execution) {
	e.intended = true
	r.note(&wire.Entry{Kind: wire.EntryIntent, Node: e.job.ID.Node, Execution: e.job.ID.Execution})
}

// unintend takes an intent back.
func (r *runner) unintend(e *execution) {
	if !e.intended {
		return
	}
	e.intended, e.durable = false, false
	r.note(&wire.Entry{Kind: wire.EntryForget, Node: e.job.ID.Node, Execution: e.job.ID.Execution})
}

// staleIntents returns when intents are to be looked at because nothing has started for so long.
func (j *jobs) staleIntents() (at time.Time, any bool) {
	return j.lookahead.since.Add(lookaheadStale), j.queue.intended > j.queue.head
}

// retractStale takes intents back that no start has needed for so long.
func (r *runner) retractStale(now time.Time) {
	if at, any := r.jobs.staleIntents(); any && r.links.held == "" && !r.log.broken && !now.Before(at) {
		r.sync()
	}
}
