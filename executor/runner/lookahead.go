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
	// aheadWindow is how long the intents on the disk are to last.
	aheadWindow = 40 * time.Millisecond
	// aheadFirst is how many intents more than needed are written when the ones before were used up
	// sooner; the next time it is twice as many.
	aheadFirst = 4
	// aheadMost bounds them.
	aheadMost = 256
	// aheadStale is when intents that nobody needed are taken back.
	aheadStale = time.Second
)

// ahead says how many intents are to be on the disk before their time.
type ahead struct {
	n      int
	starts int       // since then
	since  time.Time // when they were last counted
}

// count returns how many intents are to be there beside those for which there is a place. wanting: a
// job that has a place waits for this sync.
func (a *ahead) count(now time.Time, wanting bool) int {
	switch took := now.Sub(a.since); {
	case took >= aheadWindow:
		a.n = int(int64(a.starts) * int64(aheadWindow) / int64(took))
		a.since, a.starts = now, 0
	case wanting:
		a.n = max(2*a.n, aheadFirst)
	}
	a.n = min(a.n, aheadMost)
	return a.n
}

// intendAhead records the intents of those who are next, to be synced, and takes back those that are
// there too early.
func (r *runner) intendAhead(now time.Time) {
	if r.hold.why != "" && !r.hold.short {
		return
	}
	stale := now.Sub(r.ahead.since) >= aheadStale
	places := max(0, r.width-r.going())
	n := places + r.ahead.count(now, places > 0 && !r.queue.isDurable())
	if r.width == 0 {
		n = 0
	}
	if all := r.queue.intend(n, r.intend); all && r.width > 0 {
		r.intendBehind(now)
	}
	if early := r.queue.intended - r.queue.head - n; early > n+aheadFirst || early > 0 && stale {
		r.queue.retract(n, r.unintend)
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
func (r *runner) staleIntents() (at time.Time, any bool) {
	return r.ahead.since.Add(aheadStale), r.queue.intended > r.queue.head && r.hold.why == "" && !r.broken
}

// retractStale takes intents back that nobody has needed for so long.
func (r *runner) retractStale(now time.Time) {
	if at, any := r.staleIntents(); any && !now.Before(at) {
		r.sync()
	}
}
