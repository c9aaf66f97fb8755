package workspace

import (
	"wf/api"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// A request that changes something may come twice, because its daemon was killed or the connection broke before the answer
// came. Its first effect is found by its key, which the records of the run contain.

// recentRuns bounds how many runs are searched for the key of a repeated request, which comes within seconds.
const recentRuns = 64

// begunBefore answers a request whose run has started already, and reports whether there is such a run.
func (w *Workspace) begunBefore(p *pendingStart) bool {
	if p.req.Key == "" {
		return false
	}
	for _, r := range w.runs {
		if r.Request.Key != p.req.Key {
			continue
		}
		if r.Phase != runstate.Preparing || r.Number != 0 {
			p.reply(w.acceptedAs(r.Request), nil)
			return true
		}
		r.AlsoAccept(func(err error) { p.reply(w.acceptedAs(r.Request), err) })
		return true
	}
	for i, other := range w.waiting { // the connection of its client is gone
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
		p.reply(api.RunAccepted{}, api.Internal("the runs cannot be read", err))
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

// acceptedAs returns the answer to a request that has started a run.
func (w *Workspace) acceptedAs(req history.Request) api.RunAccepted {
	return api.RunAccepted{Run: history.RunID(req.Run), Mode: req.Mode, Resumes: history.RunID(req.Resumes), Failed: req.Failed,
		Nodes: max(req.Nodes, len(req.Scope)), Total: w.nodes.CountRunnable()}
}

// decidedBefore returns the answer to a decision that was made when its request came before.
func (w *Workspace) decidedBefore(d api.Decision) (api.Approval, bool) {
	if d.Key == "" || !d.Again {
		return api.Approval{}, false
	}
	for _, r := range w.runs {
		if a, made := r.Requests[d.Key]; made {
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
			a := api.Approval{Run: history.RunID(req.Run), Node: made.ID, Name: made.ID, Since: made.Time, Workfile: w.path}
			if made.Node >= 0 && made.Node < len(req.Names) {
				a.Name = req.Names[made.Node]
			}
			return a, true
		}
	}
	return api.Approval{}, false
}
