package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"wf/api"
)

// Limits of request bodies.
const (
	plainBytes    = 1 << 20
	envBytes      = 8 << 20  // a whole environment
	editBytes     = 8 << 20  // many edits at once
	workfileBytes = 64 << 20 // the lines of a new workfile
	valueBytes    = 4 << 20  // two values of 1 MiB, in base64
)

// A route is a line of the table. max bounds the body.
type route struct {
	method, path string
	max          int64
	handle       func(*daemon, http.ResponseWriter, *http.Request) error
}

const (
	ws     = api.PathWorkspaces + "/{id}"
	oneRun = ws + api.SubRuns + "/{run}"
)

// table is every route of the daemon.
var table = []route{
	{"GET", api.PathVersion, 0, answer((*daemon).version)},
	{"GET", api.PathProof, 0, answer((*daemon).prove)},
	{"GET", api.PathServer, 0, answer((*daemon).status)},
	{"GET", api.PathPools, 0, answer((*daemon).poolList)},
	{"POST", api.PathPools, plainBytes, answerBody((*daemon).poolResize)},
	{"POST", api.PathServerStop, plainBytes, answerBody((*daemon).stop)},
	{"POST", api.PathMove, plainBytes, once(answerBody((*daemon).move), true)},
	{"POST", api.PathHistories, plainBytes, answerBody((*daemon).gone)},
	{"POST", api.PathWorkfiles, workfileBytes, once(answerBody((*daemon).create), true)},
	{"POST", api.PathWorkspaces, plainBytes, answerBody((*daemon).openWorkspace)},

	{"GET", api.PathKV, 0, answer((*daemon).kvGet)},
	{"GET", api.PathKVKeys, 0, answer((*daemon).kvKeys)},
	{"POST", api.PathKVSet, valueBytes, answerBody((*daemon).kvSet)},
	{"POST", api.PathKVDelete, valueBytes, answerBody((*daemon).kvDelete)},
	{"POST", api.PathKVIncr, plainBytes, answerBody((*daemon).kvIncr)},

	{"DELETE", ws, 0, answer((*daemon).closeWorkspace)},
	{"GET", ws + api.SubStatus, 0, ask(status)},
	{"GET", ws + api.SubEvents, 0, (*daemon).watch},
	{"GET", ws + api.SubRuns, 0, ask(runs)},
	{"POST", ws + api.SubRuns, envBytes, (*daemon).startRun},
	{"GET", oneRun, 0, ask(runDetail)},
	{"DELETE", oneRun, 0, once(ask(removeRun), false)},
	{"GET", oneRun + api.SubOutlook, 0, ask(outlook)},
	{"GET", oneRun + api.SubLive, 0, ask(live)},
	{"POST", oneRun + api.SubStop, plainBytes, askBody(stopRun)},
	{"POST", ws + api.SubStop, plainBytes, askBody(stopAll)},
	{"POST", ws + api.SubPlan, envBytes, askBody(plan)},
	{"POST", ws + api.SubPrune, plainBytes, once(askBody(prune), false)},
	{"GET", ws + api.SubCheck, 0, ask(check)},
	{"GET", ws + api.SubWhy, 0, ask(why)},
	{"GET", ws + api.SubLog, 0, ask(logInfo)},
	{"GET", ws + api.SubOutput, 0, (*daemon).output},
	{"GET", ws + api.SubSelect, 0, ask(selectNodes)},
	{"POST", ws + api.SubEdits, editBytes, once(askBody(edit), false)},
	{"POST", ws + api.SubUndo, plainBytes, once(ask(undo), false)},
	{"POST", ws + api.SubRedo, plainBytes, once(ask(redo), false)},
	{"POST", ws + api.SubReset, plainBytes, once(askBody(reset), false)},
	{"POST", ws + api.SubParams, envBytes, askBody(params)},
	{"POST", ws + api.SubEval, envBytes, askBody(eval)},
	{"GET", ws + api.SubApprovals, 0, ask(approvals)},
	{"POST", ws + api.SubDecide, plainBytes, askBody(decide)},
	{"GET", ws + api.SubOutputs, 0, ask(outputs)},
	{"POST", ws + api.SubSaveAs, plainBytes, once((*daemon).saveAs, true)},
}

// routes is the handler of all routes.
func (d *daemon) routes() http.Handler {
	mux := http.NewServeMux()
	for _, r := range table {
		mux.HandleFunc(r.method+" "+r.path, func(w http.ResponseWriter, req *http.Request) {
			req.Body = http.MaxBytesReader(w, req.Body, r.max)
			if err := r.handle(d, w, req); err != nil {
				writeError(w, d.explain(err))
			}
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, &api.Error{Code: api.CodeNotFound, Message: "no such route"})
	})
	return mux
}

// httpStatus is the only table from errors to HTTP statuses.
var httpStatus = map[api.Code]int{
	api.CodeInvalid:     http.StatusBadRequest,
	api.CodeUnknownNode: http.StatusNotFound,
	api.CodeNotFound:    http.StatusNotFound,
	api.CodeNoOutput:    http.StatusNotFound,
	api.CodeWorkfile:    http.StatusUnprocessableEntity,
	api.CodeCycle:       http.StatusUnprocessableEntity,
	api.CodeConflict:    http.StatusConflict,
	api.CodeDone:        http.StatusConflict,
	api.CodeRefused:     http.StatusForbidden,
	api.CodeGone:        http.StatusGone,
	api.CodeLost:        http.StatusServiceUnavailable,
	api.CodeVersion:     http.StatusUpgradeRequired,
	api.CodeInternal:    http.StatusInternalServerError,
}

// explain gives every error our words. What has none is a bug and goes to the log as well.
func (d *daemon) explain(err error) *api.Error {
	var e *api.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return errEnding() // or the client has gone: then nobody reads this
	}
	d.cfg.Log.Error("request failed", "err", err)
	return &api.Error{Code: api.CodeInternal, Message: err.Error()}
}

func writeError(w http.ResponseWriter, e *api.Error) {
	status, ok := httpStatus[e.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	writeJSON(w, status, e)
}

// writeJSON sends v. A failure means that the client has gone, which is not our concern.
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
