package workspace

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"wf/api"
	"wf/scheduler/flow"
	"wf/workspace/activerun"
	"wf/workspace/loop"
	"wf/workspace/planning"
	"wf/workspace/runstate"
)

// A pendingStart is a request for a run.
type pendingStart struct {
	ctx    context.Context // of the request: when it ends, no client waits for the answer
	client string
	req    api.RunRequest
	reply  func(api.RunAccepted, error)
	queued *queuedRun // nil: a client waits for the answer, and the request ends with it
}

// start starts a run. If an active run covers its scope, it does what on_busy says: queue the new run, or stop the active one
// first.
func (w *Workspace) start(p *pendingStart) {
	if w.startedAlready(p) {
		return
	}
	d, acc, err := w.newDraft(p)
	var busy *api.Error
	if errors.As(err, &busy) && busy.Code == api.CodeConflict {
		policy, wrong := w.onBusy(p.req)
		if wrong != nil {
			p.reply(acc, wrong)
			return
		}
		if policy != flow.Refuse {
			p.reportWaiting(*busy, policy)
		}
		if policy != flow.Refuse && p.req.Detached && p.queued == nil {
			w.enqueueRun(p, policy)
			return
		}
		if policy != flow.Refuse {
			w.waiting = append(w.waiting, p)
			w.makeWay(policy, busy.Run)
			return
		}
		if f, _ := flow.Read(w.file.Graph()); f.OnBusy != flow.Refuse {
			busy.OnBusy = f.OnBusy.String()
		}
	}
	if err != nil || d == nil {
		p.reply(acc, err)
		if p.queued != nil {
			w.refusedQueued(p.queued, cmp.Or(err, error(api.NotFound("there is nothing to resume"))))
		}
		return
	}
	queueFile := ""
	if q := p.queued; q != nil {
		d.Request.Queued, queueFile = q.Key, w.queueFile(q)
	}
	r := activerun.New(w.host, d.Run, func(err error) {
		acc.Run = d.ID
		p.reply(acc, err)
	})
	w.addRun(r)
	w.prepare(r, p.req.Env, queueFile)
}

// newDraft drafts a run. A panic is an error of this request only, because the draft is not one of the runs yet.
func (w *Workspace) newDraft(p *pendingStart) (d *planning.Draft, acc api.RunAccepted, err error) {
	if err = w.mayBegin(); err != nil {
		return nil, acc, err
	}
	d, err = loop.Contain(w.loop, "a question", func() (d *planning.Draft, err error) {
		d, acc, err = w.planner.Draft(p.client, p.req)
		return d, err
	})
	if from := w.moved(); from != "" && d != nil {
		acc.Notes = append(acc.Notes, "looks like "+from+" was moved here: wf mv "+filepath.Base(from)+" "+filepath.Base(w.path)+" would have brought its history")
	}
	return d, acc, err
}

// reportWaiting tells the client why its run does not start yet.
func (p *pendingStart) reportWaiting(busy api.Error, policy flow.OnBusy) {
	busy.OnBusy = policy.String()
	select {
	case p.req.Waits <- busy:
	default: // the client does not want to know, or knows already
	}
}

// onBusy returns what to do with a run whose scope is active: as the request says, else the workfile.
func (w *Workspace) onBusy(req api.RunRequest) (flow.OnBusy, error) {
	switch req.OnBusy {
	case "":
		f, _, err := w.planner.ReadFlow()
		if err != nil {
			return flow.Refuse, err
		}
		return f.OnBusy, nil
	case api.BusyRefuse:
		return flow.Refuse, nil
	case api.BusyQueue:
		return flow.Queue, nil
	case api.BusyCancel:
		return flow.Cancel, nil
	}
	return flow.Refuse, api.Invalid("unknown on_busy %q (refuse, queue, cancel)", req.OnBusy)
}

// makeWay stops the run that the new one is to replace.
func (w *Workspace) makeWay(policy flow.OnBusy, run string) {
	if policy != flow.Cancel {
		return
	}
	for _, r := range w.runs {
		if r.ID == run && r.Phase < runstate.Stopping {
			r.Stop(api.StopRequest{Cause: api.CauseReplaced}, "", nil)
		}
	}
}

// startWaiting tries to start the queued runs, after a run has ended.
func (w *Workspace) startWaiting() {
	line := w.waiting
	w.waiting = nil
	for _, p := range line {
		if p.ctx.Err() == nil {
			w.start(p)
		}
	}
}

// refuseWaiting answers the clients of queued runs that will not start in this daemon. Detached runs stay in the durable queue
// for the next daemon.
func (w *Workspace) refuseWaiting(why error) {
	for _, p := range w.waiting {
		p.reply(api.RunAccepted{}, why)
	}
	w.waiting = slices.DeleteFunc(w.waiting, func(p *pendingStart) bool { return p.queued == nil })
}
