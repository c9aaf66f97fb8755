package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"wf/api"
	"wf/workspace"
)

// table returns the routes of the daemon with their handlers.
func (d *daemon) table() []endpoint {
	return []endpoint{
		answer(d, api.GetVersion, d.version),
		answer(d, api.ProvePort, d.prove),
		answer(d, api.GetServer, d.status),
		answer(d, api.StopServer, d.stop),
		serve(api.GetMetrics, d.metrics),
		answer(d, api.ListPools, d.poolList),
		answer(d, api.ResizePool, d.poolResize),
		answer(d, api.ListNotifications, d.notifier.notifications),
		answer(d, api.ChangeNotifications, d.notifier.changeNotifications),
		answer(d, api.TestNotifications, d.notifier.testNotifications),
		answer(d, api.ListTriggers, d.receiver.list),
		answer(d, api.GetTriggerLog, d.triggers.log),
		answer(d, api.EnableTriggers, d.receiver.enable),
		answer(d, api.DisableTrigger, d.triggers.disable),
		answer(d, api.FireTrigger, d.triggers.fire),
		answer(d, api.UseSecret, d.receiver.use),
		answer(d, api.CreateWorkfile, d.create),
		answer(d, api.MoveWorkfile, d.move),
		answer(d, api.ListHistories, d.gone),
		answer(d, api.OpenWorkspace, d.openWorkspace),

		answer(d, api.GetValue, d.kvGet),
		answer(d, api.ListKeys, d.kvKeys),
		answer(d, api.SetValue, d.kvSet),
		answer(d, api.DeleteValue, d.kvDelete),
		answer(d, api.AddToValue, d.kvIncr),

		answer(d, api.CloseWorkspace, d.closeWorkspace),
		ask(d, api.GetStatus, status),
		serve(api.WatchEvents, d.watch),
		ask(d, api.CheckWorkfile, plain((*workspace.Workspace).Check)),
		ask(d, api.SelectNodes, selectNodes),
		ask(d, api.ExplainNode, why),
		ask(d, api.GetOutputs, outputs),
		ask(d, api.GetLog, logInfo),
		serve(api.ReadOutput, d.output),
		ask(d, api.EditWorkfile, edit),
		ask(d, api.UndoEdit, byAuthor((*workspace.Workspace).Undo)),
		ask(d, api.RedoEdit, byAuthor((*workspace.Workspace).Redo)),
		ask(d, api.ResetNodes, byClient((*workspace.Workspace).Reset)),
		answer(d, api.SaveCopy, d.saveCopy),
		ask(d, api.ListParams, question((*workspace.Workspace).Params)),
		ask(d, api.EvalExpression, question((*workspace.Workspace).Eval)),
		ask(d, api.ListApprovals, plain((*workspace.Workspace).Approvals)),
		ask(d, api.DecideApproval, decide),
		ask(d, api.PlanRun, question((*workspace.Workspace).Plan)),
		ask(d, api.AcceptNodes, question(workspace.Accept)),
		endpoint{api.StartRun.Endpoint, d.startRun},
		ask(d, api.ListRuns, plain((*workspace.Workspace).Runs)),
		ask(d, api.PruneRuns, question((*workspace.Workspace).Prune)),
		ask(d, api.StopRuns, byClient((*workspace.Workspace).StopAll)),
		ask(d, api.GetRun, runDetail),
		ask(d, api.RemoveRun, removeRun),
		ask(d, api.StopRun, stopRun),
		ask(d, api.CompareRuns, question((*workspace.Workspace).Compare)),
		serve(api.ReadWorkfile, d.frozenWorkfile),
		serve(api.GetTrace, d.trace),
		serve(api.ReadHooks, d.hooks),
		ask(d, api.GetOutlook, ofRun((*workspace.Workspace).Outlook)),
		ask(d, api.GetLive, live),
	}
}

// routes returns the handler of all routes.
func (d *daemon) routes() http.Handler {
	mux := http.NewServeMux()
	for _, e := range d.table() {
		handle := e.serve
		if e.Resend != api.ResendServed {
			handle = d.once(handle, e.Resend == api.ResendLost)
		}
		mux.HandleFunc(e.Method+" "+e.Path, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, e.Limit)
			if err := handle(w, r); err != nil {
				writeError(w, d.explain(err))
			}
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, &api.Error{Code: api.CodeNotFound, Message: "no such route"})
	})
	return mux
}

// explain converts an error to an *api.Error. Errors without a code are bugs and are also logged.
func (d *daemon) explain(err error) *api.Error {
	var e *api.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return errEnding() // or the client has gone and does not read this
	}
	d.cfg.Log.Error("request failed", "err", err)
	return &api.Error{Code: api.CodeInternal, Message: err.Error()}
}

func writeError(w http.ResponseWriter, e *api.Error) {
	writeJSON(w, e.Code.Status(), e)
}

// writeJSON sends v. It ignores errors, because they mean that the client has gone.
func writeJSON(w http.ResponseWriter, status int, v any) {
	writeHead(w, status)
	_ = json.NewEncoder(w).Encode(v)
}

// writeBytes sends JSON that is encoded already.
func writeBytes(w http.ResponseWriter, body []byte) {
	writeHead(w, http.StatusOK)
	_, _ = w.Write(body)
}

func writeHead(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
}
