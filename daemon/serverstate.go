package daemon

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/workspace"
)

func (d *daemon) version(*http.Request, api.None) (api.VersionInfo, error) {
	if d.draining.Load() {
		return api.VersionInfo{}, errEnding()
	}
	info := api.VersionInfo{Version: d.cfg.Version, Protocol: api.Version, PID: os.Getpid(), Requests: true}
	for _, e := range d.workspaces.entries() {
		info.Runs += len(e.ws.Info().Runs)
	}
	return info, nil
}

func (d *daemon) status(*http.Request, api.None) (api.ServerStatus, error) {
	used, now := d.slots.inUse()
	s := api.ServerStatus{Schema: api.SchemaServer, Version: d.cfg.Version, PID: os.Getpid(),
		Started: d.started.UTC().Format(time.RFC3339), Socket: d.registry.Socket, URL: d.registry.URL,
		Slots: d.cfg.Slots, SlotsUsed: used, SlotsNow: now, Given: d.cfg.Given, Workspaces: []api.WorkspaceInfo{}, Held: d.held(),
		Armed: d.triggers.keeper.Count()}
	for _, e := range d.workspaces.entries() {
		info := e.ws.Info()
		s.Clients += info.Clients
		s.Workspaces = append(s.Workspaces, info)
	}
	slices.SortFunc(s.Workspaces, func(a, b api.WorkspaceInfo) int { return strings.Compare(a.Workfile, b.Workfile) })
	return s, nil
}

// held returns the quarantined workspaces, without those in the middle of a recovery attempt.
func (d *daemon) held() []api.HeldWorkspace {
	open := map[string]bool{}
	for _, e := range d.workspaces.entries() {
		open[e.id] = e.ws.Info().State != stateHeld
	}
	list, err := workspace.Held(d.cfg.State)
	if err != nil {
		d.cfg.Log.Warn("the notes about quarantined workfiles cannot be read", "err", err)
	}
	return slices.DeleteFunc(list, func(h api.HeldWorkspace) bool { return open[h.ID] })
}

// stateHeld is the state of a quarantined workspace.
const stateHeld = "held"

func (d *daemon) openWorkspace(r *http.Request, q api.OpenRequest) (api.WorkspaceInfo, error) {
	if !filepath.IsAbs(q.Path) {
		return api.WorkspaceInfo{}, api.Invalid("the path of a workfile must be absolute, not %q", q.Path)
	}
	e, err := d.workspaces.open(r.Context(), q.Path, q.Retry)
	if err != nil {
		return api.WorkspaceInfo{}, err
	}
	if q.Retry {
		if err := e.ws.Retry(r.Context()); err != nil {
			d.workspaces.release(e)
			return api.WorkspaceInfo{}, err
		}
	}
	e.ws.SetResults(q.Results)
	info := e.ws.Info()
	d.leases.keep(d.holderOf(r), e, func() { d.workspaces.release(e) })
	return info, nil
}

// closeWorkspace ends the lease of the client.
func (d *daemon) closeWorkspace(r *http.Request, _ api.None) (api.None, error) {
	d.leases.release(d.holderOf(r), r.PathValue("id"))
	return api.None{}, nil
}

// lasting counts a lasting request, such as a watch, until done is called. Their number is limited, so that a command of a
// run can reach the daemon however many people watch.
func (d *daemon) lasting() (done func(), err error) {
	select {
	case d.waits <- struct{}{}:
		return func() { <-d.waits }, nil
	default:
		return nil, &api.Error{Code: api.CodeRefused, Message: "too many clients wait for something already",
			Why: strconv.Itoa(cap(d.waits)) + " of them watch, follow an output or wait in the queue", Fix: "wf server ls shows how many watch"}
	}
}

func (d *daemon) create(r *http.Request, q api.NewRequest) (api.WorkspaceInfo, error) {
	if !filepath.IsAbs(q.Path) {
		return api.WorkspaceInfo{}, api.Invalid("the path of a workfile must be absolute, not %q", q.Path)
	}
	d.workspaces.preventIdle() // a large file may take longer than IdleTimeout
	defer d.workspaces.allowIdle()
	if err := workspace.Create(q, d.workspaceConfig()); err != nil {
		return api.WorkspaceInfo{}, err
	}
	return d.openWorkspace(r, api.OpenRequest{Path: q.Path, Results: q.Results})
}
