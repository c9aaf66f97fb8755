// Package workspace is one open workfile with its runs and its watchers. The daemon opens a Workspace for each workfile that
// clients use and calls its methods for their requests.
//
// A Workspace owns a loop (package loop), to which all its state belongs, the file (package workfile), the history (package
// history), the active runs (package activerun), the event hub (package watchers) and the queue of waiting runs. Drafts of
// runs come from package planning; package inquiry answers questions about runs. Helpers do slow work (files, processes) and
// return the result to the loop as a function. The package contains no HTTP.
package workspace

import (
	"log/slog"
	"sync/atomic"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
	"wf/workspace/clock"
	"wf/workspace/fence"
	"wf/workspace/history"
	"wf/workspace/inquiry"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/planning"
	"wf/workspace/runstate"
	"wf/workspace/tracing"
	"wf/workspace/watchers"
	"wf/workspace/workfile"
)

// Executor is executor.Executor. The alias lets the daemon pass one on without importing package executor.
type Executor = executor.Executor

// Config configures a workspace. All fields but Runtime, Machine, Disk, Rehearse, Forgot, Tell, Nested, Notices and Values are required.
type Config struct {
	Executor Executor
	State    string        // state folder, absolute; the history lies in State/workspaces/ID
	Runtime  string        // runtime folder of the daemon, shown to another daemon that wants to open the workspace; "" in tests
	Machine  fence.Machine // of the daemon; the zero value means this one
	Slots    activerun.Slots
	Pools    activerun.Pools // nil if there are no pools
	Version  string          // of the binary, for the records
	// KeepRuns is the number of runs that stay in the history, KeepAge the maximum time since their end. 0 means no limit.
	KeepRuns int
	KeepAge  time.Duration
	// KeepBytes bounds the size of all runs of a workfile. 0 means no limit. The latest run always stays.
	KeepBytes int64
	Log       *slog.Logger
	Disk      history.Disk // for the history and the workfile; nil means the disk of this machine
	// Rehearse recovers the runs of the workfile at path in another process. It returns nil if that process succeeded,
	// otherwise how it died. If Rehearse is nil, no rehearsal is possible.
	Rehearse func(path string) error
	// Forgot, if not nil, is called with the numbers of the runs that were removed from the history of a workspace. Helpers
	// and requests call it, not the loop.
	Forgot func(id string, runs []int)
	// Tell, if not nil, is called with what happens without a request, on the loop or a helper. It must not block.
	Tell func(News)
	// TraceTo is the collector for the traces of runs whose environment names none; zero = they are not traced.
	TraceTo tracing.Collector
	Nested  activerun.Nested // nil if commands cannot start runs
	// Notices, if not nil, stores notifications about runs.
	Notices activerun.Notices
	Values  runstate.Values // of wf kv; nil if there are none

	// Only tests set these. 0 means the defaults of package activerun.
	holdPause, stopPatience time.Duration
}

// Workspace is one open workfile. Its exported methods may be called on any goroutine. Their errors are of type *api.Error,
// with CodeGone if the workspace has closed.
type Workspace struct {
	*inquiry.Reader // answers questions about runs

	id, path string // path is absolute, with symlinks resolved
	cfg      Config

	loop *loop.Loop

	fence *fence.Fence // see keepFence; nil if the folder cannot be written

	// The fields below belong to the loop goroutine.

	file    *workfile.File
	nodes   *nodestate.Table
	planner *planning.Planner
	host    *activerun.Host // for all runs

	priorFile priorFile
	movedFrom string // the old path of a workfile that was probably moved; "" if there is none
	store     *history.Store
	runs      []*activerun.Run // active, in order of start

	out     *watchers.Hub
	closing bool // Close was called
	gaveWay bool // see giveWay
	retries

	clock clock.Watch
	quarantine
	queue
	retention
	nestedRuns
	preparer
	presence
}

// presence publishes a snapshot that other goroutines can read without asking the loop.
type presence struct {
	w        *Workspace
	snapshot atomic.Pointer[snapshot]
	onIdle   atomic.Pointer[func()]
	latest   *api.RunSummary // the latest run that is over
}

// snapshot is the state of a workspace for other goroutines. It does not change.
type snapshot struct {
	watchers, running int // running is the number of processes
	runs              []string
	held              bool            // the workspace is quarantined
	latest            *api.RunSummary // the latest run that is over
	results           string
	problem           string // with the file; "" if there is none
}

// settle carries out what the functions of a burst decided: it fills slots, writes journals and sends events.
func (w *Workspace) settle() {
	if w.gaveWay {
		return
	}
	w.queue.startQueued()
	w.dispatch()
	for _, r := range w.runs {
		r.PublishShortage()
		r.FlushJournal()
	}
	w.file.Tend()
	w.finishRuns()
	w.file.Tend() // the end of a run asks for a save
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
		p.running += r.Running()
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

// snapshotChanged reports whether the snapshot differs from the published one. Most functions do not change it.
func (ps *presence) snapshotChanged() bool {
	old := ps.snapshot.Load()
	if old == nil || old.watchers != ps.w.out.Count() || old.latest != ps.latest || old.results != ps.w.file.Statuses().Results() || old.problem != ps.w.file.Problem() || old.held != (len(ps.w.quarantine.state.runs) > 0) ||
		len(old.runs) != len(ps.w.runs)+len(ps.w.quarantine.state.runs) {
		return true
	}
	running := 0
	for i, r := range ps.w.runs {
		running += r.Running()
		if old.runs[i] != r.ID {
			return true
		}
	}
	return running != old.running
}

// Busy reports whether a run is active or a watcher is connected.
func (ps *presence) Busy() bool {
	p := ps.snapshot.Load()
	return p.watchers > 0 || len(p.runs) > 0
}

// OnIdle sets a function that is called each time the workspace stops being Busy, on a goroutine of its own.
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
