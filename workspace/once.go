package workspace

import (
	"wf/api"
	"wf/workspace/history"
)

// A request that changes something may come twice: its daemon was killed, or the connection broke, before the
// answer came. What it has begun is found by its key, which lies in the records of the run.

// recentRuns bounds how many runs are looked at for a request that comes again. It comes within seconds.
const recentRuns = 64

// begunBefore answers a request for a run that has begun already, and reports whether it has.
func (w *Workspace) begunBefore(p *pendingStart) bool {
	if p.req.Key == "" {
		return false
	}
	for _, r := range w.runs {
		if r.req.Key != p.req.Key {
			continue
		}
		if r.phase != preparing || r.n != 0 {
			p.reply(w.acceptedAs(r.req), nil)
			return true
		}
		first := r.accepted
		r.accepted = func(err error) {
			first(err)
			p.reply(w.acceptedAs(r.req), err)
		}
		return true
	}
	for i, other := range w.waiting { // its client does not hear the answer any more
		if other.req.Key == p.req.Key {
			w.waiting = append(w.waiting[:i:i], w.waiting[i+1:]...)
			break
		}
	}
	if !p.req.Again {
		return false
	}
	list, err := w.store.Newest(recentRuns)
	if err != nil {
		p.reply(api.RunAccepted{}, internal("the runs cannot be read", err))
		return true
	}
	for _, past := range list {
		if past.Request.Key == p.req.Key {
			p.reply(w.acceptedAs(past.Request), nil)
			return true
		}
	}
	return false
}

// acceptedAs is the answer to a request that has begun a run.
func (w *Workspace) acceptedAs(req history.Request) api.RunAccepted {
	return api.RunAccepted{Run: runID(req.Run), Mode: req.Mode, Resumes: runID(req.Resumes), Failed: req.Failed,
		Nodes: max(req.Nodes, len(req.Scope)), Total: w.runnable()}
}

// decidedBefore finds the decision that a request has made when it came before.
func (w *Workspace) decidedBefore(d api.Decision) (api.Approval, bool) {
	if d.Key == "" || !d.Again {
		return api.Approval{}, false
	}
	for _, r := range w.runs {
		if a, made := r.requests[d.Key]; made {
			return a, true
		}
	}
	numbers, err := w.store.Numbers()
	if err != nil {
		return api.Approval{}, false
	}
	for i := len(numbers) - 1; i >= max(0, len(numbers)-recentRuns); i-- {
		var made *history.Record
		req, err := w.store.Replay(numbers[i], func(rec history.Record) error {
			if rec.Type == history.RecordDecide && rec.Key == d.Key {
				made = &rec
			}
			return nil
		})
		if err == nil && made != nil {
			a := api.Approval{Run: runID(req.Run), Node: made.ID, Name: made.ID, Since: made.Time, Workfile: w.path}
			if made.Node >= 0 && made.Node < len(req.Names) {
				a.Name = req.Names[made.Node]
			}
			return a, true
		}
	}
	return api.Approval{}, false
}
