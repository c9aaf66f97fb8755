package daemon

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"wf/api"
	"wf/workspace"
	"wf/workspace/workfile"
)

// MovedTo returns where a missing workfile may have been moved, for programs that must not start a daemon: see
// workspace.MovedTo.
func MovedTo(path, state string) string { return workspace.MovedTo(path, state) }

// evictTime bounds the wait for clients that still use a workspace.
const evictTime = 5 * time.Second

// evict closes a workspace without runs and prevents its opening until release is called. Its watchers get the reason
// closes.
func (t *workspaces[W]) evict(ctx context.Context, id string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, evictTime)
	defer cancel()
	for {
		t.mu.Lock()
		e := t.byID[id]
		if e == nil && !t.closed {
			e = &entry[W]{id: id, closing: true, ready: make(chan struct{}), gone: make(chan struct{})}
			t.byID[id] = e
			t.mu.Unlock()
			return func() { t.forget(e) }, nil
		}
		closed := t.closed
		if e != nil {
			e.evicted = true
		}
		t.mu.Unlock()
		if closed {
			return nil, errEnding()
		}
		e.recheck()
		select {
		case <-e.gone:
			continue
		case <-ctx.Done():
		}
		t.mu.Lock()
		e.evicted = false
		t.mu.Unlock()
		return nil, t.inUse(e)
	}
}

func (t *workspaces[W]) inUse(e *entry[W]) error {
	refusal := &api.Error{Code: api.CodeConflict, Message: "the workfile is in use", Fix: "try again"}
	select {
	case <-e.ready:
		if e.err == nil {
			if info := e.ws.Info(); len(info.Runs) > 0 {
				refusal.Message, refusal.Run = "run "+info.Runs[0]+" is active", info.Runs[0]
				refusal.Fix = "wf stop " + info.Runs[0] + " --file " + info.Workfile
			}
		}
	default:
	}
	return refusal
}

// move serves wf mv.
func (d *daemon) move(r *http.Request, q api.MoveRequest) (api.MoveResult, error) {
	if !filepath.IsAbs(q.From) || !filepath.IsAbs(q.To) {
		return api.MoveResult{}, api.Invalid("the paths of workfiles must be absolute, not %q and %q", q.From, q.To)
	}
	if info, err := os.Stat(q.To); err == nil && info.IsDir() {
		q.To = filepath.Join(q.To, filepath.Base(q.From))
	}
	d.workspaces.preventIdle()
	defer d.workspaces.allowIdle()
	var ids []string
	for _, path := range []string{q.From, q.To} {
		id, err := workfile.LastingID(path)
		if err != nil {
			return api.MoveResult{}, err
		}
		if len(ids) > 0 && ids[0] == id {
			return api.MoveResult{}, api.Invalid("both names are the same file")
		}
		release, err := d.workspaces.evict(r.Context(), id)
		if err != nil {
			return api.MoveResult{}, err
		}
		defer release()
		ids = append(ids, id)
	}
	res, err := workspace.Move(q.From, q.To, d.workspaceConfig())
	if err != nil {
		return res, err
	}
	if err := d.cfg.values.Move(r.Context(), ids[0], ids[1]); err != nil {
		return res, kvError(err)
	}
	return res, d.triggers.keeper.Moved(r.Context(), ids[0], ids[1], q.To)
}

// gone lists the histories of workfiles that no longer exist, and removes those in q.Remove.
func (d *daemon) gone(r *http.Request, q api.GoneRequest) (api.GoneList, error) {
	d.workspaces.preventIdle()
	defer d.workspaces.allowIdle()
	list := api.GoneList{Schema: api.SchemaGone}
	var err error
	if list.Histories, err = workspace.GoneHistories(d.cfg.State); err != nil {
		return list, err
	}
	for _, id := range q.Remove {
		for i := range list.Histories {
			if h := &list.Histories[i]; h.ID == id && h.Keep == "" {
				if err := d.forgetHistory(r.Context(), id); err != nil {
					return list, err
				}
				h.Removed = true
			}
		}
	}
	return list, nil
}

func (d *daemon) forgetHistory(ctx context.Context, id string) error {
	release, err := d.workspaces.evict(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	if err := workspace.RemoveHistory(id, d.workspaceConfig()); err != nil {
		return err
	}
	if err := d.cfg.values.Drop(ctx, id); err != nil {
		return kvError(err)
	}
	return nil
}
