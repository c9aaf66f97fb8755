package armed

import (
	"sync"
	"time"

	"wf/trigger/ledger"
	"wf/workspace/clock"
)

// rejectsPause is the least time between two records about refused requests, so that forged ones do not fill the disk.
const rejectsPause = time.Minute

// mostRejects bounds the refusals that are told apart. There are few reasons, and only armed hooks have names here.
const mostRejects = 1000

// rejects counts refused requests until they are written.
type rejects struct {
	mu     sync.Mutex // guards the fields below
	counts map[reject]*rejected
	at     time.Time // when they were written last
}

// reject is a kind of refused requests.
type reject struct{ hook, why string }

// rejected counts them since the latest record.
type rejected struct {
	count int
	since time.Time
}

// Rejected counts a request that was refused. hook is "" if it is for a hook that is not armed. It does not block.
func (k *Keeper) Rejected(hook, why string) {
	rj := &k.inbound.rejects
	rj.mu.Lock()
	defer rj.mu.Unlock()
	r := rj.counts[reject{hook, why}]
	if r == nil {
		if len(rj.counts) == mostRejects {
			return
		}
		r = &rejected{since: clock.Now()}
		rj.counts[reject{hook, why}] = r
		k.inbound.wake()
	}
	r.count++
}

// take returns the counts and starts new ones. It returns nil if it did so less than rejectsPause ago, unless looked is set: then
// somebody asked for the counts.
func (rj *rejects) take(now time.Time, looked bool) map[reject]*rejected {
	rj.mu.Lock()
	defer rj.mu.Unlock()
	if len(rj.counts) == 0 || !looked && now.Sub(rj.at).Abs() < rejectsPause {
		return nil
	}
	counts := rj.counts
	rj.counts, rj.at = map[reject]*rejected{}, now
	return counts
}

// noteRejects writes the counts into the ledger, which is open, and into the log of the daemon.
func (k *Keeper) noteRejects(now time.Time, looked bool) {
	var records []ledger.Record
	for what, r := range k.inbound.rejects.take(now, looked) {
		k.cfg.Log.Warn("deliveries of a webhook were refused", "webhook", what.hook, "why", what.why, "count", r.count, "since", r.since)
		if e, t := k.byHook(what.hook); t != nil {
			records = append(records, ledger.Record{Op: ledger.Reject, Time: now, Workfile: e.ID, Trigger: t.id, Line: t.On, Node: t.Node, Hook: what.hook,
				Instant: r.since, Count: r.count, Why: what.why})
		}
	}
	if len(records) == 0 {
		return
	}
	if err := k.ledger.Note(records...); err != nil {
		k.cfg.Log.Error("refused deliveries cannot be recorded", "err", err)
	}
}
