package armed

import (
	"time"

	"wf/trigger/ledger"
	"wf/workspace/clock"
)

// rejectsPause is the least time between two records about refused requests, so that forged ones do not fill the disk.
const rejectsPause = time.Minute

// mostRejects bounds the refusals that are told apart. There are few reasons, and only armed hooks have names here.
const mostRejects = 1000

// reject is a kind of refused requests.
type reject struct{ hook, why string }

// rejected counts them since the latest record.
type rejected struct {
	count int
	since time.Time
}

// Rejected counts a request that was refused. hook is "" if it is for a hook that is not armed. It does not block.
func (k *Keeper) Rejected(hook, why string) {
	in := k.inbound
	in.mu.Lock()
	defer in.mu.Unlock()
	r := in.rejects[reject{hook, why}]
	if r == nil {
		if len(in.rejects) == mostRejects {
			return
		}
		r = &rejected{since: clock.Now()}
		in.rejects[reject{hook, why}] = r
	}
	r.count++
}

// noteRejects writes the counts into the ledger and the log of the daemon, not too often.
func (k *Keeper) noteRejects(now time.Time) {
	in := k.inbound
	in.mu.Lock()
	counts := in.rejects
	if len(counts) == 0 || now.Sub(in.rejectsAt).Abs() < rejectsPause {
		in.mu.Unlock()
		return
	}
	in.rejects, in.rejectsAt = map[reject]*rejected{}, now
	in.mu.Unlock()
	k.writeRejects(counts, now)
}

// noteRejectsNow is noteRejects for somebody who looks at the log.
func (k *Keeper) noteRejectsNow() {
	k.inbound.mu.Lock()
	k.inbound.rejectsAt = time.Time{}
	k.inbound.mu.Unlock()
	if k.ledger != nil {
		k.noteRejects(clock.Now())
	}
}

func (k *Keeper) writeRejects(counts map[reject]*rejected, now time.Time) {
	var records []ledger.Record
	for what, r := range counts {
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
