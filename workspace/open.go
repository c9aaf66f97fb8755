package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
	"wf/workspace/history"
	"wf/workspace/inquiry"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/params"
	"wf/workspace/planning"
	"wf/workspace/secrets"
	"wf/workspace/uptodate"
	"wf/workspace/watchers"
	"wf/workspace/workfile"
)

// HasRun reports whether the history of a workspace contains run n, or might contain it because the folder cannot be read.
func HasRun(state, id string, n int) bool {
	_, err := os.Lstat(history.At(history.Folder(state, id)).Dir(n))
	return !errors.Is(err, fs.ErrNotExist)
}

// Open reads a workfile and recovers the runs that an earlier daemon left, unless the workspace is quarantined.
func Open(path string, cfg Config) (*Workspace, error) { return open(path, cfg, false) }

// Retry is like Open, but makes one more recovery attempt if the workspace is quarantined.
func Retry(path string, cfg Config) (*Workspace, error) { return open(path, cfg, true) }

func open(path string, cfg Config, retry bool) (*Workspace, error) {
	id, real, err := workfile.Find(cfg.State, path)
	if err != nil {
		return nil, err
	}
	w := newWorkspace(id, real, cfg)
	w.quarantine.attempt.retry = retry
	if err := w.raiseFence(); err != nil {
		return nil, err
	}
	if err := w.restore(); err != nil {
		if w.fence != nil {
			w.fence.GiveUp()
		}
		// An open that returns an error did not crash the daemon, so it does not count as a failed attempt.
		if w.quarantine.attempt.noted {
			w.quarantine.endAttempt()
		}
		return nil, err
	}
	if err := w.file.Watch(); err != nil {
		cfg.Log.Warn("the folder cannot be watched: changes of others are seen when wf writes", "folder", filepath.Dir(real), "err", err)
	}
	w.presence.publishSnapshot()
	w.loop.Start()
	w.tell(News{Kind: Opened})
	return w, nil
}

// newWorkspace returns a workspace whose loop has not started.
func newWorkspace(id, path string, cfg Config) *Workspace {
	w := &Workspace{id: id, path: path, cfg: cfg}
	w.quarantine.w, w.queue.w, w.retention.w, w.nestedRuns.w, w.preparer.w, w.presence.w, w.retries.w, w.priorFile.w = w, w, w, w, w, w, w, w
	w.preparer.creating, w.preparer.secrets = make(chan struct{}, 1), &secrets.Table{}
	w.loop = loop.New(loop.Hooks{Before: func() { followClock(w) }, Settle: w.settle, Leave: w.leave, Crashed: w.crashed,
		Ended: errClosed(), Panicked: errPanicked(), Log: cfg.Log.With("workfile", path)})
	w.retries.holdTimer = w.loop.NewTimer(w.retries.tryAgain)
	w.file = w.newFile()
	w.nodes = &nodestate.Table{File: w.file, Log: cfg.Log, Latest: map[string]nodestate.Latest{}}
	w.out = watchers.New(w.loop, cfg.Log.With("workspace", id), w.nodes.ItemOf, func(ev api.Event) api.Event { return Hidden(w, ev) })
	w.useHistory(nil)
	return w
}

// useHistory sets the store of the workspace's history. nil means that there is no history.
func (w *Workspace) useHistory(s *history.Store) {
	w.store = s
	asker, _ := w.cfg.Executor.(params.Asker)
	w.planner = &planning.Planner{ID: w.id, Path: w.path, Version: w.cfg.Version, Loop: w.loop, File: w.file, Nodes: w.nodes,
		Store: s, Pools: w.cfg.Pools, Asker: asker, Usable: w.usable,
		Memory:  uptodate.At(filepath.Join(history.Folder(w.cfg.State, w.id), uptodate.FileName)),
		Engines: func() []string { return executor.EnginesOf(w.cfg.Executor) }}
	w.host = &activerun.Host{ID: w.id, Path: w.path, State: w.cfg.State, Log: w.cfg.Log, Loop: w.loop, File: w.file, Nodes: w.nodes, Store: s, Secrets: w.preparer.secrets, Out: w.out, Marks: watchers.NewMarks(w.out, w.nodes),
		Executor: w.cfg.Executor, Slots: w.cfg.Slots, Pools: w.cfg.Pools, Nested: w.cfg.Nested, Notices: w.cfg.Notices, Values: w.cfg.Values,
		Memory:     w.planner.Memory,
		RetryLater: func() { w.retries.holdTimer.Reset(w.host.HoldPause) }, Found: w.quarantine.awaitReports,
		Answered: func(r *activerun.Run, node string, approved bool) {
			w.tell(News{Kind: ApprovalEnded, Run: r.ID, Node: node, Approved: approved})
		},
		HoldPause: cmp.Or(w.cfg.holdPause, activerun.DefaultHoldPause), StopPatience: cmp.Or(w.cfg.stopPatience, activerun.DefaultStopPatience)}
	w.Reader = inquiry.New(inquiry.Config{Path: w.path, Loop: w.loop, File: w.file, Nodes: w.nodes, Store: s, Secrets: w.preparer.secrets, Out: w.out, ID: w.id, Values: w.cfg.Values})
}

// restore reads the file, the state folder and the history. It is called before the loop starts.
func (w *Workspace) restore() error {
	active := history.IsActive(w.cfg.State, w.id)
	if active {
		w.quarantine.try()
	}
	err := w.file.Load()
	if err != nil {
		return err
	}
	w.file.RemoveLeftovers(w.fence != nil)
	store, err := history.Open(w.disk(), history.Folder(w.cfg.State, w.id))
	if err != nil {
		return &api.Error{Code: api.CodeInternal, Message: "the history cannot be opened", Where: w.cfg.State, Why: workfile.Plain(err)}
	}
	w.useHistory(store)
	if err := w.checkPrivate(); err != nil {
		return err
	}
	w.file.Statuses().Restore(w.later)
	w.priorFile.readPrior()
	w.restoreHistory(func(n int) {
		w.quarantine.try() // a run can exist without a note of it
		if w.quarantine.state.why != "" {
			w.quarantine.quarantineRun(n)
			return
		}
		w.retries.recoverRun(n)
	})
	w.nodes.RestorePrior()
	w.queue.restoreQueue()
	w.nodes.SettleStatuses(len(w.retries.postponed) == 0)
	w.lookForOrigin()
	if active && !w.unfinished() {
		w.preparer.note.remove(w) // the note is left of a run that has ended, or never started
	}
	w.file.RestoreEdits()
	return nil
}

// Unfinished lists the workfiles with runs that an earlier daemon left unfinished. If it returns an error the list is
// incomplete; the other runs are found when their workfile is opened.
func Unfinished(state string) ([]string, error) {
	marks, err := history.Active(state)
	paths := make([]string, 0, len(marks))
	for _, m := range marks {
		paths = append(paths, m.Workfile)
	}
	return paths, err
}
