package armed

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"wf/api"
	"wf/trigger"
	"wf/trigger/ledger"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// other is the workfile whose runs a trigger follows.
type other struct {
	id    string // of its workspace
	end   string // which ends start a run
	store *history.Store
}

// otherOf returns the workfile that an After of f names.
func (f *File) otherOf(t trigger.Trigger, state string) (*other, error) {
	path, end := t.Other()
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(f.Workfile), path)
	}
	id, err := workfile.LastingID(path)
	if err != nil {
		return nil, err
	}
	return &other{id: id, end: end, store: history.At(history.Folder(state, id))}, nil
}

// checkOther refuses an After whose workfile does not exist, or is its own.
func checkOther(found workfile.Triggers, l workfile.Trigger) error {
	if l.Trigger.Kind != trigger.After {
		return nil
	}
	path, _ := l.Trigger.Other()
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(found.Path), path)
	}
	refusal := &api.Error{Code: api.CodeWorkfile, Where: found.Path, Nodes: nodesOf(l)}
	if _, err := os.Stat(path); err != nil {
		refusal.Message = "on: " + l.Text + ": there is no workfile " + path
		return refusal
	}
	if id, err := workfile.LastingID(path); err != nil || id == found.ID {
		refusal.Message = "on: " + l.Text + ": a workfile cannot follow its own runs"
		return refusal
	}
	return nil
}

// fits reports whether the end of a run starts one.
func (o *other) fits(result string) bool {
	switch o.end {
	case trigger.OnSuccess:
		return result == string(api.Succeeded)
	case trigger.OnFailure:
		return result == string(api.ResFailed)
	}
	return true
}

// armAfter returns the records that arm an After: only ends from now on count, also those of runs that are active now.
func (t *armedTrigger) armAfter(workfile string) []ledger.Record {
	arm := t.arm(workfile, clock.Now())
	numbers, err := t.other.store.Numbers() // newest first
	if err != nil || len(numbers) == 0 {
		return []ledger.Record{arm}
	}
	arm.After = numbers[0]
	var records []ledger.Record
	for _, n := range slices.Backward(numbers) {
		switch {
		case !t.other.store.Over(n):
			arm.After = min(arm.After, n-1)
		case n > arm.After: // a run before it is active
			records = append(records, t.seen(workfile, n))
		}
	}
	return slices.Insert(records, 0, arm)
}

// seen returns the record that the end of a run starts nothing.
func (t *armedTrigger) seen(workfile string, n int) ledger.Record {
	return ledger.Record{Op: ledger.Seen, Time: clock.Now(), Workfile: workfile, Trigger: t.id, After: n}
}

// decideAfter decides about the ends of runs of another workfile up to the first that starts a run. It looks again after the next
// end.
func (k *Keeper) decideAfter(e *entry, t *armedTrigger, now time.Time) (s *start, records []ledger.Record) {
	decided, armed := k.ledger.DecidedRuns(e.ID, t.id)
	if !armed {
		records = t.armAfter(e.ID)
		t.wake = now // decide when they are in the ledger
		return nil, records
	}
	state, _ := k.ledger.State(e.ID, t.id)
	if free := t.Trigger.LimitedUntil(state.Starts, now); !free.IsZero() {
		t.wake = free
		return nil, nil
	}
	numbers, err := t.other.store.Numbers()
	if err != nil {
		k.cfg.Log.Warn("the runs of a workfile that a trigger follows cannot be listed", "workfile", e.Workfile, "trigger", t.On, "err", err)
		t.wake = now.Add(retryPause)
		return nil, nil
	}
	for _, n := range slices.Backward(numbers) {
		if decided.Has(n) || !t.other.store.Over(n) {
			continue
		}
		sum, err := t.other.store.Summary(n)
		if err != nil || sum.Result == nil || !t.other.fits(sum.Result.Result) {
			records = append(records, t.seen(e.ID, n))
			continue
		}
		r := ledger.Record{Op: ledger.Start, Time: now, Workfile: e.ID, Trigger: t.id, Line: t.On, Node: t.Node, Instant: sum.Result.Ended.UTC(), After: n,
			Key: ledger.Key(e.ID, t.id+" "+t.other.id+" "+strconv.Itoa(n), sum.Result.Ended)}
		t.wake = time.Time{}
		return &start{entry: e, trigger: t, record: r}, append(records, r)
	}
	t.idle = true
	return nil, records
}

// again makes the next step decide about a trigger.
func (t *armedTrigger) again() {
	t.wake = time.Time{}
	if t.other != nil || t.hook != "" || t.files != nil && !t.files.looking {
		t.idle = false
	}
}

// decideEvent decides about a trigger that has no instants.
func (k *Keeper) decideEvent(e *entry, t *armedTrigger, now time.Time) (*start, []ledger.Record) {
	if t.hook != "" {
		return k.decideDelivery(e, t, now)
	}
	return k.decideAfter(e, t, now)
}

// ends collects the workspaces whose runs have ended. The zero value is not ready for use.
type ends struct {
	signal chan struct{} // has room for one

	mu  sync.Mutex // guards ids
	ids map[string]bool
}

// Ended tells that a run of a workspace has ended, and its end is durable. It does not block.
func (k *Keeper) Ended(id string) {
	k.ends.mu.Lock()
	k.ends.ids[id] = true
	k.ends.mu.Unlock()
	select {
	case k.ends.signal <- struct{}{}:
	default:
	}
}

// noteEnds lets the next step decide about the triggers that follow these workspaces.
func (k *Keeper) noteEnds() {
	k.ends.mu.Lock()
	ids := k.ends.ids
	k.ends.ids = map[string]bool{}
	k.ends.mu.Unlock()
	for _, e := range k.entries {
		for _, t := range e.triggers {
			if t.other != nil && ids[t.other.id] || t.hook != "" && ids[e.ID] {
				t.again()
			}
			if t.files != nil && ids[e.ID] {
				t.files.mayBeFree()
				t.again()
			}
		}
	}
}
