package ledger

import (
	"slices"
	"strings"
	"time"

	"wf/trigger/webhook"
)

// Kinds of records about webhooks.
const (
	Deliver Op = "deliver" // a delivery was accepted, and its body is on the disk; a run starts later
	Reject  Op = "reject"  // Count requests since Instant were refused, because of Why

	known Op = "known" // ids of deliveries, in a ledger that was rewritten
)

// knownPerLine is the number of deliveries in a record of the kind known.
const knownPerLine = 100

// applyDelivery folds a record about a webhook. t is nil if the trigger is not armed.
func (l *Ledger) applyDelivery(r Record, t *armed) {
	m := l.hooks[r.Hook]
	if m == nil {
		m = &webhook.Memory{}
		l.hooks[r.Hook] = m
	}
	switch r.Op {
	case known:
		for _, ids := range r.IDs {
			m.Add(strings.Fields(ids))
		}
	case Deliver:
		m.Add(r.IDs)
		if t != nil {
			t.waiting = append(t.waiting, r)
		}
	}
}

// decideDelivery removes a delivery whose run is started from those that wait.
func (t *armed) decideDelivery(key string) {
	t.waiting = slices.DeleteFunc(t.waiting, func(r Record) bool { return r.Key == key })
}

// rememberReject adds refused requests to those of the same trigger and reason, so that the log has room for other things.
func (w *workfile) rememberReject(r Record) {
	at := slices.IndexFunc(w.recent, func(o Record) bool { return o.Op == Reject && o.Trigger == r.Trigger && o.Why == r.Why })
	if at >= 0 {
		r.Count += w.recent[at].Count
		r.Instant = w.recent[at].Instant
		w.recent = slices.Delete(w.recent, at, at+1)
	}
	w.remember(r)
}

// KnownDelivery reports whether one of the ids of a delivery of a hook was accepted before. A hook keeps its memory when its
// workfile is disarmed or changed.
func (l *Ledger) KnownDelivery(hook string, ids []string) bool {
	m := l.hooks[hook]
	return m != nil && m.Has(ids)
}

// Deliveries returns the deliveries of a trigger that wait for the start of their runs, the oldest first. The caller must not
// change them; they are valid until the next write.
func (l *Ledger) Deliveries(workfile, trigger string) []Record {
	if w := l.workfiles[workfile]; w != nil && w.triggers[trigger] != nil {
		return w.triggers[trigger].waiting
	}
	return nil
}

// Bodies returns the names of the files with the bodies of deliveries whose runs have not started.
func (l *Ledger) Bodies() map[string]bool {
	names := map[string]bool{}
	for _, w := range l.workfiles {
		for _, t := range w.triggers {
			for _, r := range t.waiting {
				names[r.Body] = true
			}
		}
		for _, r := range w.pending {
			names[r.Body] = true
		}
	}
	delete(names, "")
	return names
}

// writeKnown writes the ids of the deliveries of all hooks.
func (l *Ledger) writeKnown(write func(Record)) {
	for hook, m := range l.hooks {
		all := m.All()
		for chunk := range slices.Chunk(all, knownPerLine) {
			r := Record{Op: known, Time: time.Time{}, Hook: hook}
			for _, ids := range chunk {
				r.IDs = append(r.IDs, strings.Join(ids, " "))
			}
			write(r)
		}
	}
}
