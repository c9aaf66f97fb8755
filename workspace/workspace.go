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
	"wf/workspace/activerun"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/inquiry"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/planning"
	"wf/workspace/watchers"
	"wf/workspace/workfile"
)

// Executor is what runs commands; the alias lets the daemon hand one on without knowing more.
type Executor = executor.Executor

// Config is what a workspace needs. All fields but Runtime, Disk, Rehearse, Forgot and Nested are required.
type Config struct {
	Executor Executor
	State    string // state folder, absolute; the history lies in State/workspaces/ID
	Runtime  string // runtime folder of the daemon, shown to another daemon that finds the workspace taken; "" in tests
	Slots    activerun.Slots
	Pools    activerun.Pools // nil: there are no pools
	Version  string          // of the binary, for the records
	// KeepRuns is how many runs stay in the history, KeepAge how long ago they may have ended. 0 is no limit.
	KeepRuns int
	KeepAge  time.Duration
	// KeepBytes bounds the size of all runs of a workfile; 0 is no limit. The latest run always stays.
	KeepBytes int64
	Log       *slog.Logger
	Disk      history.Disk // under the history and the workfile; nil = that of this machine
	// Rehearse tries the recovery of the runs of the workfile at path in another process. It returns how that process died, or
	// nil. If Rehearse is nil, no rehearsal is possible.
	Rehearse func(path string) error
	// Forgot, if not nil, is called with the runs of a workspace that were removed from its history. It is called by helpers and
	// requests, not on the loop.
	Forgot func(id string, runs []int)
	Nested activerun.Nested // nil: commands cannot start runs

	// Tests shorten these; 0 means the defaults of package activerun.
	holdPause, stopPatience time.Duration
}

// Workspace is one open workfile. Its exported methods may be called from any goroutine. They return an *api.Error, with CodeGone when
// the workspace has closed.
type Workspace struct {
	*inquiry.Reader // answers the questions about runs

	id, path string // path is absolute and free of symlinks
	cfg      Config

	loop *loop.Loop

	fence *history.Fence // see keepFence; nil if nothing can be written

	// The fields below belong to the loop goroutine.

	file    *workfile.File
	nodes   *nodestate.Table
	planner *planning.Planner
	host    *activerun.Host // of the runs

	priorFile priorFile
	movedFrom string // the old path of a workfile that was probably moved; "" = none
	store     *history.Store
	runs      []*activerun.Run // active, in order of start

	out     *watchers.Hub
	closing bool // Close was called
	retries

	clock clock.Watch
	quarantine
	queue
	retention
	nestedRuns
	preparer
	presence
}

// presence publishes what other goroutines can read without asking the loop.
type presence struct {
	w        *Workspace
	snapshot atomic.Pointer[snapshot]
	onIdle   atomic.Pointer[func()]
	latest   *api.RunSummary // the latest run that is over; belongs to the loop
}

// snapshot is what other goroutines can read without asking the loop.
type snapshot struct {
	watchers, running int // running: processes
	runs              []string
	held              bool            // some runs were not recovered: the workspace is quarantined
	latest            *api.RunSummary // of the runs that are over; it never changes
	results           string
	problem           string // with the file, "" = none
}

// settle carries out what the functions of a burst decided: slots are filled, journals written, events
// sent.
func (w *Workspace) settle() {
	w.queue.startQueued()
	w.dispatch()
	for _, r := range w.runs {
		r.PublishShortage()
		r.FlushJournal()
	}
	w.file.Tend()
	w.finishRuns()
	w.quarantine.passAttempt()
	w.out.Flush()
	w.AnswerOutputWaits()
	w.presence.publishSnapshot()
}

func (ps *presence) publishSnapshot() {
	if !ps.snapshotChanged() {
		return
	}
	p := &snapshot{watchers: ps.w.out.Count(), latest: ps.latest, results: ps.w.file.Statuses().Results(), problem: ps.w.file.Problem()}
	for _, r := range ps.w.runs {
		p.runs = append(p.runs, r.ID)
		p.running += r.Running
	}
	for _, n := range ps.w.quarantine.state.runs {
		p.runs, p.held = append(p.runs, history.RunID(n)), true
	}
	old := ps.snapshot.Swap(p)
	wasBusy := old != nil && (old.watchers > 0 || len(old.runs) > 0)
	if wasBusy && p.watchers == 0 && len(p.runs) == 0 {
		if f := ps.onIdle.Load(); f != nil {
			ps.w.loop.Run(*f)
		}
	}
}

// snapshotChanged reports whether the snapshot differs from the published one; most functions do not change it.
func (ps *presence) snapshotChanged() bool {
	old := ps.snapshot.Load()
	if old == nil || old.watchers != ps.w.out.Count() || old.latest != ps.latest || old.results != ps.w.file.Statuses().Results() || old.problem != ps.w.file.Problem() || old.held != (len(ps.w.quarantine.state.runs) > 0) ||
		len(old.runs) != len(ps.w.runs)+len(ps.w.quarantine.state.runs) {
		return true
	}
	running := 0
	for i, r := range ps.w.runs {
		running += r.Running
		if old.runs[i] != r.ID {
			return true
		}
	}
	return running != old.running
}

// Busy reports whether a run is going or a watcher is there.
func (ps *presence) Busy() bool {
	p := ps.snapshot.Load()
	return p.watchers > 0 || len(p.runs) > 0
}

// OnIdle sets what is called, on a goroutine of its own, each time the workspace stops being Busy.
func (ps *presence) OnIdle(f func()) { ps.onIdle.Store(&f) }

// Info describes the workspace without waiting for the loop.
func (ps *presence) Info() api.WorkspaceInfo {
	p := ps.snapshot.Load()
	info := api.WorkspaceInfo{ID: ps.w.id, Workfile: ps.w.path, Clients: p.watchers, Running: p.running, State: "idle", Runs: []string{}, LastRun: p.latest, Results: p.results, Problem: p.problem}
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
