package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"wf/api"
)

// A Workspace is an open workfile. The daemon keeps it open as long as the client is there; the methods open it
// again when the daemon has been another one meanwhile.
type Workspace struct {
	ID       string // see api.WorkspaceInfo
	Problem  string // with the file when it was opened, see api.WorkspaceInfo
	Workfile string // absolute, symlinks resolved
	c        *Client
}

// path is the route sub of the workspace.
func (w *Workspace) path(sub string) string { return api.Workspace(w.ID) + sub }

// reopen opens the workspace anew.
func (w *Workspace) reopen(ctx context.Context) func() error {
	return func() error {
		_, err := w.c.reopen(ctx, w.Workfile)
		return err
	}
}

// reopen opens a workspace. While it, or the daemon, is still closing, it asks again.
func (c *Client) reopen(ctx context.Context, path string) (api.WorkspaceInfo, error) {
	bounded, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		info, err := c.open(bounded, path)
		if code(err) != api.CodeGone {
			return info, unbounded(ctx, err)
		}
		if sleep(bounded, wait) != nil {
			if ctx.Err() != nil {
				return info, ctx.Err()
			}
			return info, err
		}
	}
}

// unbounded words the end of our own time limit as what it means to a caller who set none.
func unbounded(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &UnreachableError{Doing: "reach the daemon", Err: errors.New("no answer in time")}
	}
	return err
}

func wsGet[T any](ctx context.Context, w *Workspace, path string, query url.Values) (T, error) {
	return wsCall[T](ctx, w, http.MethodGet, path, query, nil)
}

func wsPost[T any](ctx context.Context, w *Workspace, path string, body any) (T, error) {
	return wsCall[T](ctx, w, http.MethodPost, path, nil, body)
}

func wsCall[T any](ctx context.Context, w *Workspace, method, path string, query url.Values, body any) (T, error) {
	q, err := newQuestion(method, path, query, body)
	if err != nil {
		return *new(T), err
	}
	return ask[T](ctx, w.c, q, w.reopen(ctx))
}

// Close says that this client does not need the workspace any more: until then, or until the client is closed, the
// daemon keeps it open.
func (w *Workspace) Close(ctx context.Context) error {
	_, err := call[struct{}](ctx, w.c, http.MethodDelete, api.Workspace(w.ID), nil, nil)
	return err
}

// Status is the workspace as it is now, with its nodes and edges if nodes is set.
func (w *Workspace) Status(ctx context.Context, nodes bool) (api.Status, error) {
	return wsGet[api.Status](ctx, w, w.path(api.SubStatus), nodesQuery(nodes))
}

// Overview is the workspace as it is now, with at most stages rows for people instead of its nodes.
func (w *Workspace) Overview(ctx context.Context, stages int) (api.Status, error) {
	query := nodesQuery(false)
	query.Set("stages", strconv.Itoa(stages))
	return wsGet[api.Status](ctx, w, w.path(api.SubStatus), query)
}

// nodesQuery leaves nodes and edges out when nobody wants them.
func nodesQuery(nodes bool) url.Values {
	if nodes {
		return nil
	}
	return url.Values{"nodes": {"0"}}
}

// Select resolves selectors to nodes, in file order; none selects all.
func (w *Workspace) Select(ctx context.Context, selectors []string) (api.NodeList, error) {
	return wsGet[api.NodeList](ctx, w, w.path(api.SubSelect), url.Values{"nodes": selectors})
}

// Check lints the workfile as it is open now.
func (w *Workspace) Check(ctx context.Context) (api.Check, error) {
	return wsGet[api.Check](ctx, w, w.path(api.SubCheck), nil)
}

// Why explains the state of a node; run "" is the last one it took part in.
func (w *Workspace) Why(ctx context.Context, node, run string) (api.Why, error) {
	return wsGet[api.Why](ctx, w, w.path(api.SubWhy), url.Values{"node": {node}, "run": {run}})
}

// Edit changes the workfile: all of the edits or none.
func (w *Workspace) Edit(ctx context.Context, req api.EditRequest) (api.EditResult, error) {
	return wsPost[api.EditResult](ctx, w, w.path(api.SubEdits), req)
}

// Undo takes back the last edit.
func (w *Workspace) Undo(ctx context.Context) (api.EditResult, error) {
	return wsPost[api.EditResult](ctx, w, w.path(api.SubUndo), nil)
}

// Redo repeats the edit that was undone last.
func (w *Workspace) Redo(ctx context.Context) (api.EditResult, error) {
	return wsPost[api.EditResult](ctx, w, w.path(api.SubRedo), nil)
}

// Reset clears statuses, marks and captured output.
func (w *Workspace) Reset(ctx context.Context, req api.ResetRequest) (api.ResetResult, error) {
	return wsPost[api.ResetResult](ctx, w, w.path(api.SubReset), req)
}

// SaveAs writes a copy of the workfile with its pending changes and opens it.
func (w *Workspace) SaveAs(ctx context.Context, req api.SaveAsRequest) (api.WorkspaceInfo, error) {
	return wsPost[api.WorkspaceInfo](ctx, w, w.path(api.SubSaveAs), req)
}

// StartRun starts a run; it returns when the run has begun, not when it ends.
func (w *Workspace) StartRun(ctx context.Context, req api.RunRequest) (api.RunAccepted, error) {
	return wsPost[api.RunAccepted](ctx, w, w.path(api.SubRuns), req)
}

// Plan tells what StartRun would do.
func (w *Workspace) Plan(ctx context.Context, req api.RunRequest) (api.Plan, error) {
	return wsPost[api.Plan](ctx, w, w.path(api.SubPlan), req)
}

// Stop stops a run, or one node of it, and returns when everything of it is gone. run "" is the
// only active one.
func (w *Workspace) Stop(ctx context.Context, run string, req api.StopRequest) (api.StopResult, error) {
	if run == "" {
		run = api.OnlyRun
	}
	return wsPost[api.StopResult](ctx, w, api.RunStop(w.ID, run), req)
}

// StopAll stops every active run and returns when everything of them is gone.
func (w *Workspace) StopAll(ctx context.Context, req api.StopRequest) ([]api.StopResult, error) {
	return wsPost[[]api.StopResult](ctx, w, w.path(api.SubStop), req)
}

// Runs lists the runs of the workfile, newest first.
func (w *Workspace) Runs(ctx context.Context) (api.RunList, error) {
	return wsGet[api.RunList](ctx, w, w.path(api.SubRuns), nil)
}

// Run is everything that is known of a run.
func (w *Workspace) Run(ctx context.Context, run string) (api.RunDetail, error) {
	return wsGet[api.RunDetail](ctx, w, api.Run(w.ID, run), nil)
}

// Outlook is what there is to know about a run that is going, beyond its events.
func (w *Workspace) Outlook(ctx context.Context, run string) (api.RunOutlook, error) {
	return wsGet[api.RunOutlook](ctx, w, api.Run(w.ID, run)+api.SubOutlook, nil)
}

// Live is how a run that is going stands, with the last words of the nodes named by their ids.
func (w *Workspace) Live(ctx context.Context, run string, nodes []string) (api.RunLive, error) {
	return wsGet[api.RunLive](ctx, w, api.Run(w.ID, run)+api.SubLive, url.Values{"node": nodes})
}

// Analysis is Run with where its time went and what has changed since.
func (w *Workspace) Analysis(ctx context.Context, run string) (api.RunDetail, error) {
	return wsGet[api.RunDetail](ctx, w, api.Run(w.ID, run), url.Values{"analysis": {"1"}})
}

// RemoveRun forgets a run that is over, its outputs included.
func (w *Workspace) RemoveRun(ctx context.Context, run string) error {
	_, err := wsCall[struct{}](ctx, w, http.MethodDelete, api.Run(w.ID, run), nil, nil)
	return err
}

// Prune forgets old runs.
func (w *Workspace) Prune(ctx context.Context, req api.PruneRequest) (api.PruneResult, error) {
	return wsPost[api.PruneResult](ctx, w, w.path(api.SubPrune), req)
}

// Params lists the parameters of the workfile, and what is wrong with the values that req gives.
func (w *Workspace) Params(ctx context.Context, req api.ParamsRequest) (api.ParamList, error) {
	return wsPost[api.ParamList](ctx, w, w.path(api.SubParams), req)
}

// Eval evaluates an expression with the data of a run.
func (w *Workspace) Eval(ctx context.Context, req api.EvalRequest) (api.Evaluated, error) {
	return wsPost[api.Evaluated](ctx, w, w.path(api.SubEval), req)
}

// Approvals lists what waits for a person in the runs that are going.
func (w *Workspace) Approvals(ctx context.Context) (api.ApprovalList, error) {
	return wsGet[api.ApprovalList](ctx, w, w.path(api.SubApprovals), nil)
}

// Decide says what a person has decided about an approval, which it returns as it was.
func (w *Workspace) Decide(ctx context.Context, d api.Decision) (api.Approval, error) {
	return wsPost[api.Approval](ctx, w, w.path(api.SubDecide), d)
}

// Outputs are what the latest execution of a node has put out; run "" is the latest.
func (w *Workspace) Outputs(ctx context.Context, node, run string) (api.NodeOutputs, error) {
	return wsGet[api.NodeOutputs](ctx, w, w.path(api.SubOutputs), url.Values{"node": {node}, "run": {run}})
}

// setInt adds a number to a query unless it is the default 0.
func setInt(q url.Values, key string, n int64) {
	if n != 0 {
		q.Set(key, strconv.FormatInt(n, 10))
	}
}
