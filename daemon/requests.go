package daemon

import (
	"errors"
	"net/http"

	"wf/api"
)

// handler is what the table holds.
type handler = func(*daemon, http.ResponseWriter, *http.Request) error

// answer makes a handler of a question to the daemon.
func answer[T any](f func(*daemon, *http.Request) (T, error)) handler {
	return func(d *daemon, w http.ResponseWriter, r *http.Request) error {
		v, err := f(d, r)
		if err == nil {
			writeJSON(w, http.StatusOK, v)
		}
		return err
	}
}

// answerBody is answer for a request with a body.
func answerBody[Q, T any](f func(*daemon, *http.Request, Q) (T, error)) handler {
	return func(d *daemon, w http.ResponseWriter, r *http.Request) error {
		q, err := decode[Q](w, r)
		if err != nil {
			return err
		}
		return answer(func(d *daemon, r *http.Request) (T, error) { return f(d, r, q) })(d, w, r)
	}
}

// ask makes a handler of a question to the workspace in the path, which stays open meanwhile.
func ask[T any](f func(Workspace, *http.Request) (T, error)) handler {
	return answer(func(d *daemon, r *http.Request) (T, error) {
		return use(d, r, func(w Workspace) (T, error) { return f(w, r) })
	})
}

// askBody is ask for a request with a body. The workspace stays open also while the body comes,
// which may take longer than an unused one lingers.
func askBody[Q, T any](f func(Workspace, *http.Request, Q) (T, error)) handler {
	return func(d *daemon, w http.ResponseWriter, r *http.Request) error {
		v, err := use(d, r, func(ws Workspace) (T, error) {
			q, err := decode[Q](w, r)
			if err != nil {
				var none T
				return none, err
			}
			return f(ws, r, q)
		})
		if err == nil {
			writeJSON(w, http.StatusOK, v)
		}
		return err
	}
}

// use lends f the workspace in the path of r.
func use[T any](d *daemon, r *http.Request, f func(Workspace) (T, error)) (T, error) {
	e, err := d.workspaces.find(r.Context(), r.PathValue("id"))
	if err != nil {
		var none T
		return none, err
	}
	defer d.workspaces.release(e)
	return f(e.ws)
}

// Everything below is one call each: the decisions are the workspace's.

func status(w Workspace, r *http.Request) (api.Status, error) {
	stages, err := number(r.URL.Query(), "stages")
	if err != nil {
		return api.Status{}, err
	}
	if stages > 0 {
		return w.Overview(r.Context(), int(stages))
	}
	return w.Status(r.Context(), wantsNodes(r))
}

func wantsNodes(r *http.Request) bool { return r.URL.Query().Get("nodes") != "0" }

func selectNodes(w Workspace, r *http.Request) (api.NodeList, error) {
	return w.Select(r.Context(), r.URL.Query()["nodes"])
}

func runs(w Workspace, r *http.Request) (api.RunList, error) { return w.Runs(r.Context()) }

func runDetail(w Workspace, r *http.Request) (api.RunDetail, error) {
	if r.URL.Query().Get("analysis") == "1" {
		return w.Analysis(r.Context(), r.PathValue("run"))
	}
	return w.Run(r.Context(), r.PathValue("run"))
}

func outlook(w Workspace, r *http.Request) (api.RunOutlook, error) {
	return w.Outlook(r.Context(), r.PathValue("run"))
}

func live(w Workspace, r *http.Request) (api.RunLive, error) {
	return w.Live(r.Context(), r.PathValue("run"), r.URL.Query()["node"])
}

func removeRun(w Workspace, r *http.Request) (struct{}, error) {
	err := w.RemoveRun(r.Context(), r.PathValue("run"))
	var own *api.Error
	if comesAgain(r) && errors.As(err, &own) && own.Code == api.CodeNotFound {
		return struct{}{}, nil // the daemon that was asked before has removed it
	}
	return struct{}{}, err
}

func stopRun(w Workspace, r *http.Request, q api.StopRequest) (api.StopResult, error) {
	run := r.PathValue("run")
	if run == api.OnlyRun {
		run = ""
	}
	return w.StopRun(r.Context(), client(r), run, q)
}

func stopAll(w Workspace, r *http.Request, q api.StopRequest) ([]api.StopResult, error) {
	return w.StopAll(r.Context(), client(r), q)
}

func plan(w Workspace, r *http.Request, q api.RunRequest) (api.Plan, error) {
	return w.Plan(r.Context(), q)
}

func prune(w Workspace, r *http.Request, q api.PruneRequest) (api.PruneResult, error) {
	return w.Prune(r.Context(), q)
}

func check(w Workspace, r *http.Request) (api.Check, error) { return w.Check(r.Context()) }

func why(w Workspace, r *http.Request) (api.Why, error) {
	q := r.URL.Query()
	return w.Why(r.Context(), q.Get("node"), q.Get("run"))
}

func edit(w Workspace, r *http.Request, q api.EditRequest) (api.EditResult, error) {
	return w.Edit(r.Context(), author(r), q)
}

func undo(w Workspace, r *http.Request) (api.EditResult, error) {
	return w.Undo(r.Context(), author(r))
}

func redo(w Workspace, r *http.Request) (api.EditResult, error) {
	return w.Redo(r.Context(), author(r))
}

func reset(w Workspace, r *http.Request, q api.ResetRequest) (api.ResetResult, error) {
	return w.Reset(r.Context(), client(r), q)
}

func params(w Workspace, r *http.Request, q api.ParamsRequest) (api.ParamList, error) {
	return w.Params(r.Context(), q)
}

func eval(w Workspace, r *http.Request, q api.EvalRequest) (api.Evaluated, error) {
	return w.Eval(r.Context(), q)
}

func approvals(w Workspace, r *http.Request) (api.ApprovalList, error) {
	return w.Approvals(r.Context())
}

func decide(w Workspace, r *http.Request, q api.Decision) (api.Approval, error) {
	q.Key, q.Again = requestKey(r), comesAgain(r)
	return w.Decide(r.Context(), client(r), q)
}

func outputs(w Workspace, r *http.Request) (api.NodeOutputs, error) {
	q := r.URL.Query()
	return w.Outputs(r.Context(), q.Get("node"), q.Get("run"))
}

func logInfo(w Workspace, r *http.Request) (api.LogInfo, error) {
	q := r.URL.Query()
	execution, err := number(q, "execution")
	if err != nil {
		return api.LogInfo{}, err
	}
	info, err := w.LogInfo(r.Context(), q.Get("node"), q.Get("run"), int(execution), q.Get("wait") == "1")
	if err == nil && q.Get("times") == "1" {
		info.Times, err = w.LogTimes(r.Context(), info)
	}
	return info, err
}

// startRun is refused while somebody waits for the runs to be over: they would never be.
func (d *daemon) startRun(w http.ResponseWriter, r *http.Request) error {
	if d.waiters.Load() > 0 {
		return &api.Error{Code: api.CodeRefused, Message: "the daemon ends when its runs are over: no new one begins",
			Why: "somebody has asked for that with wf server stop --wait"}
	}
	return askBody(func(w Workspace, r *http.Request, q api.RunRequest) (api.RunAccepted, error) {
		q.Key, q.Again = requestKey(r), comesAgain(r)
		q.Caller = d.cfg.nested.verify(r.Context(), q.Caller)
		return w.StartRun(r.Context(), client(r), q)
	})(d, w, r)
}

// saveAs opens the copy that the workspace has written.
func (d *daemon) saveAs(w http.ResponseWriter, r *http.Request) error {
	return answerBody(func(d *daemon, r *http.Request, q api.SaveAsRequest) (api.WorkspaceInfo, error) {
		path, err := use(d, r, func(w Workspace) (string, error) { return w.SaveAs(r.Context(), q) })
		if err != nil {
			return api.WorkspaceInfo{}, err
		}
		return d.openWorkspace(r, api.OpenRequest{Path: path})
	})(d, w, r)
}
