package workspace

import (
	"log/slog"
	"path/filepath"

	"wf/api"
	"wf/workspace/history"
)

// A Look is a workfile and its history as they lie on the disk, for questions that need no daemon.
// Nothing is written, created, watched or started on its behalf. It is not safe for concurrent use.
// While a daemon has the workfile open, that daemon knows better.
type Look struct{ w *Workspace }

// LookAt reads the workfile at path, which is absolute, and its history below the state folder,
// which need not exist. The error is an *api.Error.
func LookAt(path, state string) (*Look, error) {
	w, err := lookAtFile(path, state)
	if err != nil {
		return nil, err
	}
	w.store = history.At(filepath.Join(state, "workspaces", w.id))
	w.recallStatuses()
	w.readBefore()
	w.recall(w.lookBack)
	w.recallPast()
	w.settleStatuses()
	return &Look{w}, nil
}

// lookAtFile is a workspace with nothing but the workfile.
func lookAtFile(path, state string) (*Workspace, error) {
	id, real, err := Find(state, path)
	if err != nil {
		return nil, err
	}
	w := newWorkspace(id, real, Config{State: state, Log: slog.New(slog.DiscardHandler)}) // its loop never starts
	return w, w.parseFile()
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

// UsePools says how large pools are: without it nobody asks.
func (l *Look) UsePools(p Pools) { l.w.cfg.Pools = p }

// Plan is Workspace.Plan.
func (l *Look) Plan(req api.RunRequest) (api.Plan, error) {
	plan, err := l.w.plan(req)
	if err == nil {
		err = l.w.workFolder().refusal(l.w)
	}
	return plan, err
}

// lookBack folds a run that is not over as far as its journal goes, as a daemon would that takes it
// up. One that cannot be read counts as over, which is what that daemon would make of it.
func (w *Workspace) lookBack(n int) {
	p, err := openReplay(w.store, n)
	if err != nil || len(p.records) == 0 {
		return
	}
	r := newRun(p.client)
	r.runState = *p.runState
	r.over, r.active = false, r
	r.relive(w, p.records)
	w.runs = append(w.runs, r)
}

// noSlots is the share of the machine of somebody who executes nothing.
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
