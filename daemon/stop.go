package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"wf/api"
	"wf/workspace"
)

// stop ends the daemon after the runs have ended (Wait) or were stopped (Cancel), or at once (Detach). It answers before
// the daemon ends, which waits for active requests.
func (d *daemon) stop(r *http.Request, q api.ServerStop) (api.None, error) {
	var err error
	open := func() {}
	if !q.Detach {
		open = d.triggers.gate.shut(r.Context())
		err = d.workspaces.awaitResumed(r.Context())
	}
	switch active := d.active(); {
	case err != nil:
	case len(active) == 0, q.Detach:
	case q.Cancel:
		err = d.cancelRuns(r, q)
	case q.Wait:
		err = d.awaitRuns(r.Context())
	default:
		err = &api.Error{Code: api.CodeRefused, Message: fmt.Sprintf("%s active", runsAre(active)),
			Fix: "wf server stop --wait (until they are over) or wf server stop --cancel (stop them)"}
	}
	if err == nil {
		d.finish("a client has asked for it")
	} else {
		open()
	}
	return api.None{}, err
}

// active returns the workspaces with active runs.
func (d *daemon) active() []*openEntry {
	var list []*openEntry
	for _, e := range d.workspaces.entries() {
		if len(e.ws.Info().Runs) > 0 {
			list = append(list, e)
		}
	}
	return list
}

// runsAre returns the names of the active runs with a verb: "run 3 of /data/Workfile is", "run 3 of … and run 1 of … are".
func runsAre(active []*openEntry) string {
	var names []string
	for _, e := range active {
		info := e.ws.Info()
		for _, run := range info.Runs {
			names = append(names, "run "+run+" of "+info.Workfile)
		}
	}
	verb := " is"
	if len(names) > 1 {
		verb = " are"
	}
	return strings.Join(names, ", ") + verb
}

// cancelRuns stops all runs, of all workspaces concurrently.
func (d *daemon) cancelRuns(r *http.Request, q api.ServerStop) error {
	active := d.active()
	errs := make([]error, len(active))
	var all sync.WaitGroup
	for i, e := range active {
		all.Go(func() {
			var results []api.StopResult
			results, errs[i] = e.ws.StopAll(r.Context(), client(r), api.StopRequest{GraceMS: q.GraceMS})
			if errs[i] == nil {
				errs[i] = unrecorded(e.ws.Info().Workfile, results)
			}
		})
	}
	all.Wait()
	return firstFailure(errs)
}

// unrecorded returns the error about a stopped run whose end cannot be recorded: the daemon stays to record it.
func unrecorded(workfile string, results []api.StopResult) error {
	for _, res := range results {
		if res.Going {
			return &api.Error{Code: api.CodeRefused, Message: "run " + res.Run + " was stopped, but the daemon cannot end yet", Where: workfile,
				Why: res.Problem, Fix: fmt.Sprintf("make the state folder writable, or kill %d: the next daemon records it", os.Getpid())}
		}
	}
	return nil
}

// firstFailure returns the first error, except of workspaces that closed meanwhile: their runs have ended.
func firstFailure(errs []error) error {
	for _, err := range errs {
		if err != nil && !api.HasCode(err, api.CodeGone) {
			return err
		}
	}
	return nil
}

// awaitRuns waits until no run is active. Meanwhile no run may start.
func (d *daemon) awaitRuns(ctx context.Context) error {
	d.waiters.Add(1)
	defer d.waiters.Add(-1)
	for {
		active := d.active()
		if len(active) == 0 {
			return nil
		}
		if held := slices.DeleteFunc(slices.Clone(active), func(e *openEntry) bool { return e.ws.Info().State != stateHeld }); len(held) > 0 {
			return &api.Error{Code: api.CodeRefused, Message: fmt.Sprintf("%s quarantined, and would never end", runsAre(held)),
				Fix: "wf server stop --cancel stops it, wf server retry recovers it"}
		}
		for _, e := range active {
			if err := firstFailure([]error{awaitWorkspace(ctx, e.ws)}); err != nil {
				return err
			}
		}
	}
}

// awaitWorkspace watches a workspace until its active runs have ended.
func awaitWorkspace(ctx context.Context, w *workspace.Workspace) error {
	watcher, err := w.Watch(ctx, "", api.WatchOptions{Events: []api.EventType{api.RunComplete}})
	if err != nil {
		return err
	}
	defer watcher.Close()
	active := map[string]bool{}
	for {
		var data []byte
		var ok bool
		select {
		case data, ok = <-watcher.Frames():
		case <-ctx.Done():
			return ctx.Err()
		}
		if !ok {
			return nil // dropped or closed: the caller checks again
		}
		var f api.Frame
		if err := json.Unmarshal(data, &f); err != nil {
			return fmt.Errorf("decode a frame: %w", err)
		}
		if note(active, f); len(active) == 0 {
			return nil
		}
	}
}

// note updates the active runs.
func note(active map[string]bool, f api.Frame) {
	if f.Snapshot != nil {
		for _, run := range f.Snapshot.Status.ActiveRuns {
			active[run] = true
		}
	}
	for _, ev := range f.Events {
		if ev.Type == api.RunComplete {
			delete(active, ev.Run)
		}
	}
}
