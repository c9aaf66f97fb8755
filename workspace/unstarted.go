package workspace

import (
	"log/slog"

	"wf/api"
	"wf/workspace/activerun"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// TellUnstarted notifies about a run that could not begin and for which no client waits. id and path are those of the workfile. A
// run that is refused because others are active is no failure, and one that the next daemon starts is none yet. TellUnstarted
// reads and writes files, so it must not be called on a loop.
func TellUnstarted(state, id, path string, box activerun.Notices, log *slog.Logger, req api.RunRequest, err error) {
	for _, code := range []api.Code{api.CodeGone, api.CodeLost, api.CodeConflict, api.CodeDone} {
		if api.HasCode(err, code) {
			return
		}
	}
	store := history.At(history.Folder(state, id))
	activerun.TellUnstarted(box, log, store, unstartedRequest(store, id, path, req), req.Env, workfile.Plain(err))
}

// unstartedRequest returns what notifications need of a request. If the workfile cannot be read, its latest run says who is told.
func unstartedRequest(store *history.Store, id, path string, req api.RunRequest) history.Request {
	q := history.Request{Workspace: id, Workfile: path, Key: req.Key, User: req.User}
	if req.Caller == nil && req.Defaults != nil && req.Defaults.Notify != nil {
		q.Notify = *req.Defaults.Notify
	}
	g, err := workfile.ReadGraph(path)
	switch {
	case req.Notify != nil:
		q.Notify = *req.Notify
	case err == nil:
		if own, ok := g.Attr("notify"); ok {
			q.Notify = own
		}
	default:
		store.Results(func(n int, _ history.Result) bool {
			if last, err := store.Request(n); err == nil {
				q.Notify = last.Notify
			}
			return false
		})
	}
	return q
}
