package daemon

import (
	"context"

	"wf/api"
	"wf/workspace"
	"wf/workspace/activerun"
	"wf/workspace/workfile"
)

// openFile contains the methods of an open workfile that the table of workspaces uses: a *workspace.Workspace, or a fake
// in tests with a fake clock.
type openFile interface {
	Done() <-chan struct{} // closed after its end
	Busy() bool            // it has runs or watchers
	Info() api.WorkspaceInfo
	OnIdle(f func())
	Close(ctx context.Context) error
}

// An opener finds and opens workfiles.
type opener[W openFile] struct {
	identify func(path string) (id, real string, err error)
	open     func(path string, retry bool) (W, error) // a quarantined one only with retry
}

// newOpener returns the opener of workspaces on this machine.
func newOpener(cfg workspace.Config) opener[*workspace.Workspace] {
	return opener[*workspace.Workspace]{
		identify: func(path string) (id, real string, err error) { return workfile.Find(cfg.State, path) },
		open: func(path string, retry bool) (*workspace.Workspace, error) {
			if retry {
				return workspace.Retry(path, cfg)
			}
			return workspace.Open(path, cfg)
		},
	}
}

// workspaceConfig returns the configuration of all workspaces of the daemon.
func (d *daemon) workspaceConfig() workspace.Config {
	cfg := d.cfg
	return workspace.Config{Executor: cfg.Executor, State: cfg.State, Runtime: cfg.Runtime, Slots: sharedSlots{d.slots},
		Pools: cfg.pools, Nested: cfg.nested, Version: cfg.Version, KeepRuns: cfg.KeepRuns, KeepAge: cfg.KeepAge,
		KeepBytes: cfg.KeepBytes, Log: cfg.Log, Rehearse: cfg.Rehearse, Notices: d.notifier.outbox, Values: &storedValues{values: cfg.values}, Tell: d.hear, TraceTo: cfg.Monitoring.collector(cfg.Log),
		Forgot: func(id string, runs []int) {
			if err := cfg.values.Forget(context.Background(), id, runs); err != nil {
				cfg.Log.Warn("values of removed runs stay until the store is opened again", "workspace", id, "err", err)
			}
		}}
}

// unfinished returns the workfiles with runs that an earlier daemon left active.
func (d *daemon) unfinished() []string {
	paths, err := workspace.Unfinished(d.cfg.State)
	if err != nil {
		d.cfg.Log.Error("the active runs cannot be listed: they continue when their workfile is opened", "err", err)
	}
	return paths
}

// sharedSlots are the slots of the daemon as workspaces use them.
type sharedSlots struct{ *slots }

// Join returns the share of one run.
func (s sharedSlots) Join(id string, jobs int, wake func()) activerun.SlotMember {
	return s.join(id, jobs, wake)
}

// hear passes news of workspaces on.
func (d *daemon) hear(n workspace.News) {
	d.monitor.hear(n)
	if n.Kind == workspace.RunEnded {
		d.triggers.keeper.Ended(n.ID)
	}
}
