package api

import "net/url"

// Paths of the daemon's routes. daemon/routes.go serves exactly these; client asks only for these.
const (
	PathVersion    = "/v1/version"     // GET: VersionInfo
	PathProof      = "/v1/proof"       // GET ?nonce=HEX: Proof; the only one that needs no token
	PathServer     = "/v1/server"      // GET: ServerStatus
	PathPools      = "/v1/pools"       // GET: PoolList; POST PoolSize: PoolList
	PathServerStop = "/v1/server/stop" // POST ServerStop
	PathWorkfiles  = "/v1/workfiles"   // POST NewRequest: WorkspaceInfo
	PathWorkspaces = "/v1/workspaces"  // POST OpenRequest: WorkspaceInfo
	PathMove       = "/v1/move"        // POST MoveRequest: MoveResult
	PathHistories  = "/v1/histories"   // POST GoneRequest: GoneList
)

// Below a workspace, see Workspace.
const (
	SubStatus    = "/status"    // GET ?nodes=0: Status; ?stages=N: with at most N stages instead of nodes
	SubEvents    = "/events"    // WebSocket ?nodes=0&type=TYPE (repeatable): Frames
	SubRuns      = "/runs"      // GET: RunList; POST RunRequest: RunAccepted
	SubPlan      = "/plan"      // POST RunRequest: Plan
	SubPrune     = "/prune"     // POST PruneRequest: PruneResult
	SubCheck     = "/check"     // GET ?accept=…: Check
	SubWhy       = "/why"       // GET ?node=&run=: Why
	SubLog       = "/log"       // GET ?node=&run=&execution=&wait=1&times=1: LogInfo
	SubOutput    = "/output"    // GET ?node=&run=&execution=&stream=stdout|stderr&offset=&follow=1: raw bytes
	SubSelect    = "/select"    // GET ?nodes=SEL (repeatable): NodeList of the nodes it names
	SubEdits     = "/edits"     // POST EditRequest: EditResult
	SubUndo      = "/undo"      // POST: EditResult
	SubRedo      = "/redo"      // POST: EditResult
	SubReset     = "/reset"     // POST ResetRequest: ResetResult
	SubStop      = "/stop"      // POST StopRequest: []StopResult of all active runs; below a run: StopResult
	SubApprovals = "/approvals" // GET: ApprovalList
	SubDecide    = "/decide"    // POST Decision: Approval
	SubOutputs   = "/outputs"   // GET ?node=&run=: NodeOutputs
	SubParams    = "/params"    // POST ParamsRequest: ParamList
	SubEval      = "/eval"      // POST EvalRequest: Evaluated
	SubSaveAs    = "/save-as"   // POST SaveAsRequest: WorkspaceInfo of the copy
)

// Workspace is the path of a workspace, to which the Sub constants are appended.
func Workspace(id string) string { return PathWorkspaces + "/" + url.PathEscape(id) }

// Run is the path of a run below a workspace: GET ?analysis=1: RunDetail, DELETE: forget it.
func Run(id, run string) string { return Workspace(id) + SubRuns + "/" + url.PathEscape(run) }

// Below a run that is going, see Run.
const (
	SubOutlook = "/outlook" // GET: RunOutlook
	SubLive    = "/live"    // GET ?node=ID (repeatable): RunLive with the tails of these nodes
)

// OnlyRun stands for a run in RunStop: the only active one.
const OnlyRun = "-"

// RunStop is the path that stops a run: POST StopRequest: StopResult.
func RunStop(id, run string) string { return Run(id, run) + SubStop }
