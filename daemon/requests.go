package daemon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"

	"wf/api"
	"wf/workspace"
)

// handler serves one request. It may return an error as long as it has not written any part of the answer.
type handler = func(http.ResponseWriter, *http.Request) error

// An endpoint is a route with its handler.
type endpoint struct {
	api.Endpoint
	serve handler
}

// serve returns the endpoint of a route whose handler writes its answer itself.
func serve[Q any](route api.Route[Q, api.Stream], f func(http.ResponseWriter, *http.Request, Q) error) endpoint {
	return endpoint{route.Endpoint, func(w http.ResponseWriter, r *http.Request) error {
		q, err := decode[Q](w, r)
		if err != nil {
			return err
		}
		return f(w, r, q)
	}}
}

// answer returns the endpoint of a route that the daemon answers.
func answer[Q, A any](d *daemon, route api.Route[Q, A], f func(*http.Request, Q) (A, error)) endpoint {
	return endpoint{route.Endpoint, func(w http.ResponseWriter, r *http.Request) error {
		q, err := decode[Q](w, r)
		if err != nil {
			return err
		}
		a, err := f(r, q)
		d.audit(r, route.Endpoint, q, a, err)
		return respond(w)(a, err)
	}}
}

// respond returns a function that sends an answer, or returns the error instead.
func respond(w http.ResponseWriter) func(answer any, err error) error {
	return func(answer any, err error) error {
		if err == nil {
			writeJSON(w, http.StatusOK, answer)
		}
		return err
	}
}

// ask returns the endpoint of a route that the workspace in its path answers. The workspace stays open from the start of
// the request, because a slow body may take longer than an unused workspace stays open.
func ask[Q, A any](d *daemon, route api.Route[Q, A], f func(*workspace.Workspace, *http.Request, Q) (A, error)) endpoint {
	return endpoint{route.Endpoint, func(w http.ResponseWriter, r *http.Request) error {
		return respond(w)(use(d, r, func(ws *workspace.Workspace) (A, error) {
			q, err := decode[Q](w, r)
			if err != nil {
				return *new(A), err
			}
			a, err := f(ws, r, q)
			d.audit(r, route.Endpoint, q, a, err)
			return workspace.Hidden(ws, a), workspace.HiddenError(ws, err)
		}))
	}}
}

// use calls f with the workspace in the path of r, which stays open meanwhile.
func use[A any](d *daemon, r *http.Request, f func(*workspace.Workspace) (A, error)) (A, error) {
	e, err := d.workspaces.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return *new(A), err
	}
	defer d.workspaces.release(e)
	return f(e.ws)
}

// plain, question, byClient, byAuthor and ofRun adapt methods of a workspace to ask.

func plain[A any](f func(*workspace.Workspace, context.Context) (A, error)) func(*workspace.Workspace, *http.Request, api.None) (A, error) {
	return func(w *workspace.Workspace, r *http.Request, _ api.None) (A, error) { return f(w, r.Context()) }
}

func question[Q, A any](f func(*workspace.Workspace, context.Context, Q) (A, error)) func(*workspace.Workspace, *http.Request, Q) (A, error) {
	return func(w *workspace.Workspace, r *http.Request, q Q) (A, error) { return f(w, r.Context(), q) }
}

func byClient[Q, A any](f func(*workspace.Workspace, context.Context, string, Q) (A, error)) func(*workspace.Workspace, *http.Request, Q) (A, error) {
	return func(w *workspace.Workspace, r *http.Request, q Q) (A, error) { return f(w, r.Context(), client(r), q) }
}

func byAuthor[A any](f func(*workspace.Workspace, context.Context, api.Author) (A, error)) func(*workspace.Workspace, *http.Request, api.None) (A, error) {
	return func(w *workspace.Workspace, r *http.Request, _ api.None) (A, error) {
		return f(w, r.Context(), author(r))
	}
}

func ofRun[A any](f func(*workspace.Workspace, context.Context, string) (A, error)) func(*workspace.Workspace, *http.Request, api.None) (A, error) {
	return func(w *workspace.Workspace, r *http.Request, _ api.None) (A, error) {
		return f(w, r.Context(), r.PathValue("run"))
	}
}

// The functions below adapt the other methods.

func status(w *workspace.Workspace, r *http.Request, q api.StatusQuery) (api.Status, error) {
	if q.Stages > 0 {
		return w.Overview(r.Context(), q.Stages)
	}
	return w.Status(r.Context(), q.Nodes)
}

func selectNodes(w *workspace.Workspace, r *http.Request, q api.SelectQuery) (api.NodeList, error) {
	return w.Select(r.Context(), q.Nodes)
}

func why(w *workspace.Workspace, r *http.Request, q api.NodeQuery) (api.Why, error) {
	return w.Why(r.Context(), q.Node, q.Run)
}

func outputs(w *workspace.Workspace, r *http.Request, q api.NodeQuery) (api.NodeOutputs, error) {
	return w.Outputs(r.Context(), q.Node, q.Run)
}

func logInfo(w *workspace.Workspace, r *http.Request, q api.LogQuery) (api.LogInfo, error) {
	info, err := w.LogInfo(r.Context(), q.Node, q.Run, q.Execution, q.Wait)
	if err == nil && q.Times {
		info.Times, err = w.LogTimes(r.Context(), info)
	}
	return info, err
}

func edit(w *workspace.Workspace, r *http.Request, q api.EditRequest) (api.EditResult, error) {
	return w.Edit(r.Context(), author(r), q)
}

func decide(w *workspace.Workspace, r *http.Request, q api.Decision) (api.Approval, error) {
	q.Key, q.Again = requestKey(r), comesAgain(r)
	return w.Decide(r.Context(), client(r), q)
}

func runDetail(w *workspace.Workspace, r *http.Request, q api.RunQuery) (api.RunDetail, error) {
	if q.Analysis {
		return w.Analysis(r.Context(), r.PathValue("run"))
	}
	return w.Run(r.Context(), r.PathValue("run"))
}

func removeRun(w *workspace.Workspace, r *http.Request, _ api.None) (api.None, error) {
	err := w.RemoveRun(r.Context(), r.PathValue("run"))
	if comesAgain(r) && api.HasCode(err, api.CodeNotFound) {
		return api.None{}, nil // an earlier daemon has removed it for the same request
	}
	return api.None{}, err
}

func stopRun(w *workspace.Workspace, r *http.Request, q api.StopRequest) (api.StopResult, error) {
	run := r.PathValue("run")
	if run == api.OnlyRun {
		run = ""
	}
	return w.StopRun(r.Context(), client(r), run, q)
}

func live(w *workspace.Workspace, r *http.Request, q api.LiveQuery) (api.RunLive, error) {
	return w.Live(r.Context(), r.PathValue("run"), q.Nodes)
}

// startRun is refused while a client waits for the runs to end before the daemon stops: they would never end.
func (d *daemon) startRun(w http.ResponseWriter, r *http.Request) error {
	if d.waiters.Load() > 0 {
		return &api.Error{Code: api.CodeRefused, Message: "the daemon stops when its runs have ended: no new run starts",
			Why: "wf server stop --wait was called"}
	}
	return ask(d, api.StartRun, func(ws *workspace.Workspace, r *http.Request, q api.RunRequest) (api.RunAccepted, error) {
		waits, answered := make(chan api.Error, 1), make(chan struct{})
		q.Key, q.Again, q.Waits = requestKey(r), comesAgain(r), waits
		q.Caller = d.cfg.nested.verify(r.Context(), q.Caller)
		var interim sync.WaitGroup
		interim.Go(func() {
			select {
			case busy := <-waits:
				writeWaits(w, busy)
			case <-answered:
			}
		})
		defer interim.Wait()
		defer close(answered)
		return ws.StartRun(r.Context(), client(r), q)
	}).serve(w, r)
}

// writeWaits sends the interim response of a run that has to wait.
func writeWaits(w http.ResponseWriter, busy api.Error) {
	text, err := json.Marshal(busy)
	if err != nil {
		return
	}
	w.Header().Set(api.HeaderWaits, url.QueryEscape(string(text)))
	w.WriteHeader(http.StatusProcessing)
	w.Header().Del(api.HeaderWaits)
}

// saveCopy opens the copy that the workspace has written.
func (d *daemon) saveCopy(r *http.Request, q api.SaveAsRequest) (api.WorkspaceInfo, error) {
	path, err := use(d, r, func(w *workspace.Workspace) (string, error) { return w.SaveAs(r.Context(), q) })
	if err != nil {
		return api.WorkspaceInfo{}, err
	}
	return d.openWorkspace(r, api.OpenRequest{Path: path})
}
