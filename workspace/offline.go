package workspace

import (
	"log/slog"

	"wf/api"
	"wf/workspace/activerun"
	"wf/workspace/history"
	"wf/workspace/inquiry"
	"wf/workspace/nodestate"
	"wf/workspace/workfile"
)

// A Look is a workfile and its history as they are on disk, for questions that need no daemon. It writes, creates, watches
// and starts nothing. It is not safe for concurrent use. If a daemon has the workfile open, ask the daemon instead, which
// has newer answers.
type Look struct{ w *Workspace }

// LookAt reads the workfile at path, which is absolute, and its history in the state folder, which need not exist. The error
// is an *api.Error.
func LookAt(path, state string) (*Look, error) {
	w, err := lookAtFile(path, state)
	if err != nil {
		return nil, err
	}
	w.useHistory(history.At(history.Folder(state, w.id)))
	w.file.Statuses().Restore(w.later)
	w.priorFile.readPrior()
	w.restoreHistory(w.replayUnfinished)
	w.nodes.RestorePrior()
	w.nodes.SettleStatuses(len(w.retries.postponed) == 0)
	return &Look{w}, nil
}

// lookAtFile returns a workspace that only has the workfile. Its loop never starts.
func lookAtFile(path, state string) (*Workspace, error) {
	id, real, err := workfile.Find(state, path)
	if err != nil {
		return nil, err
	}
	w := newWorkspace(id, real, Config{State: state, Log: slog.New(slog.DiscardHandler)})
	return w, w.file.Load()
}

// UseEngines sets the names of the executors besides this machine.
func (l *Look) UseEngines(names []string) { l.w.planner.Engines = func() []string { return names } }

// CheckAt is Workspace.Check for a workfile that no daemon has open. It uses the PATH of the client; engines are the names of the
// executors besides this machine.
func CheckAt(path string, engines []string) (api.Check, error) {
	w, err := lookAtFile(path, "")
	if err != nil {
		return api.Check{}, err
	}
	w.planner.Engines = func() []string { return engines }
	return w.planner.CheckLoaded(), nil
}

// UsePools sets the pools, of which only the sizes are used. Without it pools are not checked.
func (l *Look) UsePools(p activerun.Pools) { l.w.planner.Pools = p }

// Plan is Workspace.Plan.
func (l *Look) Plan(req api.RunRequest) (api.Plan, error) {
	return l.w.planner.PlanLoaded(req)
}

// replayUnfinished replays the journal of an unfinished run, as a daemon does when it recovers the run. A run that cannot be read
// counts as over, as it would for that daemon.
func (w *Workspace) replayUnfinished(n int) {
	p, err := inquiry.OpenReplay(w.store, n)
	if err != nil || len(p.Records) == 0 {
		return
	}
	r := &nodestate.Run{State: *p.State}
	r.Replayed = false
	w.nodes.NoteRun(r.Request, nodestate.RepeatedScope(w.store, r.Request))
	w.nodes.Refold(r, p.Records, nil, nil)
	w.nodes.Runs = append(w.nodes.Runs, r)
}
