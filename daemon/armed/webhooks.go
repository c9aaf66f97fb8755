package armed

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wf/api"
	"wf/trigger"
	"wf/trigger/ledger"
	"wf/trigger/webhook"
	"wf/workspace/clock"
)

// A delivery of a webhook is on the disk before it is answered: its body in a file of the folder dirBodies, then a record in the
// ledger. A body without a record was never answered, so the sender sends it again.

// dirBodies is the folder of the bodies of deliveries whose runs have not started, in the folder Dir.
const dirBodies = "deliveries"

// Limits of what waits for a start.
const (
	mostWaiting      = 1000      // deliveries of a hook
	mostWaitingBytes = 256 << 20 // of all hooks
)

// hookQueuedPause bounds the wait for the end of a run of the workfile, when the run of a delivery waits in its queue.
const hookQueuedPause = 5 * time.Second

// A Hook is an armed webhook.
type Hook struct {
	Name     string
	Scheme   webhook.Scheme
	Workfile string
}

// inbound is what the senders of webhooks bring.
type inbound struct {
	signal chan struct{}                   // has room for one
	hooks  atomic.Pointer[map[string]Hook] // the armed ones, by name

	rejects rejects
	spool   *spool

	mu      sync.Mutex // guards written
	written []*arrival // bodies that are on the disk

	// The fields below belong to the loop.

	arriving map[string]*arrival // by ids: deliveries that are not in the ledger yet
}

func newInbound(cfg Config) *inbound {
	i := &inbound{signal: make(chan struct{}, 1), rejects: rejects{counts: map[reject]*rejected{}}, arriving: map[string]*arrival{},
		spool: &spool{dir: filepath.Join(cfg.State, Dir, dirBodies), log: cfg.Log}}
	i.hooks.Store(&map[string]Hook{})
	return i
}

// wake lets the loop look at what arrived.
func (in *inbound) wake() {
	select {
	case in.signal <- struct{}{}:
	default:
	}
}

// An arrival is a delivery on its way into the ledger.
type arrival struct {
	record ledger.Record
	size   int64
	err    error         // valid when done is closed
	done   chan struct{} // closed when it is in the ledger, or cannot be
}

// Errors of Deliver.
var (
	ErrNoHook = &api.Error{Code: api.CodeNotFound, Message: "there is no such webhook"}
	// ErrFull means that too many deliveries wait; the sender may try again later.
	ErrFull = &api.Error{Code: api.CodeRefused, Message: "too many deliveries wait for their runs"}
)

// Hook returns an armed webhook. It does not wait for the loop.
func (k *Keeper) Hook(name string) (Hook, bool) {
	h, ok := (*k.inbound.hooks.Load())[name]
	return h, ok
}

// publishHooks makes the armed webhooks known to Hook.
func publishHooks(k *Keeper) {
	hooks := map[string]Hook{}
	for _, e := range k.entries {
		for _, t := range e.triggers {
			if t.hook != "" {
				parsed, _ := trigger.Parse(t.On) // it could be read, otherwise it had no name
				hooks[t.hook] = Hook{t.hook, parsed.Scheme, e.Workfile}
			}
		}
	}
	k.inbound.hooks.Store(&hooks)
}

// byHook returns the trigger of a webhook.
func (k *Keeper) byHook(name string) (*entry, *armedTrigger) {
	for _, e := range k.entries {
		for _, t := range e.triggers {
			if t.hook == name {
				return e, t
			}
		}
	}
	return nil, nil
}

// Deliver accepts an authentic delivery of a webhook. When it returns without an error, the delivery is on the disk, and starts
// exactly one run; known is true if it was accepted before, and starts none.
func (k *Keeper) Deliver(ctx context.Context, name string, d webhook.Delivery, body []byte) (known bool, err error) {
	var a *arrival
	var first bool
	_, err = ask(ctx, k, func() (struct{}, error) {
		var err error
		a, first, err = k.arrive(name, d, int64(len(body)))
		return struct{}{}, err
	})
	if err != nil || a == nil {
		return err == nil, err
	}
	if first {
		a.err = k.inbound.spool.write(a.record.Body, body)
		k.inbound.mu.Lock()
		k.inbound.written = append(k.inbound.written, a)
		k.inbound.mu.Unlock()
		k.inbound.wake()
	}
	select {
	case <-a.done:
		return !first, a.err
	case <-k.done:
		return false, &api.Error{Code: api.CodeGone, Message: "the daemon is ending"}
	}
}

// arrive returns the arrival of a delivery, nil if the delivery was accepted before. first is false if another request brings the
// same delivery at this moment.
func (k *Keeper) arrive(name string, d webhook.Delivery, size int64) (a *arrival, first bool, err error) {
	e, t := k.byHook(name)
	if t == nil {
		return nil, false, ErrNoHook
	}
	if err := k.ready(); err != nil {
		return nil, false, notReady(err)
	}
	if k.ledger.KnownDelivery(name, d.IDs) {
		return nil, false, nil
	}
	in := k.inbound
	for _, id := range d.IDs {
		if a := in.arriving[name+" "+id]; a != nil {
			return a, false, nil
		}
	}
	waiting := k.ledger.Deliveries(e.ID, t.id)
	if len(waiting)+len(in.arriving) >= mostWaiting || in.spool.bytes+size > mostWaitingBytes {
		return nil, false, ErrFull
	}
	now := clock.Now()
	key := ledger.Key(e.ID, t.id+" "+d.IDs[0], time.Unix(0, 0))
	a = &arrival{done: make(chan struct{}), size: size, record: ledger.Record{Op: ledger.Deliver, Time: now, Workfile: e.ID, Trigger: t.id, Instant: now,
		Hook: name, IDs: d.IDs, Event: d.Event, Key: key, Body: key, Line: t.On, Node: t.Node}}
	in.spool.bytes += size
	for _, id := range d.IDs {
		in.arriving[name+" "+id] = a
	}
	return a, true, nil
}

// noteDeliveries adds the deliveries whose bodies are on the disk to the ledger, in one write.
func (k *Keeper) noteDeliveries() {
	in := k.inbound
	in.mu.Lock()
	list := in.written
	in.written = nil
	in.mu.Unlock()
	if len(list) == 0 {
		return
	}
	var records []ledger.Record
	notReady := k.ready()
	for _, a := range list {
		e, t := k.byHook(a.record.Hook)
		switch {
		case a.err != nil:
		case t == nil || e.ID != a.record.Workfile || t.id != a.record.Trigger:
			a.err = ErrNoHook // disarmed or changed meanwhile
		case notReady != nil:
			a.err = notReady
		default:
			if _, armed := k.ledger.State(e.ID, t.id); !armed {
				records = append(records, t.arm(e.ID, clock.Now()))
			}
			records = append(records, a.record)
			t.again()
		}
	}
	if len(records) > 0 {
		if err := k.ledger.Append(records...); err != nil {
			for _, a := range list {
				a.err = cmp.Or(a.err, err)
			}
		}
	}
	for _, a := range list {
		if a.err != nil {
			in.spool.bytes -= a.size
			k.cfg.Log.Error("a delivery of a webhook was not accepted", "webhook", a.record.Hook, "err", a.err)
		}
		for _, id := range a.record.IDs {
			delete(in.arriving, a.record.Hook+" "+id)
		}
		close(a.done)
	}
}

// decideDelivery starts the run of the oldest delivery that waits. While the run of an earlier one waits in the queue of the
// workfile, the others wait here.
func (k *Keeper) decideDelivery(e *entry, t *armedTrigger, now time.Time) (s *start, records []ledger.Record) {
	state, armed := k.ledger.State(e.ID, t.id)
	if !armed {
		t.wake = now // decide when it is in the ledger
		return nil, []ledger.Record{t.arm(e.ID, now)}
	}
	waiting := k.ledger.Deliveries(e.ID, t.id)
	if len(waiting) == 0 {
		t.idle = true
		return nil, nil
	}
	if free := t.Trigger.LimitedUntil(state.Starts, now); !free.IsZero() {
		t.wake = free
		return nil, nil
	}
	r := waiting[0]
	r.Op, r.Time, r.IDs = ledger.Start, now, nil
	t.wake = time.Time{}
	return &start{entry: e, trigger: t, record: r}, []ledger.Record{r}
}

// delivered completes the request of the run of a delivery. The body is read again for each attempt.
func (k *Keeper) delivered(s *start, req *api.RunRequest) error {
	if s.record.Body == "" {
		return nil
	}
	body, err := k.inbound.spool.read(s.record.Body)
	if err != nil {
		return &api.Error{Code: api.CodeRefused, Message: "the body of the delivery cannot be read", Why: err.Error()}
	}
	req.Trigger.Body, req.Trigger.Event = append([]byte{}, body...), s.record.Event
	return nil
}

// settled removes the body of a delivery whose run has it, or will never start.
func (k *Keeper) settled(s *start, acc api.RunAccepted) {
	if s.record.Body == "" {
		return
	}
	k.inbound.spool.remove(s.record.Body)
	if acc.Queued != "" && s.trigger.hook != "" { // tried again when a run of the workfile has ended
		s.trigger.wake = clock.Now().Add(hookQueuedPause)
	}
}

// checkHooks refuses webhooks whose names are taken, in the same workfile or in another one.
func checkHooks(k *Keeper, f *File) error {
	names := map[string]bool{}
	for _, l := range f.Lines {
		parsed, err := trigger.Parse(l.On)
		name := parsed.Hook()
		if err != nil || name == "" {
			continue
		}
		if names[name] {
			return &api.Error{Code: api.CodeWorkfile, Message: "on: the webhook " + name + " is there twice", Where: f.Workfile, Fix: "give one of them another name"}
		}
		names[name] = true
		if e, _ := k.byHook(name); e != nil && e.ID != f.ID {
			return &api.Error{Code: api.CodeConflict, Message: "on: the webhook " + name + " belongs to " + e.Workfile, Where: f.Workfile,
				Fix: "choose another name, or disable the triggers of that workfile"}
		}
	}
	return nil
}

// waitingOf returns the deliveries that wait for a workfile.
func waitingOf(k *Keeper, workfile string) (list []ledger.Record) {
	if e := k.entries[workfile]; e != nil {
		for _, t := range e.triggers {
			list = append(list, k.ledger.Deliveries(workfile, t.id)...)
		}
	}
	return list
}

// carry returns the records that give deliveries to triggers of e with the same hook: after wf mv, or when an option was changed.
// Those that e has already stay.
func carry(waiting []ledger.Record, e *entry) (records []ledger.Record) {
	for _, r := range waiting {
		at := slices.IndexFunc(e.triggers, func(t *armedTrigger) bool { return t.hook == r.Hook })
		if at < 0 {
			continue
		}
		if t := e.triggers[at]; e.ID != r.Workfile || t.id != r.Trigger {
			r.Workfile, r.Trigger, r.Line, r.Node = e.ID, t.id, t.On, t.Node
			records = append(records, r)
		}
	}
	return records
}

// dropBodies removes the bodies of deliveries that no longer wait.
func dropBodies(k *Keeper, waiting []ledger.Record) {
	needed := k.ledger.Bodies()
	for _, r := range waiting {
		if !needed[r.Body] {
			k.inbound.spool.remove(r.Body)
		}
	}
}

// checkBody refuses to fire a webhook without a body, and another trigger with one.
func checkBody(t *armedTrigger, body string) error {
	switch {
	case t.hook != "" && body == "":
		return &api.Error{Code: api.CodeInvalid, Message: t.On + " needs a body", Fix: "--body FILE, or --body /dev/null for an empty one"}
	case t.hook == "" && body != "":
		return &api.Error{Code: api.CodeInvalid, Message: t.On + " has no body", Fix: "only webhooks have one"}
	}
	return nil
}

// webhookOf describes a line webhook:; nil if the line is another one.
func webhookOf(line string) *api.Webhook {
	t, err := trigger.Parse(line)
	if err != nil || t.Hook() == "" {
		return nil
	}
	return &api.Webhook{Name: t.Hook(), Scheme: string(t.Scheme)}
}
