// Package armed starts runs for the triggers of workfiles that a user has armed. It keeps the armed workfiles and the ledger
// in the state folder, has one timer for all of them, and asks the daemon to start a run. Package planner decides what is due.
// It contains no HTTP and does not know how a run is started.
package armed

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"wf/api"
	"wf/daemon/folders"
	"wf/trigger"
	"wf/trigger/ledger"
	"wf/trigger/planner"
	"wf/workspace/clock"
	"wf/workspace/fence"
	"wf/workspace/workfile"
)

// Runs is how a Keeper starts runs. Its methods open the workfile and may take long.
type Runs interface {
	// Start requests a run. The error CodeGone means that no run was requested, and that it is to be tried again.
	Start(ctx context.Context, workfile string, req api.RunRequest) (api.RunAccepted, error)
	// FindStarted returns the run that a request with the key has started or queued.
	FindStarted(ctx context.Context, workfile, key string) (api.RunAccepted, bool, error)
	// Prepare opens the workfile, so that Start takes less time, and keeps it open until release is called, which does not block.
	Prepare(ctx context.Context, workfile string) (release func(), err error)
}

// Config configures a Keeper. All fields are required.
type Config struct {
	State string
	Own   fence.Holder
	Runs  Runs
	// Stay is called with true when the first workfile is armed, and with false when the last one is disarmed.
	Stay func(bool)
	// Done is called for each start, with its end.
	Done func(f *File, l Line, req api.RunRequest, acc api.RunAccepted, err error)
	// Unstarted, if not nil, is called on a helper for each start that fails, before Done.
	Unstarted func(f *File, req api.RunRequest, err error)
	Log       *slog.Logger
}

// Times and limits.
const (
	mostSleep    = 10 * time.Second // until the clock is looked at again, which may have been set
	retryPause   = 5 * time.Second  // after a failure of the ledger
	fencePause   = 30 * time.Second // between attempts to take the fence from another daemon
	startsAtOnce = 8
	patience     = 5 * time.Second // then a start no longer counts for startsAtOnce: its disk may be dead
	closeTime    = 5 * time.Second // for starts at the end
)

// A Keeper keeps the armed triggers and starts their runs.
type Keeper struct {
	cfg    Config
	inbox  chan func()
	quit   chan struct{}
	done   chan struct{} // closed when the loop has ended
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{}
	starts sync.WaitGroup
	count  atomic.Int32
	ends   ends
	// notifier reports changes of folders; nil until a trigger waits for files, and where the kernel has none. It belongs to the loop.
	notifier *folders.Notifier
	touched  touched
	jumped   chan struct{} // has room for one: see LookAtClock

	inbound *inbound // deliveries of webhooks

	// The fields below belong to the loop.

	entries map[string]*entry       // by id
	ahead   map[string]*preparation // by id of the entry
	ledger  *ledger.Ledger          // nil unless fence is held
	fence   *fence.Fence
	problem error     // why the triggers do not fire at present
	retryAt time.Time // when to try again
	watch   clock.Watch
	staying bool
}

// entry is an armed workfile.
type entry struct {
	*File
	triggers []*armedTrigger
	turn     int // the trigger that is decided first: the one behind that of the latest start
	// starting is set while a helper starts a run or looks for one: there is one at a time for a workfile.
	starting bool
	// unsettled is set while the ledger has starts without an end; they are looked up at settleAt.
	unsettled bool
	settleAt  time.Time
	// leaving, if not nil, is closed when no start is under way. No further ones begin: the workfile is about to be disarmed.
	leaving chan struct{}
	problem string // of the latest start; "" = none
	// verified is the state of the workfile in which its triggers were those that are armed. Helpers use it.
	verified atomic.Pointer[stamp]
}

// armedTrigger is a trigger of an entry.
type armedTrigger struct {
	Line
	planner.Trigger
	id    string
	other *other         // nil unless it follows another workfile
	hook  string         // name of the webhook; "" for other kinds
	files *follow        // nil unless it waits for files
	name  string         // $WF_TRIGGER
	zone  *time.Location // of its instants
	wake  time.Time      // when to decide about it; zero = at once
	idle  bool           // it has no further instants, or cannot be read
}

// New returns a Keeper for the armed workfiles in the state folder. The caller calls Open, and Close.
func New(cfg Config) *Keeper {
	k := &Keeper{cfg: cfg, inbox: make(chan func()), quit: make(chan struct{}), done: make(chan struct{}), slots: make(chan struct{}, startsAtOnce),
		entries: map[string]*entry{}, ahead: map[string]*preparation{}, jumped: make(chan struct{}, 1), ends: ends{signal: make(chan struct{}, 1), ids: map[string]bool{}}, inbound: newInbound(cfg)}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	return k
}

// Open begins to start runs.
func (k *Keeper) Open() {
	files, err := Files(k.cfg.State)
	if err != nil {
		k.cfg.Log.Error("not all triggers are armed", "err", err)
	}
	for _, f := range files {
		k.add(f)
	}
	k.changed()
	go k.run()
}

// Close ends the Keeper. It waits a little for starts that are under way; the ledger says that they are uncertain.
func (k *Keeper) Close() {
	close(k.quit)
	k.cancel()
	<-k.done
	k.closeFolders()
	ended := make(chan struct{})
	go func() {
		k.starts.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(closeTime):
		k.cfg.Log.Error("runs of triggers are still about to begin; the next daemon looks them up")
	}
	k.leave()
}

// Count returns the number of armed workfiles.
func (k *Keeper) Count() int { return int(k.count.Load()) }

// run is the loop.
func (k *Keeper) run() {
	defer close(k.done)
	timer := time.NewTimer(k.step())
	defer timer.Stop()
	for {
		var lost <-chan struct{}
		if k.fence != nil {
			lost = k.fence.Lost()
		}
		select {
		case f := <-k.inbox:
			f()
		case <-timer.C:
		case <-k.ends.signal:
			k.noteEnds()
			k.noteTouched()
		case <-k.inbound.signal:
			k.noteDeliveries()
		case <-k.jumped:
		case <-lost:
			k.cfg.Log.Error("another machine has taken the triggers over")
			k.leave()
		case <-k.quit:
			return
		}
		timer.Reset(k.step())
	}
}

// LookAtClock makes the Keeper look at the clocks at once, because the wall clock may have been set, or the machine slept.
// Otherwise it does so every ten seconds. It does not block.
func (k *Keeper) LookAtClock() {
	select {
	case k.jumped <- struct{}{}:
	default:
	}
}

// post calls f on the loop. It returns false if the loop has ended.
func (k *Keeper) post(f func()) bool {
	select {
	case k.inbox <- f:
		return true
	case <-k.done:
		return false
	}
}

// ask calls f on the loop and returns its result.
func ask[T any](ctx context.Context, k *Keeper, f func() (T, error)) (T, error) {
	var value T
	var err error
	answered := make(chan struct{})
	g := func() {
		defer close(answered)
		value, err = f()
	}
	select {
	case k.inbox <- g:
		<-answered
		return value, err
	case <-k.done:
		return value, &api.Error{Code: api.CodeGone, Message: "the daemon is ending"}
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// add adds or replaces an armed workfile.
func (k *Keeper) add(f *File) *entry {
	e := &entry{File: f, unsettled: true}
	if old := k.entries[f.ID]; old != nil {
		e.starting = old.starting
		old.unfollow()
		old.left() // it is armed again
	}
	for _, l := range f.Lines {
		t := &armedTrigger{Line: l, id: l.id()}
		p, parsed, zone, err := f.read(l)
		if err != nil {
			k.cfg.Log.Error("a trigger cannot be read and does not fire", "workfile", f.Workfile, "trigger", l.On, "err", err)
			t.idle = true
		}
		t.Trigger, t.name, t.zone, t.hook = p, name(parsed), zone, parsed.Hook()
		if err == nil && parsed.Kind == trigger.After {
			if t.other, err = f.otherOf(parsed, k.cfg.State); err != nil {
				k.cfg.Log.Error("a trigger follows a workfile that cannot be found", "workfile", f.Workfile, "trigger", l.On, "err", err)
				t.idle = true
			}
		}
		if err == nil && parsed.Kind == trigger.File {
			t.files = k.follow(f, parsed, t)
		}
		e.triggers = append(e.triggers, t)
	}
	k.entries[f.ID] = e
	return e
}

// changed tells the daemon whether something is armed.
func (k *Keeper) changed() {
	k.count.Store(int32(len(k.entries)))
	publishHooks(k)
	if stay := len(k.entries) > 0; stay != k.staying {
		k.staying = stay
		k.cfg.Stay(stay)
	}
}

// ready takes the fence and opens the ledger. It returns why runs cannot be started at present.
func (k *Keeper) ready() error {
	if k.ledger != nil {
		return k.ledger.Ready()
	}
	dir := filepath.Join(k.cfg.State, Dir)
	f, err := fence.Take(filepath.Join(dir, FileFence), k.cfg.Own)
	if err != nil {
		return err
	}
	l, err := ledger.Open(filepath.Join(dir, fileLedger))
	if err != nil {
		f.Release()
		return err
	}
	if n := l.Damaged(); n > 0 {
		k.cfg.Log.Error("lines of the ledger of triggers cannot be read", "lines", n, "file", filepath.Join(dir, fileLedger))
	}
	k.fence, k.ledger = f, l
	k.inbound.spool.sweep(l.Bodies)
	for _, e := range k.entries {
		e.unsettled, e.settleAt = true, time.Time{}
		for _, t := range e.triggers {
			t.again()
		}
	}
	return nil
}

// leave closes the ledger and gives the fence back.
func (k *Keeper) leave() {
	k.dropAll()
	if k.fence == nil {
		return
	}
	if err := k.ledger.Close(); err != nil {
		k.cfg.Log.Error("the ledger of triggers cannot be closed", "err", err)
	}
	k.fence.Release()
	k.fence, k.ledger = nil, nil
}

// step does what is due, and returns the time until the next step.
func (k *Keeper) step() time.Duration {
	if len(k.entries) == 0 {
		k.leave()
		return time.Hour
	}
	now, by := k.watch.Set()
	if by != 0 {
		k.cfg.Log.Warn("the clock of the machine was set: the triggers are looked at again", "by", by)
		k.retryAt = time.Time{}
		for _, e := range k.entries {
			e.settleAt = time.Time{}
			for _, t := range e.triggers {
				t.again()
			}
		}
	}
	if wait := k.retryAt.Sub(now); wait > 0 {
		return min(wait, mostSleep)
	}
	if err := k.ready(); err != nil {
		return k.fail(now, err)
	}
	k.noteRejects(now, false)
	next := now.Add(mostSleep)
	var records []ledger.Record
	var starts []*start
	for _, e := range k.entries {
		if e.starting {
			continue
		}
		if e.unsettled {
			if e.settleAt.After(now) {
				next = earlier(next, e.settleAt)
				e.left()
				continue
			}
			if k.settle(e) {
				continue
			}
		}
		if e.leaving != nil {
			e.left()
			continue
		}
		s, recs, wake := k.decide(e, now)
		records = append(records, recs...)
		if s != nil {
			starts = append(starts, s)
		}
		next = earlier(next, wake)
	}
	if len(records) > 0 {
		if err := k.ledger.Append(records...); err != nil {
			return k.fail(now, err)
		}
	}
	k.problem = nil
	for _, s := range starts {
		k.begin(s)
	}
	return max(k.lookAhead(now, next).Sub(now), 0)
}

// fail notes why nothing can be started, and returns when to try again.
func (k *Keeper) fail(now time.Time, err error) time.Duration {
	pause := retryPause
	var taken *fence.TakenError
	if errors.As(err, &taken) {
		pause = fencePause
	}
	if k.problem == nil || k.problem.Error() != err.Error() {
		k.cfg.Log.Error("triggers do not fire", "err", err)
	}
	k.problem, k.retryAt = err, now.Add(pause)
	k.dropAll()
	for _, e := range k.entries { // decisions that are not in the ledger are made again, others are looked up
		e.unsettled = true
		for _, t := range e.triggers {
			t.again()
		}
	}
	return min(pause, mostSleep)
}

func earlier(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}

// decide decides about the triggers of a workfile up to its first start. wake is when to decide again; zero = never.
func (k *Keeper) decide(e *entry, now time.Time) (s *start, records []ledger.Record, wake time.Time) {
	for i := range e.triggers {
		t := e.triggers[(e.turn+i)%len(e.triggers)]
		if t.idle || t.wake.After(now) {
			wake = soonest(wake, t)
			continue
		}
		if t.other != nil || t.files != nil || t.hook != "" {
			decide := k.decideEvent
			if t.files != nil {
				decide = k.decideFiles
			}
			s, more := decide(e, t, now)
			if records = append(records, more...); s != nil {
				e.turn += i + 1
				return s, records, time.Time{}
			}
			wake = soonest(wake, t)
			continue
		}
		state, armed := k.ledger.State(e.ID, t.id)
		if !armed {
			records = append(records, k.armAgain(e, t, now))
			state.Cursor = records[len(records)-1].Instant
		}
		d := planner.Decide(t.Trigger, state, now)
		r := ledger.Record{Time: now, Workfile: e.ID, Trigger: t.id, Line: t.On, Node: t.Node}
		if d.SetBack {
			r.Op, r.Instant = ledger.Move, d.Cursor
			records = append(records, r)
		}
		for _, sk := range d.Skipped {
			r.Op, r.Instant, r.Count, r.Why = ledger.Skip, sk.Until, sk.Count, sk.Why
			records = append(records, r)
		}
		if !d.Start.IsZero() {
			r.Op, r.Instant, r.Count, r.Why, r.Late = ledger.Start, d.Start, 0, "", d.Late
			r.Key = ledger.Key(e.ID, t.id, d.Start)
			t.wake = time.Time{} // decide again after the start
			e.turn += i + 1
			return &start{entry: e, trigger: t, record: r}, append(records, r), time.Time{}
		}
		t.wake, t.idle = d.Wake, d.Wake.IsZero()
		wake = soonest(wake, t)
	}
	return nil, records, wake
}

// soonest returns the earlier of a time and the next decision about a trigger.
func soonest(wake time.Time, t *armedTrigger) time.Time {
	if t.idle || !wake.IsZero() && wake.Before(t.wake) {
		return wake
	}
	return t.wake
}

// arm returns the record that arms a trigger, with a cursor.
func (t *armedTrigger) arm(workfile string, cursor time.Time) ledger.Record {
	return ledger.Record{Op: ledger.Arm, Time: clock.Now(), Workfile: workfile, Trigger: t.id, Instant: cursor, Keep: t.Limit.Starts}
}

// armedJustNow is the age of an armed file up to which a ledger without its record is complete: the daemon died in between.
const armedJustNow = time.Minute

// armAgain arms a trigger of which the ledger has no record. If the ledger was removed, nothing of before is caught up: runs
// may have been started.
func (k *Keeper) armAgain(e *entry, t *armedTrigger, now time.Time) ledger.Record {
	if now.Sub(t.Anchor).Abs() <= armedJustNow {
		return t.arm(e.ID, t.Anchor)
	}
	k.cfg.Log.Error("the ledger does not know a trigger: it counts from now on", "workfile", e.Workfile, "trigger", t.On)
	return t.arm(e.ID, now)
}

// read reads the triggers of a workfile. Tests replace it.
var read = workfile.ReadTriggers
