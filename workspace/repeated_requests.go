package workspace

import (
	"context"
	"slices"

	"wf/api"
	"wf/workspace/activerun"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
)

// A client repeats a request if its daemon was killed or the connection was lost before the answer came. The workspace
// recognizes the request by its key, which the records of the run contain, and does not carry it out twice. The goroutine of
// the request searches the runs that are over; then the loop searches the active ones.

// recentRuns bounds how many runs are searched for a key. A repeated request comes within seconds.
const recentRuns = 64

// startedBefore returns the answer to a repeated start request if its run is over. found is false if there is no such run.
func (w *Workspace) startedBefore(ctx context.Context, req api.RunRequest) (acc api.RunAccepted, found bool, err error) {
	if req.Key == "" || !req.Again {
		return acc, false, nil
	}
	list, err := w.store.Newest(recentRuns)
	if err != nil {
		return acc, false, api.Internal("the runs cannot be read", err)
	}
	at := slices.IndexFunc(list, func(past history.Summary) bool { return past.Request.Key == req.Key })
	if at < 0 {
		return acc, false, nil
	}
	acc, err = loop.Ask(ctx, w.loop, func() (api.RunAccepted, error) {
		found = !slices.ContainsFunc(w.runs, func(r *activerun.Run) bool { return r.Request.Key == req.Key })
		return w.acceptedAs(list[at].Request), nil
	})
	return acc, found, err
}

// startedAlready answers a repeated start request if its run is active or waiting. It returns false otherwise.
func (ln *queue) startedAlready(p *pendingStart) bool {
	if p.req.Key == "" {
		return false
	}
	for _, r := range ln.w.runs {
		if r.Request.Key != p.req.Key {
			continue
		}
		if r.Phase != runstate.Preparing || r.Number != 0 {
			p.reply(ln.w.acceptedAs(r.Request), nil)
			return true
		}
		r.AlsoAccept(func(err error) { p.reply(ln.w.acceptedAs(r.Request), err) })
		return true
	}
	for i, other := range ln.waiting { // the connection of its client is lost
		if other.req.Key == p.req.Key && other != p {
			if other.queued != nil {
				p.reply(api.RunAccepted{Queued: other.queued.name()}, nil)
				return true
			}
			ln.waiting = append(ln.waiting[:i:i], ln.waiting[i+1:]...)
			break
		}
	}
	return false
}

// FindStarted returns the run that a request with the key has started or queued, and false if there is none.
func (ln *queue) FindStarted(ctx context.Context, key string) (acc api.RunAccepted, found bool, err error) {
	acc, found, err = ln.w.startedBefore(ctx, api.RunRequest{Key: key, Again: true})
	if found || err != nil {
		return acc, found, err
	}
	acc, err = loop.Ask(ctx, ln.w.loop, func() (acc api.RunAccepted, err error) {
		for _, r := range ln.w.runs {
			if r.Request.Key == key {
				found = true
				return ln.w.acceptedAs(r.Request), nil
			}
		}
		for _, p := range ln.waiting {
			if p.req.Key == key && p.queued != nil {
				found = true
				return api.RunAccepted{Queued: p.queued.name()}, nil
			}
		}
		return acc, nil
	})
	return acc, found, err
}

// acceptedAs returns the answer to the request that started a run.
func (w *Workspace) acceptedAs(req history.Request) api.RunAccepted {
	return api.RunAccepted{Run: history.RunID(req.Run), Mode: req.Mode, Resumes: history.RunID(req.Resumes), Failed: req.Failed,
		Nodes: max(req.Nodes, len(req.Scope)), Total: w.nodes.CountRunnable()}
}

// decidedAlready answers a repeated decision that an active run contains. It returns false if there is none.
func (w *Workspace) decidedAlready(d api.Decision, reply func(api.Approval, error)) bool {
	if d.Key == "" || !d.Again {
		return false
	}
	for _, r := range w.runs {
		if a, made := r.Requests[d.Key]; made {
			r.KeepDecision(a, reply)
			return true
		}
	}
	return false
}

// decidedBefore returns the answer to a repeated decision that a run contains that is over.
func (w *Workspace) decidedBefore(ctx context.Context, d api.Decision) (api.Approval, bool) {
	if d.Key == "" || !d.Again {
		return api.Approval{}, false
	}
	numbers, err := w.store.Numbers()
	active, activeErr := w.ActiveRuns(ctx)
	if err != nil || activeErr != nil {
		return api.Approval{}, false
	}
	for _, n := range numbers[:min(len(numbers), recentRuns)] {
		if _, going := active[n]; going {
			continue
		}
		var made *history.Record
		req, err := w.store.Replay(n, func(rec history.Record) error {
			if rec.Type == history.RecordDecide && rec.Key == d.Key {
				made = &rec
			}
			return nil
		})
		if err == nil && made != nil {
			a := api.Approval{Run: history.RunID(req.Run), Node: made.ID, Name: made.ID, Since: made.Time, Workfile: w.path}
			if made.Node >= 0 && made.Node < len(req.Names) {
				a.Name = req.Names[made.Node]
			}
			return a, true
		}
	}
	return api.Approval{}, false
}
