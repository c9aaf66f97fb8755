package api

import "time"

// Schemas of the JSON documents that leave the program.
const (
	SchemaEvent     = "wf.event/v1"
	SchemaStatus    = "wf.status/v1"
	SchemaNodes     = "wf.nodes/v1"
	SchemaCheck     = "wf.check/v1"
	SchemaPlan      = "wf.plan/v1"
	SchemaRuns      = "wf.runs/v1"
	SchemaRun       = "wf.run/v1"
	SchemaWhy       = "wf.why/v1"
	SchemaServer    = "wf.server/v1"
	SchemaHosts     = "wf.hosts/v1"
	SchemaHostList  = "wf.host-statuses/v1"
	SchemaPrune     = "wf.prune/v1"
	SchemaGone      = "wf.gone/v1"
	SchemaError     = "wf.error/v1"
	SchemaRunID     = "wf.run-id/v1"
	SchemaDoctor    = "wf.doctor/v1"
	SchemaLog       = "wf.log/v1"
	SchemaEdit      = "wf.edit/v1"
	SchemaVersion   = "wf.version/v1"
	SchemaPools     = "wf.pools/v1"
	SchemaOutputs   = "wf.outputs/v1"
	SchemaApprovals = "wf.approvals/v1"
	SchemaDecision  = "wf.decision/v1"
	SchemaParams    = "wf.params/v1"
	SchemaEval      = "wf.eval/v1"
	SchemaKV        = "wf.kv/v1"
	SchemaKVKeys    = "wf.kv-keys/v1"
)

// EventType names what happened (docs/semantics.md, Events).
type EventType string

// The types of events. A reader ignores those it does not know.
const (
	NodeReady    EventType = "node_ready"    // activated, waits for a slot
	NodeStarted  EventType = "node_started"  // its process exists
	NodeFinished EventType = "node_finished" // exit code 0
	NodeFailed   EventType = "node_failed"
	NodeReset    EventType = "node_reset"   // back to "": a fresh run or a stop removed the activation
	NodeSkipped  EventType = "node_skipped" // no path leads to it any more
	NodeWaiting  EventType = "node_waiting" // it waits, see Wait
	NodeDecided  EventType = "node_decided" // a person decided, or the time to answer was over
	NodeEngine   EventType = "node_engine"  // the state of its job at its engine has changed, see Engine
	RunStarted   EventType = "run_started"
	RunStopping  EventType = "run_stopping" // a stop was requested
	RunRefused   EventType = "run_refused"  // a queued run cannot start, for the reason in Message
	RunShort     EventType = "run_short"    // for a second fewer commands ran than could, see Short; once for each reason
	RunGrew      EventType = "run_grew"     // the nodes of the run have changed: instances of a sub-flow became known
	RunStep      EventType = "run_step"     // what the daemon does before commands can start, in Message: it creates an environment
	RunHeld      EventType = "run_held"     // nothing starts, for the reason in Message; "" = it continues
	RunComplete  EventType = "run_complete" // always the last event of a run
	GraphUpdated EventType = "graph_updated"
	FileProblem  EventType = "file_problem" // the workfile cannot be read or written; empty message: it can again
	Output       EventType = "output"       // only for clients that follow a node
)

// An Event is one change of a workspace. Seq counts per workspace from 1 without a gap. Type decides which fields
// are set; empty ones are absent in JSON.
type Event struct {
	Schema    string    `json:"schema,omitempty"` // absent in a Frame, as is Workspace
	Seq       uint64    `json:"seq"`
	Time      time.Time `json:"time"` // UTC
	Type      EventType `json:"type"`
	Workspace string    `json:"workspace,omitempty"`
	Run       string    `json:"run,omitempty"`
	Client    string    `json:"client,omitempty"` // the client that caused it
	User      string    `json:"user,omitempty"`   // GraphUpdated: the name of the user, as the client reports it

	Node      string `json:"node,omitempty"`
	Name      string `json:"name,omitempty"` // the node's handle; of an instance its path, with items: align[S5]/trim
	Item      string `json:"item,omitempty"` // of the instance that contains the node
	Execution int    `json:"execution,omitempty"`
	PID       int    `json:"pid,omitempty"`
	ExitCode  *int   `json:"exit_code,omitempty"` // of a node; of run_complete: what `wf run` exits with
	Signal    string `json:"signal,omitempty"`    // "SIGKILL"
	Reason    Reason `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"` // for people: why a start failed, which loop reached its limit
	// DurationMS is set on node_finished, node_failed and run_complete, in milliseconds.
	DurationMS *int64 `json:"duration_ms,omitempty"`

	Wait     *Wait         `json:"wait,omitempty"`     // node_waiting
	Decision *DecisionMade `json:"decision,omitempty"` // node_decided
	Engine   *EngineJob    `json:"engine,omitempty"`   // node_engine, node_started, node_finished, node_failed
	// PeakBytes, of node_finished and node_failed, is the most memory that the command used at once; 0 = unknown.
	PeakBytes int64  `json:"peak_bytes,omitempty"`
	Mocked    bool   `json:"mocked,omitempty"`     // it was not executed: a mock gave its outcome, or skipped it
	UpToDate  bool   `json:"up_to_date,omitempty"` // node_finished: it was not executed, because an earlier success holds
	Handled   bool   `json:"handled,omitempty"`    // node_failed: an edge handles the failure
	SubFlow   bool   `json:"sub_flow,omitempty"`   // the node is a sub-flow: its instances are counted instead
	Retry     *Retry `json:"retry,omitempty"`      // node_failed: the failure is not final: another attempt follows

	Queued   string    `json:"queued,omitempty"` // run_refused: its name in the queue
	Workfile string    `json:"workfile,omitempty"`
	Mode     string    `json:"mode,omitempty"`
	Resumes  string    `json:"resumes,omitempty"`  // the run whose failures a resume repeats
	Nodes    int       `json:"nodes,omitempty"`    // run_started, run_grew: nodes in scope, see Counts
	Kept     int       `json:"kept,omitempty"`     // run_started, run_grew: those of them that an earlier run has completed
	Jobs     int       `json:"jobs,omitempty"`     // run_started: the limit of concurrent executions; 0 = that of the machine
	NoLimit  bool      `json:"no_limit,omitempty"` // run_started: no limit of executions at once
	Short    *Shortage `json:"short,omitempty"`    // run_short
	Result   Result    `json:"result,omitempty"`
	Counts   *Counts   `json:"counts,omitempty"`
	// Survivors, of run_complete, lists the pids of processes that could not be killed.
	Survivors []int `json:"survivors,omitempty"`
	// Note, of node_finished, is a remark for people, such as a case that matches no edge.
	Note  string   `json:"note,omitempty"`
	Notes []string `json:"notes,omitempty"` // of run_complete: the same for the run, as sentences without a full stop

	// GraphUpdated: what changed, and the changed elements as they are now. Structure reports that nodes or edges
	// were added, removed or moved: the reader requests a new snapshot.
	Op        string       `json:"op,omitempty"`
	Structure bool         `json:"structure,omitempty"`
	Changed   []NodeStatus `json:"changed,omitempty"`
	Edges     []EdgeStatus `json:"edges,omitempty"`
}

// Retry is the number of a failed attempt that another attempt follows.
type Retry struct {
	Attempt int `json:"attempt"` // from 1
	Of      int `json:"of"`
}

// Reason is why a node failed.
type Reason string

// The reasons of a failure.
const (
	ReasonExit      Reason = "exit"
	ReasonSignal    Reason = "signal"
	ReasonTimeout   Reason = "timeout"
	ReasonCancelled Reason = "cancelled"
	ReasonLost      Reason = "lost"
	ReasonStart     Reason = "start"
	ReasonLimit     Reason = "limit"

	ReasonRejected   Reason = "rejected"   // a person rejected it
	ReasonExpression Reason = "expression" // an expression cannot be evaluated, or the outputs cannot be read
	ReasonInstances  Reason = "instances"  // too few instances of a sub-flow succeeded
	ReasonHook       Reason = "hook"       // before_node refused it
	ReasonMissing    Reason = "missing"    // it has not made one of its declared outputs

	// What engines report.

	ReasonMemory          Reason = "oom"              // memory ran out
	ReasonNodeFail        Reason = "node_fail"        // the machine failed
	ReasonPreempted       Reason = "preempted"        // another job needed the place
	ReasonEngineCancelled Reason = "engine_cancelled" // an administrator or a user cancelled it there
)

// Result is the result of a run.
type Result string

// The results of a run.
const (
	Succeeded Result = "succeeded"
	ResFailed Result = "failed"
	Cancelled Result = "cancelled"
)

// State is the state of a node that people see (`wf help states`): derived from its status and history.
type State string

// The states of a node.
const (
	StateIdle      State = "idle"
	StateQueued    State = "queued"
	StateRunning   State = "running"
	StateOK        State = "ok"
	StateFailed    State = "failed"
	StateCancelled State = "cancelled"
	StateBlocked   State = "blocked"
	StateSkipped   State = "skipped"  // no path leads to it
	StateWaiting   State = "waiting"  // for a time or a person
	StateRetrying  State = "retrying" // it failed, and waits for its next attempt
	StateKept      State = "kept"     // in a run that resumes another: it had succeeded before
	StateHandled   State = "handled"  // in counts and signs: it failed, and an edge handled the failure
)

// Counts counts nodes by state: the scope of a run, or the workfile in a status. A node of the workfile counts once, a
// node in a sub-flow once in each instance. A sub-flow counts once until its instances are known; from then on they
// count instead, except for a failure of its own.
type Counts struct {
	OK        int `json:"ok"`
	Failed    int `json:"failed"`
	Cancelled int `json:"cancelled,omitempty"`
	Blocked   int `json:"blocked"`
	Idle      int `json:"idle,omitempty"`
	Queued    int `json:"queued,omitempty"`
	Running   int `json:"running,omitempty"`
	Kept      int `json:"kept,omitempty"` // resume: succeeded before and not repeated
	Skipped   int `json:"skipped,omitempty"`
	Waiting   int `json:"waiting,omitempty"`
	Retrying  int `json:"retrying,omitempty"`
	Handled   int `json:"handled,omitempty"`    // failed, and an edge handled it: not a failure of the run
	UpToDate  int `json:"up_to_date,omitempty"` // of OK: those that were not executed, because an earlier success holds
}

// Total returns the number of counted nodes.
func (c Counts) Total() (total int) {
	for _, s := range bySeverity {
		total += c.Of(s)
	}
	return total
}

// Ended returns the number of nodes that have ended, without kept ones.
func (c Counts) Ended() int { return c.OK + c.Failed + c.Handled + c.Cancelled + c.Skipped }

// AddAll adds other counts.
func (c *Counts) AddAll(d Counts) {
	for _, s := range bySeverity {
		*c.field(s) += d.Of(s)
	}
	c.UpToDate += d.UpToDate
}

// Add counts a node in a state.
func (c *Counts) Add(s State) { *c.field(s)++ }

// Of returns the number of nodes in a state.
func (c Counts) Of(s State) int { return *c.field(s) }

// field returns the count of a state; an unknown one counts as idle.
func (c *Counts) field(s State) *int {
	switch s {
	case StateOK:
		return &c.OK
	case StateFailed:
		return &c.Failed
	case StateCancelled:
		return &c.Cancelled
	case StateBlocked:
		return &c.Blocked
	case StateQueued:
		return &c.Queued
	case StateRunning:
		return &c.Running
	case StateKept:
		return &c.Kept
	case StateSkipped:
		return &c.Skipped
	case StateWaiting:
		return &c.Waiting
	case StateRetrying:
		return &c.Retrying
	case StateHandled:
		return &c.Handled
	}
	return &c.Idle
}

// WatchOptions selects what a watcher receives.
type WatchOptions struct {
	Nodes  bool        `query:"nodes,on"` // the snapshot carries nodes and edges
	Events []EventType `query:"type"`     // only events of these types; nil = all
	Caller *Caller     `query:"caller"`   // the execution whose command only waits for the watched run; nil = none
}

// A Frame is one WebSocket message from daemon to client. The first one has a Snapshot, the following ones have events
// in order, the last one has Dropped: the reason why the daemon ends the connection. Events in a frame have no schema
// and no workspace, because the client knows them: that saves two fifths of the bytes.
type Frame struct {
	Snapshot *Snapshot `json:"snapshot,omitempty"`
	Events   []Event   `json:"events,omitempty"`
	Dropped  string    `json:"dropped,omitempty"`
	// After and Through are set for a watcher of certain types: Events are all events of these types with a Seq
	// above After and up to Through, so that the watcher also notices missing events.
	After   uint64 `json:"after,omitempty"`
	Through uint64 `json:"through,omitempty"`
}

// A Snapshot is the state of a workspace at one moment: every event with a larger Seq is later.
type Snapshot struct {
	Seq    uint64 `json:"seq"`
	Status Status `json:"status"`
}
