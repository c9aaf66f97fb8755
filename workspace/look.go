package workspace

import (
	"log/slog"
	"path/filepath"

	"wf/api"
	"wf/workspace/history"
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
	w.store = history.At(filepath.Join(state, "workspaces", w.id))
	w.file.Statuses().Recall(w.later)
	w.readBefore()
	w.recall(w.lookBack)
	w.nodes.RecallPrior()
	w.nodes.SettleStatuses(len(w.untaken) == 0)
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
	c := w.check()
	w.checkShell(&c)
	w.workFolder().check(&c)
	return c, nil
}

// UsePools sets the pools, of which only the sizes are asked for. Without it pools are not checked.
func (l *Look) UsePools(p Pools) { l.w.cfg.Pools = p }

// Plan is Workspace.Plan.
func (l *Look) Plan(req api.RunRequest) (api.Plan, error) {
	plan, err := l.w.plan(req)
	if err == nil {
		err = l.w.workFolder().refusal(l.w)
	}
	return plan, err
}

// lookBack replays the journal of a run that is not over, as a daemon does that takes the run up. A run that
// cannot be read counts as over, as it would for that daemon.
func (w *Workspace) lookBack(n int) {
	p, err := openReplay(w.store, n)
	if err != nil || len(p.records) == 0 {
		return
	}
	r := newRun()
	r.State = *p.State
	r.Replayed, r.Active = false, r
	w.nodes.NoteRun(r.Request, nodestate.RepeatedScope(w.store, r.Request))
	r.relive(w, p.records)
	w.addRun(r)
}

// noSlots are the slots of a workspace that executes nothing.
type noSlots struct{}

func (noSlots) TryAcquire() bool { return false }
func (noSlots) Decline()         {}
func (noSlots) Claim()           {}
func (noSlots) Over() int        { return 0 }
func (noSlots) Release()         {}
func (noSlots) Lend()            {}
func (noSlots) TakeBack()        {}
func (noSlots) Leave()           {}

func (noSlots) Machine() (limit, used int) { return 0, 0 }
