package workspace

import (
	"log/slog"
	"path/filepath"

	"wf/api"
	"wf/workspace/activerun"
	"wf/workspace/history"
	"wf/workspace/inquiry"
	"wf/workspace/nodestate"
)

// A Look is a workfile and its history as they lie on the disk, for questions that need no daemon. It writes,
// creates, watches and starts nothing. It is not safe for concurrent use. If a daemon has the workfile open,
// ask the daemon: it has newer answers.
type Look struct{ w *Workspace }

// LookAt reads the workfile at path, which is absolute, and its history below the state folder,
// which need not exist. The error is an *api.Error.
func LookAt(path, state string) (*Look, error) {
	w, err := lookAtFile(path, state)
	if err != nil {
		return nil, err
	}
	w.useHistory(history.At(filepath.Join(state, "workspaces", w.id)))
	w.file.Statuses().Recall(w.later)
	w.priorFile.readPrior()
	w.recall(w.lookBack)
	w.nodes.RecallPrior()
	w.nodes.SettleStatuses(len(w.retries.untaken) == 0)
	return &Look{w}, nil
}

// lookAtFile returns a workspace with nothing but the workfile. Its loop never starts.
func lookAtFile(path, state string) (*Workspace, error) {
	id, real, err := Find(state, path)
	if err != nil {
		return nil, err
	}
	w := newWorkspace(id, real, Config{State: state, Log: slog.New(slog.DiscardHandler)}) // its loop never starts
	return w, w.file.Load()
}

// CheckAt is Workspace.Check of a workfile that no daemon has open, with the PATH of the client.
func CheckAt(path string) (api.Check, error) {
	w, err := lookAtFile(path, "")
	if err != nil {
		return api.Check{}, err
	}
	return w.planner.CheckLoaded(), nil
}

// UsePools sets the pools, of which only the sizes are asked for. Without it pools are not checked.
func (l *Look) UsePools(p activerun.Pools) { l.w.planner.UsePools(p) }

// Plan is Workspace.Plan.
func (l *Look) Plan(req api.RunRequest) (api.Plan, error) {
	return l.w.planner.PlanLoaded(req)
}

// lookBack replays the journal of a run that is not over, as a daemon does that takes the run up. A run that
// cannot be read counts as over, as it would for that daemon.
func (w *Workspace) lookBack(n int) {
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
