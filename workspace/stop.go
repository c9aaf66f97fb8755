package workspace

import (
	"context"
	"strings"

	"wf/api"
	"wf/workspace/activerun"
	"wf/workspace/inquiry"
	"wf/workspace/loop"
)

// StopRun stops a run, or one node of a run, and returns when all its processes have ended. An empty name means the only
// active run.
func (w *Workspace) StopRun(ctx context.Context, client, name string, req api.StopRequest) (api.StopResult, error) {
	return loop.Await(ctx, w.loop, func(reply func(api.StopResult, error)) {
		if n, held := w.quarantine.quarantinedRun(name); held {
			w.quarantine.stopQuarantined(n, reply)
			return
		}
		left := func() { reply(api.StopResult{Run: name, Survivors: []int{}}, nil) }
		if req.Node == "" && w.queue.leaveQueue(name, left) {
			return
		}
		r, err := w.active(name)
		switch {
		case err != nil:
			reply(api.StopResult{}, err)
		case req.Node != "":
			r.StopNode(req, reply)
		default:
			r.Stop(req, client, reply)
		}
	})
}

// StopAll stops every active run and returns when all processes have ended. Waiting runs do not start.
func (w *Workspace) StopAll(ctx context.Context, client string, req api.StopRequest) ([]api.StopResult, error) {
	return loop.Await(ctx, w.loop, func(reply func([]api.StopResult, error)) {
		results := []api.StopResult{}
		var failed error
		left := 1 // number of answers to wait for, including that of this function
		done := func() {
			if left--; left == 0 {
				reply(results, failed)
			}
		}
		defer done()
		stopped := func(res api.StopResult, err error) {
			if results = append(results, res); err != nil {
				failed = err
			}
			done()
		}
		left += w.queue.clearQueue(&api.Error{Code: api.CodeConflict, Message: "all runs were stopped, and this one waited in line for them"}, done)
		left += len(w.runs) + len(w.quarantine.state.runs)
		for _, n := range w.quarantine.state.runs {
			w.quarantine.stopQuarantined(n, stopped)
		}
		for _, r := range append([]*activerun.Run(nil), w.runs...) {
			r.Stop(req, client, func(res api.StopResult, _ error) { stopped(res, nil) })
		}
	})
}

// activeRun returns the active run with this id, or an error.
func (w *Workspace) activeRun(name string) (*activerun.Run, error) {
	for _, r := range w.runs {
		if r.ID == name {
			return r, nil
		}
	}
	return nil, inquiry.NotActive(name)
}

// active returns the active run with this number. "" means the only one.
func (w *Workspace) active(name string) (*activerun.Run, error) {
	if name != "" {
		return w.activeRun(name)
	}
	switch len(w.runs) {
	case 0:
		return nil, api.NotFound("no run is active")
	case 1:
		return w.runs[0], nil
	}
	ids := make([]string, len(w.runs))
	for i, r := range w.runs {
		ids[i] = r.ID
	}
	return nil, &api.Error{Code: api.CodeInvalid, Message: "several runs are active: " + strings.Join(ids, ", "),
		Fix: "name one: wf stop " + ids[0] + ", or stop all: wf stop --all"}
}
