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
	"wf/workspace"
	"wf/workspace/fence"
)

// FileTriggerFence is the name of the fence of the armed triggers in the state folder, which one machine at a time uses.
const FileTriggerFence = armed.Dir + "/" + armed.FileFence

// triggers connects the armed triggers with the daemon: it serves the requests about them and starts their runs.
type triggers struct {
	d      *daemon
	keeper *armed.Keeper
	gate   startGate
}

func newTriggers(d *daemon) *triggers {
	t := &triggers{d: d}
	t.keeper = armed.New(armed.Config{State: d.cfg.State, Own: fence.Holder{Machine: fence.This(), PID: os.Getpid(), Runtime: d.cfg.Runtime},
		Runs: t, Stay: t.stay, Done: t.audit, Unstarted: t.unstarted, Log: d.cfg.Log})
	return t
}

// stay keeps the daemon while something is armed.
func (t *triggers) stay(stay bool) {
	if stay {
		t.d.workspaces.preventIdle()
	} else {
		t.d.workspaces.allowIdle()
	}
}

// Start implements armed.Runs. It postpones the run while a client waits for the runs to end before the daemon stops.
func (t *triggers) Start(ctx context.Context, workfile string, req api.RunRequest) (api.RunAccepted, error) {
	if t.d.waiters.Load() > 0 || t.d.draining.Load() || !t.gate.enter() {
		return api.RunAccepted{}, errEnding()
	}
	defer t.gate.leave()
	e, err := t.open(ctx, workfile)
	if err != nil {
		return api.RunAccepted{}, err
	}
	defer t.d.workspaces.release(e)
	return e.ws.StartRun(ctx, api.ClientTrigger, req)
}

// open uses the workspace of a workfile. The caller releases it.
func (t *triggers) open(ctx context.Context, workfile string) (*openEntry, error) {
	e, err := t.d.workspaces.open(ctx, workfile, false)
	if err != nil && !api.HasCode(err, api.CodeGone) {
		err = &armed.UnavailableError{Err: err}
	}
	return e, err
}

// Prepare implements armed.Runs.
func (t *triggers) Prepare(ctx context.Context, workfile string) (release func(), err error) {
	if t.d.waiters.Load() > 0 || t.d.draining.Load() {
		return nil, errEnding()
	}
	release, err = t.d.workspaces.keep(ctx, workfile)
	if x, ok := t.d.cfg.Executor.(expecter); ok && err == nil {
		over, closing := x.Expect(), release
		release = func() {
			over()
			closing()
		}
	}
	return release, err
}

// An expecter is an executor that prepares for runs.
type expecter interface {
	// Expect tells that a run begins soon. The caller calls over when it has begun, or is not expected any more.
	Expect() (over func())
}

// FindStarted implements armed.Runs.
func (t *triggers) FindStarted(ctx context.Context, workfile, key string) (api.RunAccepted, bool, error) {
	e, err := t.open(ctx, workfile)
	if err != nil {
		return api.RunAccepted{}, false, err
	}
	defer t.d.workspaces.release(e)
	return e.ws.FindStarted(ctx, key)
}

// audit adds the run of a trigger to the audit log and the metrics.
func (t *triggers) audit(f *armed.File, l armed.Line, req api.RunRequest, acc api.RunAccepted, err error) {
	t.d.monitor.triggered(req, err)
	uid := os.Getuid()
	entry := audit.Entry{Action: string(api.StartRun.Action), Workfile: f.Workfile}
	describeRun(&entry, req, acc, err)
	entry.Detail = strings.Trim(l.On+"; "+entry.Detail, "; ")
	if err != nil {
		entry.Error = codeOf(err)
	}
	entry.Who = audit.Who{Via: audit.ViaTrigger, UID: &uid, Said: &audit.Said{User: f.User}}
	t.d.cfg.audit.Add(entry)
}

// unstarted notifies about a run that could not begin. It is called on a helper.
func (t *triggers) unstarted(f *armed.File, req api.RunRequest, err error) {
	workspace.TellUnstarted(t.d.cfg.State, f.ID, f.Workfile, t.d.notifier.outbox, t.d.cfg.Log, req, err)
}

// lines returns the texts of triggers.
func lines(list []api.TriggerLine) (texts []string) {
	for _, l := range list {
		texts = append(texts, l.On)
	}
	return texts
}

func (t *triggers) list(r *http.Request, q api.TriggersQuery) (api.TriggerList, error) {
	if q.Path != "" && !filepath.IsAbs(q.Path) {
		return api.TriggerList{}, relative(q.Path)
	}
	return t.keeper.List(r.Context(), q)
}

func (t *triggers) log(_ *http.Request, q api.TriggerLogQuery) (api.TriggerLog, error) {
	if !filepath.IsAbs(q.Path) {
		return api.TriggerLog{}, relative(q.Path)
	}
	return t.keeper.LogOf(q.Path)
}

func (t *triggers) enable(r *http.Request, q api.TriggerEnable) (api.TriggerList, error) {
	if !filepath.IsAbs(q.Path) {
		return api.TriggerList{}, relative(q.Path)
	}
	warning, err := t.checkRuns(r.Context(), q)
	if err != nil {
		return api.TriggerList{}, err
	}
	if err := t.keeper.Enable(r.Context(), q, author(r).User); err != nil {
		return api.TriggerList{}, err
	}
	list, err := t.keeper.List(r.Context(), api.TriggersQuery{Path: q.Path, Next: 1})
	if err == nil && len(list.Workfiles) == 1 && list.Workfiles[0].Problem == "" {
		list.Workfiles[0].Problem = warning
	}
	return list, err
}

func (t *triggers) disable(r *http.Request, q api.TriggerDisable) (api.None, error) {
	if !filepath.IsAbs(q.Path) {
		return api.None{}, relative(q.Path)
	}
	return api.None{}, t.keeper.Disable(r.Context(), q.Path)
}

func (t *triggers) fire(r *http.Request, q api.TriggerNow) (api.RunAccepted, error) {
	if !filepath.IsAbs(q.Path) {
		return api.RunAccepted{}, relative(q.Path)
	}
	if len(q.Body) > api.MostBody {
		return api.RunAccepted{}, api.Invalid("the body has %d bytes; at most %d are possible", len(q.Body), api.MostBody)
	}
	return t.keeper.Fire(r.Context(), q)
}

func relative(path string) *api.Error {
	return api.Invalid("the path of a workfile must be absolute, not %q", path)
}
