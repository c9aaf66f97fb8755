package daemon

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"wf/api"
	"wf/daemon/armed"
	"wf/daemon/audit"
	"wf/workspace/fence"
)

// triggerConfig returns the configuration of the armed triggers.
func (d *daemon) triggerConfig() armed.Config {
	return armed.Config{State: d.cfg.State, Own: fence.Holder{Machine: fence.This(), PID: os.Getpid(), Runtime: d.cfg.Runtime},
		Runs: triggeredRuns{d}, Stay: d.stayArmed, Done: d.auditTriggered, Log: d.cfg.Log}
}

// stayArmed keeps the daemon while something is armed.
func (d *daemon) stayArmed(stay bool) {
	if stay {
		d.workspaces.preventIdle()
	} else {
		d.workspaces.allowIdle()
	}
}

// triggeredRuns starts the runs of triggers.
type triggeredRuns struct{ d *daemon }

// triggerClient is the client of these runs, in their history.
const triggerClient = "trigger"

// Start implements armed.Runs. It postpones the run while a client waits for the runs to end before the daemon stops.
func (t triggeredRuns) Start(ctx context.Context, workfile string, req api.RunRequest) (api.RunAccepted, error) {
	if t.d.waiters.Load() > 0 || t.d.draining.Load() {
		return api.RunAccepted{}, errEnding()
	}
	e, err := t.d.workspaces.open(ctx, workfile, false)
	if err != nil {
		return api.RunAccepted{}, err
	}
	defer t.d.workspaces.release(e)
	return e.ws.StartRun(ctx, triggerClient, req)
}

// FindStarted implements armed.Runs.
func (t triggeredRuns) FindStarted(ctx context.Context, workfile, key string) (api.RunAccepted, bool, error) {
	e, err := t.d.workspaces.open(ctx, workfile, false)
	if err != nil {
		return api.RunAccepted{}, false, err
	}
	defer t.d.workspaces.release(e)
	return e.ws.FindStarted(ctx, key)
}

// auditTriggered adds the run of a trigger to the audit log.
func (d *daemon) auditTriggered(f *armed.File, l armed.Line, req api.RunRequest, acc api.RunAccepted, err error) {
	uid := os.Getuid()
	entry := audit.Entry{Action: string(api.StartRun.Action), Workfile: f.Workfile}
	describeRun(&entry, req, acc, err)
	entry.Detail = strings.Trim(l.On+"; "+entry.Detail, "; ")
	if err != nil {
		entry.Error = codeOf(err)
	}
	entry.Who = audit.Who{Via: audit.ViaTrigger, UID: &uid, Said: &audit.Said{User: f.User}}
	d.cfg.audit.Add(entry)
}

// lines returns the texts of triggers.
func lines(list []api.TriggerLine) (texts []string) {
	for _, l := range list {
		texts = append(texts, l.On)
	}
	return texts
}

func (d *daemon) triggerList(r *http.Request, q api.TriggersQuery) (api.TriggerList, error) {
	if q.Path != "" && !filepath.IsAbs(q.Path) {
		return api.TriggerList{}, relative(q.Path)
	}
	return d.triggers.List(r.Context(), q)
}

func (d *daemon) triggerLog(_ *http.Request, q api.TriggerLogQuery) (api.TriggerLog, error) {
	if !filepath.IsAbs(q.Path) {
		return api.TriggerLog{}, relative(q.Path)
	}
	return d.triggers.LogOf(q.Path)
}

func (d *daemon) triggerEnable(r *http.Request, q api.TriggerEnable) (api.TriggerList, error) {
	if !filepath.IsAbs(q.Path) {
		return api.TriggerList{}, relative(q.Path)
	}
	if err := d.triggers.Enable(r.Context(), q, author(r).User); err != nil {
		return api.TriggerList{}, err
	}
	return d.triggers.List(r.Context(), api.TriggersQuery{Path: q.Path, Next: 1})
}

func (d *daemon) triggerDisable(r *http.Request, q api.TriggerDisable) (api.None, error) {
	if !filepath.IsAbs(q.Path) {
		return api.None{}, relative(q.Path)
	}
	return api.None{}, d.triggers.Disable(r.Context(), q.Path)
}

func (d *daemon) triggerFire(r *http.Request, q api.TriggerNow) (api.RunAccepted, error) {
	if !filepath.IsAbs(q.Path) {
		return api.RunAccepted{}, relative(q.Path)
	}
	return d.triggers.Fire(r.Context(), q)
}

func relative(path string) *api.Error {
	return api.Invalid("the path of a workfile must be absolute, not %q", path)
}
