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
	queued *queuedRun // nil if a client waits for the answer
}

// queue contains the runs that wait for active ones.
type queue struct {
	w          *Workspace
	waiting    []*pendingStart // in order
	queuedLast int             // the highest number of a queue file
}

// start starts a run. If an active run covers its scope, start follows on_busy: it queues the new run, or first stops the
// active one.
func (ln *queue) start(p *pendingStart) {
	if ln.startedAlready(p) {
		return
	}
	d, acc, err := ln.newDraft(p)
	var busy *api.Error
	if errors.As(err, &busy) && busy.Code == api.CodeConflict {
		policy, wrong := ln.onBusy(p.req)
		if wrong != nil {
			p.reply(acc, wrong)
			return
		}
		if policy != flow.Refuse {
			p.reportWaiting(*busy, policy)
		}
		if policy != flow.Refuse && p.req.Detached && p.queued == nil {
			ln.enqueueRun(p, policy)
			return
		}
		if policy != flow.Refuse {
			ln.waiting = append(ln.waiting, p)
			ln.makeWay(policy, busy.Run)
			return
		}
		if f, _ := flow.Read(ln.w.file.Graph()); f.OnBusy != flow.Refuse {
			busy.OnBusy = f.OnBusy.String()
		}
	}
	if err != nil || d == nil {
		p.reply(acc, err)
		if p.queued != nil {
			ln.refusedQueued(p.queued, cmp.Or(err, error(api.NotFound("there is nothing to resume"))))
		}
		return
	}
	queueFile := ""
	if q := p.queued; q != nil {
		d.Request.Queued, queueFile = q.Key, ln.queueFile(q)
	}
	r := activerun.New(ln.w.host, d.Run, func(err error) {
		acc.Run = d.ID
		if err == nil {
			ln.began(p, d.ID)
		}
		p.reply(acc, err)
	})
	ln.w.addRun(r)
	ln.w.preparer.prepare(r, p.req, queueFile)
}

// began tells that a run has started.
func (ln *queue) began(p *pendingStart, run string) {
	n := News{Kind: RunBegan, Run: run}
	if p.queued != nil {
		n.Queued = p.queued.name()
	}
	ln.w.tell(n)
}

// newDraft drafts a run. A panic is an error of this request only, because the draft is not part of the workspace yet.
func (ln *queue) newDraft(p *pendingStart) (d *planning.Draft, acc api.RunAccepted, err error) {
	if err = ln.w.quarantine.mayStart(); err != nil {
		return nil, acc, err
	}
	d, err = loop.Contain(ln.w.loop, "a question", func() (d *planning.Draft, err error) {
		d, acc, err = ln.w.planner.Draft(p.client, p.req)
		return d, err
	})
	if from := ln.w.movedSince(); from != "" && d != nil {
		acc.Notes = append(acc.Notes, "looks like "+from+" was moved here: wf mv "+filepath.Base(from)+" "+filepath.Base(ln.w.path)+" would have brought its history")
	}
	return d, acc, err
}

// reportWaiting tells the client why its run has to wait.
func (p *pendingStart) reportWaiting(busy api.Error, policy flow.OnBusy) {
	busy.OnBusy = policy.String()
	select {
	case p.req.Waits <- busy:
	default: // the client does not listen, or has been told
	}
}

// onBusy returns what to do if the scope of a run is active: the word of the request, or that of the workfile if the request
// has none.
func (ln *queue) onBusy(req api.RunRequest) (flow.OnBusy, error) {
	switch req.OnBusy {
	case "":
		f, _, err := ln.w.planner.ReadFlow()
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

// makeWay stops the run that the new run replaces.
func (ln *queue) makeWay(policy flow.OnBusy, run string) {
	if policy != flow.Cancel {
		return
	}
	for _, r := range ln.w.runs {
		if r.ID == run && r.Phase < runstate.Stopping {
			r.Stop(api.StopRequest{Cause: api.CauseReplaced}, "", nil)
		}
	}
}

// startWaiting tries to start the waiting runs after a run has ended.
func (ln *queue) startWaiting() {
	line := ln.waiting
	ln.waiting = nil
	for _, p := range line {
		if p.ctx.Err() == nil {
			ln.start(p)
		}
	}
}

// refuseWaiting answers the clients of waiting runs that will not start in this daemon. The files of detached runs stay for
// the next daemon.
func (ln *queue) refuseWaiting(why error) {
	for _, p := range ln.waiting {
		p.reply(api.RunAccepted{}, why)
	}
	ln.waiting = slices.DeleteFunc(ln.waiting, func(p *pendingStart) bool { return p.queued == nil })
}
