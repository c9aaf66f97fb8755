package api

// Limits of request bodies, in bytes.
const (
	plainBody    = 1 << 20
	valueBody    = 4 << 20  // two values of 1 MiB, in base64
	envBody      = 8 << 20  // a whole environment
	editBody     = 8 << 20  // many edits at once
	workfileBody = 64 << 20 // the lines of a new workfile
)

// Requests about the daemon.
var (
	GetVersion     = get[None, VersionInfo]("/v1/version")
	ProvePort      = get[ProofQuery, Proof]("/v1/proof") // the only route without a token
	GetServer      = get[None, ServerStatus]("/v1/server")
	StopServer     = post[ServerStop, None]("/v1/server/stop", plainBody, ResendServed, "server-stop")
	GetMetrics     = get[MetricsQuery, Stream]("/metrics") // text; at this path because scrapers expect it
	ListPools      = get[None, PoolList]("/v1/pools")
	ResizePool     = post[PoolSize, PoolList]("/v1/pools", plainBody, ResendServed, "pool")
	ListTriggers   = get[TriggersQuery, TriggerList]("/v1/triggers")
	GetTriggerLog  = get[TriggerLogQuery, TriggerLog]("/v1/triggers/log")
	EnableTriggers = post[TriggerEnable, TriggerList]("/v1/triggers/enable", envBody, ResendServed, "trigger-enable")
	DisableTrigger = post[TriggerDisable, None]("/v1/triggers/disable", plainBody, ResendServed, "trigger-disable")
	FireTrigger    = post[TriggerNow, RunAccepted]("/v1/triggers/fire", valueBody, ResendLost, "trigger-fire")
	UseSecret      = post[WebhookSecret, WebhookSecretInfo]("/v1/triggers/secret", plainBody, ResendLost, "trigger-secret")
	CreateWorkfile = post[NewRequest, WorkspaceInfo]("/v1/workfiles", workfileBody, ResendLost, "new")
	MoveWorkfile   = post[MoveRequest, MoveResult]("/v1/move", plainBody, ResendLost, "move")
	ListHistories  = post[GoneRequest, GoneList]("/v1/histories", plainBody, ResendServed, "forget")
	// Notifications: the outbox of this machine, changes of it, and a test of destinations.
	ListNotifications   = get[None, NotificationList]("/v1/notifications")
	ChangeNotifications = post[NotificationChange, NotificationList]("/v1/notifications", plainBody, ResendServed, "notify")
	TestNotifications   = post[NotifyTestRequest, NotifyTestResult]("/v1/notifications/test", envBody, ResendLost, "notify-test")
	OpenWorkspace       = post[OpenRequest, WorkspaceInfo]("/v1/workspaces", plainBody, ResendServed, "retry")
)

// Requests about the values that commands store. They open no workspace.
var (
	GetValue    = get[KVQuery, KVAnswer]("/v1/kv")
	ListKeys    = get[KVKeysQuery, KVKeys]("/v1/kv/keys")
	SetValue    = post[KVSet, KVAnswer]("/v1/kv/set", valueBody, ResendServed, NotAudited)
	DeleteValue = post[KVDelete, KVAnswer]("/v1/kv/delete", valueBody, ResendServed, NotAudited)
	AddToValue  = post[KVIncr, KVAnswer]("/v1/kv/incr", plainBody, ResendServed, NotAudited)
)

// inWorkspace is the start of the paths of requests about an open workspace, inRun of those about one of its runs.
const (
	inWorkspace = "/v1/workspaces/{id}"
	inRun       = inWorkspace + "/runs/{run}"
)

// Requests about an open workspace.
var (
	CloseWorkspace = remove[None, None](inWorkspace, ResendServed, NotAudited)
	GetStatus      = get[StatusQuery, Status](inWorkspace + "/status")
	WatchEvents    = get[WatchOptions, Stream](inWorkspace + "/events") // a WebSocket: Frames
	CheckWorkfile  = get[None, Check](inWorkspace + "/check")
	SelectNodes    = get[SelectQuery, NodeList](inWorkspace + "/select")
	ExplainNode    = get[NodeQuery, Why](inWorkspace + "/why")
	GetOutputs     = get[NodeQuery, NodeOutputs](inWorkspace + "/outputs")
	GetLog         = get[LogQuery, LogInfo](inWorkspace + "/log")
	ReadOutput     = get[OutputQuery, Stream](inWorkspace + "/output") // raw bytes
	EditWorkfile   = post[EditRequest, EditResult](inWorkspace+"/edits", editBody, ResendAnswered, "edit")
	UndoEdit       = post[None, EditResult](inWorkspace+"/undo", plainBody, ResendAnswered, "undo")
	RedoEdit       = post[None, EditResult](inWorkspace+"/redo", plainBody, ResendAnswered, "redo")
	ResetNodes     = post[ResetRequest, ResetResult](inWorkspace+"/reset", plainBody, ResendAnswered, "reset")
	SaveCopy       = post[SaveAsRequest, WorkspaceInfo](inWorkspace+"/save-as", plainBody, ResendLost, "copy")
	ListParams     = post[ParamsRequest, ParamList](inWorkspace+"/params", envBody, ResendServed, NotAudited)
	EvalExpression = post[EvalRequest, Evaluated](inWorkspace+"/eval", envBody, ResendServed, NotAudited)
	ListApprovals  = get[None, ApprovalList](inWorkspace + "/approvals")
	DecideApproval = post[Decision, Approval](inWorkspace+"/decide", plainBody, ResendServed, "decide")
	AcceptNodes    = post[AcceptRequest, AcceptResult](inWorkspace+"/accept", envBody, ResendServed, "accept")
	PlanRun        = post[RunRequest, Plan](inWorkspace+"/plan", envBody, ResendServed, NotAudited)
	StartRun       = post[RunRequest, RunAccepted](inWorkspace+"/runs", envBody, ResendServed, "run")
	ListRuns       = get[None, RunList](inWorkspace + "/runs")
	PruneRuns      = post[PruneRequest, PruneResult](inWorkspace+"/prune", plainBody, ResendAnswered, "prune")
	StopRuns       = post[StopRequest, []StopResult](inWorkspace+"/stop", plainBody, ResendServed, "stop") // all active runs
	GetRun         = get[RunQuery, RunDetail](inRun)
	RemoveRun      = remove[None, None](inRun, ResendAnswered, "remove")
	StopRun        = post[StopRequest, StopResult](inRun+"/stop", plainBody, ResendServed, "stop")
	CompareRuns    = get[DiffQuery, RunDiff](inWorkspace + "/diff")
	ReadWorkfile   = get[None, Stream](inRun + "/workfile")    // raw bytes
	GetTrace       = get[None, Stream](inRun + "/trace")       // JSON of OTLP
	ReadHooks      = get[HooksQuery, Stream](inRun + "/hooks") // raw bytes
	GetOutlook     = get[None, RunOutlook](inRun + "/outlook")
	GetLive        = get[LiveQuery, RunLive](inRun + "/live")
)

// OnlyRun stands for the number of the run in StopRun: the only active one.
const OnlyRun = "-"

// ProofQuery asks for a proof that the port is served by the daemon of the registry.
type ProofQuery struct {
	Nonce string `query:"nonce"` // NonceBytes random bytes, hexadecimal
}

// MetricsQuery asks for the metrics.
type MetricsQuery struct {
	OpenMetrics bool `query:"openmetrics"` // in this format, although the Accept header does not name it
}

// StatusQuery asks for the state of a workspace.
type StatusQuery struct {
	Nodes  bool `query:"nodes,on"` // with nodes and edges
	Stages int  `query:"stages"`   // with at most this number of stages instead of nodes; 0 = without stages
}

// SelectQuery asks for nodes.
type SelectQuery struct {
	Nodes []string `query:"nodes"` // selectors; none = all nodes
}

// NodeQuery asks about a node in a run.
type NodeQuery struct {
	Node string `query:"node"`
	Run  string `query:"run"` // "" = the latest run that the node took part in
}

// LogQuery asks for the output of one execution.
type LogQuery struct {
	Node      string `query:"node"`      // handle, id or unique id prefix
	Run       string `query:"run"`       // "" = the latest run that the node took part in
	Execution int    `query:"execution"` // from 1; 0 = the latest
	Times     bool   `query:"times"`     // LogInfo has Times, too
	Wait      bool   `query:"wait"`      // waits for an execution that an active run may still start
	Unmasked  bool   `query:"unmasked"`  // the bytes of the output have the values of secrets
	Aligned   bool   `query:"aligned"`   // a value of a secret is as many asterisks as it has bytes, not ***, so that offsets hold
}

// OutputQuery asks for the bytes of an output.
type OutputQuery struct {
	LogQuery
	Stream string `query:"stream"` // "stdout", "stderr", or "output" for both in one
	Offset int64  `query:"offset"` // of the first byte
	Follow bool   `query:"follow"` // the answer ends with the execution, not at the present end
}

// HooksQuery asks for what the hooks of a run printed.
type HooksQuery struct {
	Unmasked bool `query:"unmasked"` // with the values of secrets
}

// RunQuery asks for a run.
type RunQuery struct {
	Analysis bool `query:"analysis"` // with RunDetail.Analysis
}

// LiveQuery asks for what changes in an active run without an event.
type LiveQuery struct {
	Nodes []string `query:"node"` // ids of the nodes whose latest output to return
}

// KVQuery asks for the value of a key.
type KVQuery struct {
	KVScope
	Key string `query:"key"`
}

// KVKeysQuery asks for keys.
type KVKeysQuery struct {
	KVScope
	Prefix string `query:"prefix"`
	After  string `query:"after"` // only keys after this one
	Limit  int    `query:"limit"` // 0 = KVPageMost, which is also the maximum
}
