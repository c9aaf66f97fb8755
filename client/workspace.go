package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"sync"

	"wf/api"
)

// A Workspace is an open workfile. The daemon keeps it open as long as the client is connected; the methods open it again
// after a restart of the daemon.
type Workspace struct {
	ID       string // see api.WorkspaceInfo
	Problem  string // of the file when it was opened, see api.WorkspaceInfo
	Workfile string // absolute, symlinks resolved
	c        *Client
}

// reopen returns a function that opens the workspace again.
func (w *Workspace) reopen(ctx context.Context) func() error {
	return func() error {
		_, err := w.c.reopen(ctx, w.Workfile)
		return err
	}
}

// reopen opens a workspace. While it, or the daemon, is still closing, it tries again.
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

// unbounded replaces the error of the client's own time limit, because the caller has set none.
func unbounded(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &UnreachableError{Doing: "reach the daemon", Err: errors.New("no answer in time")}
	}
	return err
}

// ask sends a request about a workspace to the daemon and returns its answer. run fills the placeholder of a route
// about a run.
func ask[Q, A any](ctx context.Context, w *Workspace, route api.Route[Q, A], q Q, run ...string) (A, error) {
	req, err := newRequest(route, q, append([]string{w.ID}, run...)...)
	if err != nil {
		return *new(A), err
	}
	return answer[A](ctx, w.c, req, w.reopen(ctx))
}

// Close releases the workspace. Until then, or until the client is closed, the daemon keeps it open.
func (w *Workspace) Close(ctx context.Context) error {
	_, err := call(ctx, w.c, api.CloseWorkspace, api.None{}, w.ID)
	return err
}

// Status returns the present state of the workspace, with its nodes and edges if nodes is set.
func (w *Workspace) Status(ctx context.Context, nodes bool) (api.Status, error) {
	return ask(ctx, w, api.GetStatus, api.StatusQuery{Nodes: nodes})
}

// Overview returns the present state of the workspace, with at most the given number of stages instead of its nodes.
func (w *Workspace) Overview(ctx context.Context, stages int) (api.Status, error) {
	return ask(ctx, w, api.GetStatus, api.StatusQuery{Stages: stages})
}

// Select returns the nodes that selectors select, in file order; no selector selects all.
func (w *Workspace) Select(ctx context.Context, selectors []string) (api.NodeList, error) {
	return ask(ctx, w, api.SelectNodes, api.SelectQuery{Nodes: selectors})
}

// Check returns the problems of the open workfile, including unsaved edits.
func (w *Workspace) Check(ctx context.Context) (api.Check, error) {
	return ask(ctx, w, api.CheckWorkfile, api.None{})
}

// Why explains the state of a node; run "" is the latest run that it took part in.
func (w *Workspace) Why(ctx context.Context, node, run string) (api.Why, error) {
	return ask(ctx, w, api.ExplainNode, api.NodeQuery{Node: node, Run: run})
}

// Edit changes the workfile: all edits or none.
func (w *Workspace) Edit(ctx context.Context, req api.EditRequest) (api.EditResult, error) {
	return ask(ctx, w, api.EditWorkfile, req)
}

// Undo reverts the last edit.
func (w *Workspace) Undo(ctx context.Context) (api.EditResult, error) {
	return ask(ctx, w, api.UndoEdit, api.None{})
}

// Redo makes the last reverted edit again.
func (w *Workspace) Redo(ctx context.Context) (api.EditResult, error) {
	return ask(ctx, w, api.RedoEdit, api.None{})
}

// Reset clears statuses, marks and captured output.
func (w *Workspace) Reset(ctx context.Context, req api.ResetRequest) (api.ResetResult, error) {
	return ask(ctx, w, api.ResetNodes, req)
}

// SaveAs writes a copy of the workfile with its pending changes and opens it.
func (w *Workspace) SaveAs(ctx context.Context, req api.SaveAsRequest) (api.WorkspaceInfo, error) {
	return ask(ctx, w, api.SaveCopy, req)
}

// StartRun starts a run; it returns when the run has started, not when it ends.
func (w *Workspace) StartRun(ctx context.Context, req api.RunRequest) (api.RunAccepted, error) {
	return ask(ctx, w, api.StartRun, req)
}

// StartRunWaiting is StartRun that calls waits, at most once and from another goroutine, if the run has to wait for
// another one: busy is the reason, see api.HeaderWaits.
func (w *Workspace) StartRunWaiting(ctx context.Context, req api.RunRequest, waits func(busy api.Error)) (api.RunAccepted, error) {
	var once sync.Once // the request may be sent again
	trace := &httptrace.ClientTrace{Got1xxResponse: func(_ int, header textproto.MIMEHeader) error {
		var busy api.Error
		text, err := url.QueryUnescape(header.Get(api.HeaderWaits))
		if err == nil && json.Unmarshal([]byte(text), &busy) == nil {
			once.Do(func() { waits(busy) })
		}
		return nil
	}}
	return ask(httptrace.WithClientTrace(ctx, trace), w, api.StartRun, req)
}

// Accept declares that what is there is the result of nodes.
func (w *Workspace) Accept(ctx context.Context, req api.AcceptRequest) (api.AcceptResult, error) {
	return ask(ctx, w, api.AcceptNodes, req)
}

// Plan returns what StartRun would do.
func (w *Workspace) Plan(ctx context.Context, req api.RunRequest) (api.Plan, error) {
	return ask(ctx, w, api.PlanRun, req)
}

// Stop stops a run, or one node of it, and returns when its processes are gone. run "" is the only active run.
func (w *Workspace) Stop(ctx context.Context, run string, req api.StopRequest) (api.StopResult, error) {
	if run == "" {
		run = api.OnlyRun
	}
	return ask(ctx, w, api.StopRun, req, run)
}

// StopAll stops every active run and returns when their processes are gone.
func (w *Workspace) StopAll(ctx context.Context, req api.StopRequest) ([]api.StopResult, error) {
	return ask(ctx, w, api.StopRuns, req)
}

// Runs lists the runs of the workfile, newest first.
func (w *Workspace) Runs(ctx context.Context) (api.RunList, error) {
	return ask(ctx, w, api.ListRuns, api.None{})
}

// Run returns the details of a run.
func (w *Workspace) Run(ctx context.Context, run string) (api.RunDetail, error) {
	return ask(ctx, w, api.GetRun, api.RunQuery{}, run)
}

// Outlook returns what a display of an active run needs in addition to its events.
func (w *Workspace) Outlook(ctx context.Context, run string) (api.RunOutlook, error) {
	return ask(ctx, w, api.GetOutlook, api.None{}, run)
}

// Live returns the counts of an active run and the latest output of nodes, which are named by their ids.
func (w *Workspace) Live(ctx context.Context, run string, nodes []string) (api.RunLive, error) {
	return ask(ctx, w, api.GetLive, api.LiveQuery{Nodes: nodes}, run)
}

// Analysis returns the details of a run with an api.Analysis.
func (w *Workspace) Analysis(ctx context.Context, run string) (api.RunDetail, error) {
	return ask(ctx, w, api.GetRun, api.RunQuery{Analysis: true}, run)
}

// Compare returns what distinguishes two runs, or a run and the workfile as it is now.
func (w *Workspace) Compare(ctx context.Context, q api.DiffQuery) (api.RunDiff, error) {
	return ask(ctx, w, api.CompareRuns, q)
}

// FrozenWorkfile reads the workfile as it was at the start of a run. The caller closes the result.
func (w *Workspace) FrozenWorkfile(ctx context.Context, run string) (io.ReadCloser, error) {
	req, err := newRequest(api.ReadWorkfile, api.None{}, w.ID, run)
	if err != nil {
		return nil, err
	}
	return sendUntilAnswered(ctx, w.c, req, w.reopen(ctx), func() (io.ReadCloser, error) { return w.c.attempt(ctx, req) })
}

// Trace reads a run as a trace, in the JSON of OTLP. The caller closes the result.
func (w *Workspace) Trace(ctx context.Context, run string) (io.ReadCloser, error) {
	req, err := newRequest(api.GetTrace, api.None{}, w.ID, run)
	if err != nil {
		return nil, err
	}
	return sendUntilAnswered(ctx, w.c, req, w.reopen(ctx), func() (io.ReadCloser, error) { return w.c.attempt(ctx, req) })
}

// Hooks reads what the hooks of a run printed; with unmasked, the values of secrets are not hidden. The caller closes the result.
func (w *Workspace) Hooks(ctx context.Context, run string, unmasked bool) (io.ReadCloser, error) {
	req, err := newRequest(api.ReadHooks, api.HooksQuery{Unmasked: unmasked}, w.ID, run)
	if err != nil {
		return nil, err
	}
	return sendUntilAnswered(ctx, w.c, req, w.reopen(ctx), func() (io.ReadCloser, error) { return w.c.attempt(ctx, req) })
}

// RemoveRun removes a run that has ended, with its outputs.
func (w *Workspace) RemoveRun(ctx context.Context, run string) error {
	_, err := ask(ctx, w, api.RemoveRun, api.None{}, run)
	return err
}

// Prune removes old runs.
func (w *Workspace) Prune(ctx context.Context, req api.PruneRequest) (api.PruneResult, error) {
	return ask(ctx, w, api.PruneRuns, req)
}

// Params returns the parameters of the workfile and the problems of the values in req.
func (w *Workspace) Params(ctx context.Context, req api.ParamsRequest) (api.ParamList, error) {
	return ask(ctx, w, api.ListParams, req)
}

// Eval evaluates an expression with the data of a run.
func (w *Workspace) Eval(ctx context.Context, req api.EvalRequest) (api.Evaluated, error) {
	return ask(ctx, w, api.EvalExpression, req)
}

// Approvals lists the nodes of active runs that wait for a person.
func (w *Workspace) Approvals(ctx context.Context) (api.ApprovalList, error) {
	return ask(ctx, w, api.ListApprovals, api.None{})
}

// Decide records a decision about an approval. It returns the approval before the decision.
func (w *Workspace) Decide(ctx context.Context, d api.Decision) (api.Approval, error) {
	return ask(ctx, w, api.DecideApproval, d)
}

// Outputs returns the outputs of the latest execution of a node; run "" is the latest run.
func (w *Workspace) Outputs(ctx context.Context, node, run string) (api.NodeOutputs, error) {
	return ask(ctx, w, api.GetOutputs, api.NodeQuery{Node: node, Run: run})
}
