// Package workspace is one open workfile with its runs and its watchers. All state belongs to one loop (package
// loop); the file is package workfile. Slow work (files, processes) is done by helpers, and its result comes
// back as a function on the loop. It is the only package that connects the scheduler, which decides, with the
// executor, which runs commands. It contains no HTTP.
package workspace

import (
	"log/slog"
	"sync/atomic"
	"time"

	"wf/api"
	"wf/executor"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/workfile"
)

// Executor is what runs commands; the alias lets the daemon hand one on without knowing more.
type Executor = executor.Executor

// Config is what a workspace is given. All fields but Runtime, Disk, Rehearse, Forgot and Nested are required.
type Config struct {
	Executor Executor
	State    string // state folder, absolute; the history lies in State/workspaces/ID
	Runtime  string // runtime folder of the daemon, for who finds a workspace taken; "" in tests
	Slots    Slots
	Pools    Pools  // nil: there are none, and nobody waits for their units
	Version  string // of the binary, for the records
	// KeepRuns and KeepAge say what stays of the past: so many runs, and those that ended no longer
	// ago. 0 is no limit.
	KeepRuns int
	KeepAge  time.Duration
	// KeepBytes is how much the runs of a workfile may take together; 0 is no limit. The latest stays.
	KeepBytes int64
	Log       *slog.Logger
	Disk      history.Disk // under the history and the workfile; nil = that of this machine
	// Rehearse has another process do what would be done to take up the runs of the workfile at path, and
	// says how it died, or nil. nil: nobody can try.
	Rehearse func(path string) error
	// Forgot is told which runs of a workspace were removed from its history; nil tells nobody. It is
	// called from helpers and requests, not from the loop.
	Forgot func(id string, runs []int)
	Nested Nested // nil: commands of runs start no others
}

// Slots hands out the job slots of the machine (docs/semantics.md, Commands). It is safe for concurrent use.
type Slots interface {
	// Join makes a member for a run of a workspace that wants so many slots at most: 0 = it does not
	// say, or NoLimit. wake is called when there is news for the member: a slot that it was refused,
	// or another answer of Over. It must not block.
	Join(id string, jobs int, wake func()) SlotMember
}

// NoLimit is how many slots a run wants that is to have no limit.
const NoLimit = -1

// A SlotMember takes and returns slots for one run.
type SlotMember interface {
	TryAcquire() bool // one slot, or false: then the member waits, or has all that it wants
	Decline()         // it does not wait any more
	Claim()           // one slot, even beyond the limit: for processes that run already
	Over() int        // how many to give back as soon as possible: others wait with fewer
	Release()         // one slot back
	Lend()            // one slot back, until TakeBack: its command waits for another run
	TakeBack()        // one slot that was lent, even beyond the limit
	Leave()           // all slots back, and no wake any more
	// Machine is the limit that keeps the member from more, and how many slots count towards it.
	Machine() (limit, used int)
}

// Workspace is one open workfile. Its exported methods may be called from any goroutine; they
// return *api.Error, and CodeGone when the workspace has closed.
type Workspace struct {
	id, path string // path is absolute and free of symlinks
	cfg      Config

	loop      *loop.Loop
	holdTimer *loop.Timer    // tries again what could not be written
	creating  chan struct{}  // a place for the one helper that makes a run's folder
	fence     *history.Fence // see keepFence; nil where nothing can be written
	marks     marks
	pulse     atomic.Pointer[pulse]
	onIdle    atomic.Pointer[func()]

	// The fields below belong to the loop goroutine.

	file       *workfile.File
	stages     stageTable
	local      localTable
	last       map[string]memory // node id → what is known of its past
	before     scheduler.Prior   // what earlier runs with a control flow have left for later ones
	movedFrom  string            // the workfile that this one seems to have been, "" = it was not moved
	store      *history.Store
	runs       []*run          // active, in order of start
	waiting    []*pendingStart // runs that wait for others to end, in order
	queuedLast int             // number of the latest of them that was written down

	outputWaits []outputWait
	latest      *api.RunSummary
	out         publisher
	closing     bool // Close was called
	trial       trial
	held        held
	unbegun     []int // runs that could not begin and are still to be removed
	clock       clock.Watch
	untaken     []int // runs of an earlier daemon whose records cannot be read at present
}

// pulse is what other goroutines can read without asking the loop.
type pulse struct {
	watchers, running int // running: processes
	runs              []string
	held              bool            // some of the runs are not taken up, see held
	latest            *api.RunSummary // of the runs that are over; nothing in it changes
	results           string
	problem           string // with the file, "" = none
}

// settle carries out what the functions of a burst decided: slots are filled, journals written, events
// sent.
func (w *Workspace) settle() {
	w.startQueued()
	w.dispatch()
	for _, r := range w.runs {
		r.tellShortage(w)
		r.flushJournal(w)
	}
	w.file.Tend()
	w.finishRuns()
	w.passTrial()
	w.out.flush(w)
	if len(w.outputWaits) > 0 {
		w.answerOutputWaits()
	}
	w.publishPulse()
}

func (w *Workspace) publishPulse() {
	if !w.pulseChanged() {
		return
	}
	p := &pulse{watchers: w.out.count(), latest: w.latest, results: w.file.Statuses().Results(), problem: w.file.Problem()}
	for _, r := range w.runs {
		p.runs = append(p.runs, r.ID)
		p.running += r.Running
	}
	for _, n := range w.held.runs {
		p.runs, p.held = append(p.runs, history.RunID(n)), true
	}
	old := w.pulse.Swap(p)
	wasBusy := old != nil && (old.watchers > 0 || len(old.runs) > 0)
	if wasBusy && p.watchers == 0 && len(p.runs) == 0 {
		if f := w.onIdle.Load(); f != nil {
			w.loop.Run(*f)
		}
	}
}

// pulseChanged reports whether the pulse differs from the published one; most functions do not change it.
func (w *Workspace) pulseChanged() bool {
	old := w.pulse.Load()
	if old == nil || old.watchers != w.out.count() || old.latest != w.latest || old.results != w.file.Statuses().Results() || old.problem != w.file.Problem() || old.held != (len(w.held.runs) > 0) ||
		len(old.runs) != len(w.runs)+len(w.held.runs) {
		return true
	}
	running := 0
	for i, r := range w.runs {
		running += r.Running
		if old.runs[i] != r.ID {
			return true
		}
	}
	return running != old.running
}

// Busy reports whether a run is going or a watcher is there.
func (w *Workspace) Busy() bool {
	p := w.pulse.Load()
	return p.watchers > 0 || len(p.runs) > 0
}

// OnIdle sets what is called, on a goroutine of its own, each time the workspace stops being Busy.
func (w *Workspace) OnIdle(f func()) { w.onIdle.Store(&f) }

// Info describes the workspace without waiting for the loop.
func (w *Workspace) Info() api.WorkspaceInfo {
	p := w.pulse.Load()
	info := api.WorkspaceInfo{ID: w.id, Workfile: w.path, Clients: p.watchers, Running: p.running, State: "idle", Runs: []string{}, LastRun: p.latest, Results: p.results, Problem: p.problem}
	for _, id := range p.runs {
		info.State = "running"
		if id != "" { // it has no number yet
			info.Runs = append(info.Runs, id)
		}
	}
	if p.held {
		info.State = "held"
	}
	return info
}
