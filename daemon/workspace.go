package daemon

import (
	"context"
	"io"

	"wf/api"
	"wf/workspace"
)

// Workspace is what the daemon asks of an open workfile; see package workspace for each method.
// All errors are *api.Error, or that of ctx. client is the id of the asking client.
type Workspace interface {
	Done() <-chan struct{}
	Busy() bool
	Info() api.WorkspaceInfo
	Retry(ctx context.Context) error // of one that is held
	Close(ctx context.Context) error
	OnIdle(f func())
	SetResults(word string)

	Status(ctx context.Context, nodes bool) (api.Status, error)
	Overview(ctx context.Context, stages int) (api.Status, error)
	Select(ctx context.Context, selectors []string) (api.NodeList, error)
	StartRun(ctx context.Context, client string, req api.RunRequest) (api.RunAccepted, error)
	Plan(ctx context.Context, req api.RunRequest) (api.Plan, error)
	StopRun(ctx context.Context, client, run string, req api.StopRequest) (api.StopResult, error)
	StopAll(ctx context.Context, client string, req api.StopRequest) ([]api.StopResult, error)
	Runs(ctx context.Context) (api.RunList, error)
	Run(ctx context.Context, run string) (api.RunDetail, error)
	Outlook(ctx context.Context, run string) (api.RunOutlook, error)
	Live(ctx context.Context, run string, nodes []string) (api.RunLive, error)
	Analysis(ctx context.Context, run string) (api.RunDetail, error)
	RemoveRun(ctx context.Context, run string) error
	Prune(ctx context.Context, req api.PruneRequest) (api.PruneResult, error)
	Check(ctx context.Context) (api.Check, error)
	Why(ctx context.Context, node, run string) (api.Why, error)
	LogTimes(ctx context.Context, info api.LogInfo) (*api.LogTimes, error)
	LogInfo(ctx context.Context, node, run string, execution int, wait bool) (api.LogInfo, error)
	Output(ctx context.Context, node, run string, execution int, stream string, offset int64, follow bool) (io.ReadCloser, error)
	Edit(ctx context.Context, by api.Author, req api.EditRequest) (api.EditResult, error)
	Undo(ctx context.Context, by api.Author) (api.EditResult, error)
	Redo(ctx context.Context, by api.Author) (api.EditResult, error)
	Reset(ctx context.Context, client string, req api.ResetRequest) (api.ResetResult, error)
	SaveAs(ctx context.Context, req api.SaveAsRequest) (string, error)
	Params(ctx context.Context, req api.ParamsRequest) (api.ParamList, error)
	Eval(ctx context.Context, req api.EvalRequest) (api.Evaluated, error)
	Approvals(ctx context.Context) (api.ApprovalList, error)
	Decide(ctx context.Context, client string, d api.Decision) (api.Approval, error)
	Outputs(ctx context.Context, node, run string) (api.NodeOutputs, error)
	CallerOf(ctx context.Context, c api.Caller) (held map[string]int, live bool, err error)
	Waits(c api.Caller, waits bool)
	GoesOn(ctx context.Context, c api.Caller) error
	Adopt(ctx context.Context, c api.Caller, child workspace.Child) (bool, error)
	Watch(ctx context.Context, client string, opt api.WatchOptions) (Watcher, error)
}

// A Watcher yields the encoded frames of a workspace, the snapshot first.
type Watcher interface {
	Frames() <-chan []byte // closed when dropped or closed, or the workspace has ended
	Reason() string        // why, after Frames is closed
	Close()
}

// An opener is the daemon's way to workspaces. Tests have one with fakes.
type opener interface {
	id(path string) (id, real string, err error)
	// open is refused where a workspace is held, unless retry is set.
	open(path string, retry bool) (Workspace, error)
	create(req api.NewRequest) error
	move(from, to string) (api.MoveResult, error)
	gone() ([]api.GoneHistory, error)
	removeHistory(id string) error
	unfinished() []string // workfiles with runs that an earlier daemon left going
	held() []api.HeldWorkspace
	tidy() // removes what dead daemons and runners have left of runs that are over
}
