package runner

import (
	"time"

	"wf/executor/wire"
)

// A synced intent lets its job be forked at any moment without another sync. But after a crash of the machine it is
// unknown whether the job was forked. A sync costs nearly the same for one intent as for many. So with short jobs,
// intents are written for as many jobs as start within lookaheadWindow; with long jobs, only when there is a place for
// the job. A job without an intent has certainly not been forked.
const (
	// lookaheadWindow is how long the synced intents should last.
	lookaheadWindow = 40 * time.Millisecond
	// lookaheadFirst is how many extra intents are written when the ones before were used up too early; the next
	// time it is twice as many.
	lookaheadFirst = 4
	// lookaheadMost is the highest number of extra intents.
	lookaheadMost = 256
	// lookaheadStale is when unused intents are taken back.
	lookaheadStale = time.Second
)

// lookahead is how many intents are synced before there is a place for their jobs.
type lookahead struct {
	n      int
	starts int       // since then
	since  time.Time // when n was last computed
}

// count returns how many intents there should be in addition to those of jobs that have a place. wanting means that a
// job with a place waits for this sync.
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

// recordIntents records the intents of the jobs that are next, for the sync that follows, and takes back intents that
// are too early.
func (r *runner) recordIntents(now time.Time) {
	if r.links.held != "" && !r.hold.short {
		return
	}
	stale := now.Sub(r.jobs.lookahead.since) >= lookaheadStale
	places := max(0, r.jobs.width-r.jobs.occupied())
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

// runsLow reports whether a sync is due now so that none is due when the next job could start: short jobs have just taken
// their places, and those that come next have no synced intents.
func (j *jobs) runsLow() bool {
	switch {
	case !j.forked || j.lookahead.n == 0:
		return false
	case j.queue.waiting > 0:
		return j.occupied() >= j.width && !j.queue.areDurable(j.width)
	}
	return len(j.gates.fresh) > 0 && !j.gates.anyDurable()
}

// intend records the intent of a job.
func (r *runner) intend(e *execution) {
	e.intended = true
	r.note(&wire.Entry{Kind: wire.EntryIntent, Node: e.job.ID.Node, Execution: e.job.ID.Execution})
}

// unintend takes back the intent of a job, if it has one.
func (r *runner) unintend(e *execution) {
	if !e.intended {
		return
	}
	e.intended, e.durable = false, false
	r.note(&wire.Entry{Kind: wire.EntryForget, Node: e.job.ID.Node, Execution: e.job.ID.Execution})
}

// staleIntents returns when to take back intents if nothing has started until then; any is false if there are none.
func (j *jobs) staleIntents() (at time.Time, any bool) {
	return j.lookahead.since.Add(lookaheadStale), j.queue.intended > j.queue.head
}

// retractStale takes back the intents that no start has used for lookaheadStale.
func (r *runner) retractStale(now time.Time) {
	if at, any := r.jobs.staleIntents(); any && r.links.held == "" && !r.log.broken && !now.Before(at) {
		r.sync()
	}
}
