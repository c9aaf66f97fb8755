package daemon

import (
	"context"

	"wf/api"
	"wf/workspace"
)

// workspacesOf makes the opener of real workspaces, once the slots exist.
func workspacesOf(cfg Config) func(*slots) opener {
	return func(s *slots) opener {
		return realOpener{workspace.Config{Executor: cfg.Executor, State: cfg.State, Runtime: cfg.Runtime, Slots: sharedSlots{s}, Pools: cfg.pools, Nested: cfg.nested,
			Version: cfg.Version, KeepRuns: cfg.KeepRuns, KeepAge: cfg.KeepAge, KeepBytes: cfg.KeepBytes, Log: cfg.Log, Rehearse: cfg.Rehearse,
			Forgot: func(id string, runs []int) {
				if err := cfg.values.Forget(context.Background(), id, runs); err != nil {
					cfg.Log.Warn("values of runs that are forgotten stay until the store is opened anew", "workspace", id, "err", err)
				}
			}}}
	}
}

type realOpener struct{ cfg workspace.Config }

func (o realOpener) id(path string) (id, real string, err error) {
	return workspace.Find(o.cfg.State, path)
}

func (o realOpener) open(path string, retry bool) (Workspace, error) {
	w, err := o.openOrRetry(path, retry)
	if err != nil {
		return nil, err // not w: a nil *Workspace in an interface is not nil
	}
	return realWorkspace{w}, nil
}

func (o realOpener) create(req api.NewRequest) error { return workspace.Create(req, o.cfg) }

func (o realOpener) move(from, to string) (api.MoveResult, error) {
	return workspace.Move(from, to, o.cfg)
}

func (o realOpener) gone() ([]api.GoneHistory, error) { return workspace.GoneHistories(o.cfg.State) }

func (o realOpener) removeHistory(id string) error { return workspace.RemoveHistory(id, o.cfg) }

func (o realOpener) unfinished() []string {
	paths, err := workspace.Unfinished(o.cfg.State)
	if err != nil {
		o.cfg.Log.Error("it cannot be seen which runs are going: they go on when their workfile is opened", "err", err)
	}
	return paths
}

func (o realOpener) openOrRetry(path string, retry bool) (*workspace.Workspace, error) {
	if retry {
		return workspace.Retry(path, o.cfg)
	}
	return workspace.Open(path, o.cfg)
}

func (o realOpener) tidy() { workspace.Tidy(o.cfg.State, o.cfg.Log) }

func (o realOpener) held() []api.HeldWorkspace {
	list, err := workspace.Held(o.cfg.State)
	if err != nil {
		o.cfg.Log.Warn("notes of trials cannot be read", "err", err)
	}
	return list
}

// Held lists what is held, for a program that must not start a daemon to know: see workspace.Held.
func Held(state string) ([]api.HeldWorkspace, error) { return workspace.Held(state) }

// realWorkspace only widens the result of Watch to an interface.
type realWorkspace struct{ *workspace.Workspace }

func (w realWorkspace) Watch(ctx context.Context, client string, opt api.WatchOptions) (Watcher, error) {
	v, err := w.Workspace.Watch(ctx, client, opt)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// sharedSlots shows the slots to workspaces in their own words.
type sharedSlots struct{ *slots }

func (s sharedSlots) Join(id string, jobs int, wake func()) workspace.SlotMember {
	return s.join(id, jobs, wake)
}
