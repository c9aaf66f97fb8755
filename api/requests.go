package api

import (
	"encoding/json"
	"time"
)

// VersionInfo is the answer to GET /v1/version, which needs no workspace. A client uses it to check that the process
// at the socket is a daemon with the same protocol.
type VersionInfo struct {
	Version  string `json:"version"`  // of the binary
	Protocol string `json:"protocol"` // Version of this package
	PID      int    `json:"pid"`
	Runs     int    `json:"runs"`               // number of active runs
	Requests bool   `json:"requests,omitempty"` // the daemon recognises repeated requests by their keys: HeaderRequest
}

// OpenRequest asks for the workspace of a workfile.
type OpenRequest struct {
	Path string `json:"path"` // absolute
	// Retry makes another attempt to recover the runs of a quarantined workspace: see HeldWorkspace.
	Retry bool `json:"retry,omitempty"`
	// Results is the setting of the client for what runs write into workfiles: one of the Results words, ""
	// for none. An attribute of the workfile overrides it.
	Results string `json:"results,omitempty"`
}

// WorkspaceInfo is the answer to OpenRequest, and one line of `wf server ls`.
type WorkspaceInfo struct {
	ID       string   `json:"id"`
	Workfile string   `json:"workfile"`
	Clients  int      `json:"clients"`           // watchers
	Runs     []string `json:"runs"`              // active
	Running  int      `json:"running"`           // processes
	State    string   `json:"state"`             // "idle" or "running"
	Problem  string   `json:"problem,omitempty"` // why the workfile cannot be read or written at present; the daemon has an older state of it

	LastRun *RunSummary `json:"last_run,omitempty"` // the latest that has ended; nil = none, or unknown
	Results string      `json:"results"`            // what runs write into the workfile: one of the Results words
}

// ServerStatus is `wf server status` and `wf server ls`.
type ServerStatus struct {
	Schema     string          `json:"schema"`
	Version    string          `json:"version"`
	PID        int             `json:"pid"`
	Started    string          `json:"started"` // RFC 3339
	Socket     string          `json:"socket"`
	URL        string          `json:"url"`
	Slots      int             `json:"slots"`               // executions at once, for all runs without a limit of their own
	SlotsUsed  int             `json:"slots_used"`          // by all runs
	SlotsNow   int             `json:"slots_now,omitempty"` // the limit at present: runs that ask for more raise it; -1 = no limit
	Given      []string        `json:"given,omitempty"`     // the flags that it was started with
	Clients    int             `json:"clients"`
	Workspaces []WorkspaceInfo `json:"workspaces"`
	Held       []HeldWorkspace `json:"held,omitempty"`
	Armed      int             `json:"armed,omitempty"` // number of workfiles with armed triggers, for which the daemon stays
}

// HeldWorkfile is RunSummary.Held of a run whose workfile is quarantined, see HeldWorkspace.
const HeldWorkfile = "its workfile is held"

// A HeldWorkspace is quarantined: several daemons in a row have crashed while they recovered its runs, so the
// daemon does not recover them any more. The runs continue in their runners, which store their results.
type HeldWorkspace struct {
	ID       string `json:"id"`
	Workfile string `json:"workfile"`
	Tries    int    `json:"tries"` // daemons that crashed
	Since    string `json:"since"` // RFC 3339: time of the latest attempt
	Why      string `json:"why"`   // for people
}

// ServerStop asks the daemon to end. While runs are active, the daemon refuses without Wait, Cancel or Detach.
type ServerStop struct {
	Wait   bool `json:"wait,omitempty"`   // end when the runs are over
	Cancel bool `json:"cancel,omitempty"` // stop the runs first
	Detach bool `json:"detach,omitempty"` // leave the runs to their runners; the next daemon recovers them
	// GraceMS bounds the stop of each node in milliseconds; nil = the grace time of the run.
	GraceMS *int64 `json:"grace_ms,omitempty"`
}

// RunRequest starts a run (docs/semantics.md, Scope).
type RunRequest struct {
	Nodes   []string `json:"nodes,omitempty"` // selectors; empty = rules 2 and 3 of the page
	Exclude []string `json:"exclude,omitempty"`
	Mode    string   `json:"mode,omitempty"`    // "" = decide, "fresh", "resume"
	Jobs    *int     `json:"jobs,omitempty"`    // at once; nil = the value of the workfile; 0 = no limit
	Wrapper *string  `json:"wrapper,omitempty"` // nil = the workfile's
	Env     []string `json:"env"`               // KEY=VALUE: the whole environment of the client
	// Executor executes the nodes that name none: "local", or an engine. "" = that of the resumed run, if its request named
	// one, otherwise that of the workfile, otherwise this machine.
	Executor string `json:"executor,omitempty"`
	// World are the process attributes of the commands: {"umask":18,"nice":0,"cpus":"0-3,8","limits":{"nofile":{"soft":1024,
	// "hard":-1}}}, where -1 is no limit. Missing ones are those of the daemon.
	World     json.RawMessage `json:"world,omitempty"`
	FailFast  bool            `json:"fail_fast,omitempty"`
	NoCache   bool            `json:"no_cache,omitempty"`   // execute also what is up to date
	TimeoutMS int64           `json:"timeout_ms,omitempty"` // of the whole run, 0 = none
	GraceMS   *int64          `json:"grace_ms,omitempty"`   // TERM to KILL; nil = 10 s
	User      string          `json:"user,omitempty"`       // name of the user, for the history
	// AcceptDrawing allows running commands that are only labels of a drawing (yEd). The workfile stores the
	// permission, so that later runs do not need it.
	AcceptDrawing bool           `json:"accept_drawing,omitempty"`
	Params        map[string]any `json:"params,omitempty"`  // texts, or typed values of a file
	Until         []string       `json:"until,omitempty"`   // selectors: everything before these, without these
	From          []string       `json:"from,omitempty"`    // selectors: these and everything after
	Mocks         []Mock         `json:"mocks,omitempty"`   // the last one for a node counts
	OnBusy        string         `json:"on_busy,omitempty"` // "" = the value of the workfile
	// Key is HeaderRequest, Again HeaderAgain: if this request has already started a run, the answer is that run.
	Key   string `json:"-"`
	Again bool   `json:"-"`
	// Waits, if not nil, receives the reason when the run has to wait for another one, see HeaderWaits. The
	// workspace does not wait for the reader.
	Waits chan<- Error `json:"-"`
	// Trigger is set by the daemon if a trigger starts the run.
	Trigger *RunTrigger `json:"-"`
	// AskRepeat is set by a client that can ask its user. If everything is done and took more than a minute,
	// the run is refused with CodeDone, unless the mode is "fresh".
	AskRepeat bool `json:"ask_repeat,omitempty"`
	// Detached says that the client does not wait for the run. If the run is queued, the daemon keeps it queued.
	Detached bool `json:"detached,omitempty"`
	// Caller is the execution whose command requests the run and waits for its end; nil = there is none, or its
	// command does not wait.
	Caller *Caller `json:"caller,omitempty"`
	// Notify are the lines that say who is told about the run, as in the attribute notify; nil = the workfile's.
	Notify *string `json:"notify,omitempty"`
	// Defaults apply where neither the request nor the workfile has a value.
	Defaults *RunDefaults `json:"defaults,omitempty"`
	// Profile is a set of changes to the workfile for this run; nil = that of the resumed run, or none.
	Profile *Profile `json:"profile,omitempty"`
	// Files are what the daemon has read of the files that the workfile names for the surroundings of its commands, when it took
	// the request. Clients do not set it.
	Files map[string]RunFile `json:"files,omitempty"`
}

// A Caller identifies an execution, from the environment of its command.
type Caller struct {
	Workfile  string `json:"workfile"`
	Run       string `json:"run"`
	Node      string `json:"node"` // id
	Execution int    `json:"execution"`
	// Held are the pool units that the execution has. The daemon sets it.
	Held map[string]int `json:"-"`
}

// RunDefaults are the settings of the user for all runs; nil and "" = not set.
type RunDefaults struct {
	Jobs     *int    `json:"jobs,omitempty"`
	Wrapper  *string `json:"wrapper,omitempty"`
	Executor string  `json:"executor,omitempty"`
	// BeforeRun and AfterRun are commands around each run, BeforeNode and AfterNode around each command of a node, besides those of
	// the workfile; HookTimeoutMS bounds each of them. They do not apply to runs that a command of another run starts.
	BeforeRun     string `json:"before_run,omitempty"`
	AfterRun      string `json:"after_run,omitempty"`
	BeforeNode    string `json:"before_node,omitempty"`
	AfterNode     string `json:"after_node,omitempty"`
	HookTimeoutMS int64  `json:"hook_timeout_ms,omitempty"`
	// Notify are the lines that say who is told about runs, as in the attribute notify.
	Notify *string `json:"notify,omitempty"`
}

// Modes of a run.
const (
	ModeFresh  = "fresh"
	ModeResume = "resume"
)

// RunAccepted is the answer to a RunRequest. If there is nothing to do, because no node of a resume has
// failed, Run is "".
type RunAccepted struct {
	Run     string `json:"run"`
	Queued  string `json:"queued,omitempty"` // its name in the queue; then Run is "", and the other fields are not known yet
	Mode    string `json:"mode"`
	Resumes string `json:"resumes,omitempty"`
	Failed  int    `json:"failed,omitempty"` // resume: how many nodes had failed
	Nodes   int    `json:"nodes"`            // in scope
	Total   int    `json:"total"`            // in the workfile
	// FromFile counts the nodes whose statuses a resume uses although they came with the file.
	FromFile int      `json:"from_file,omitempty"`
	Notes    []string `json:"notes,omitempty"` // warnings for people
}

// StopRequest stops a run, or one node of it.
type StopRequest struct {
	Node    string `json:"node,omitempty"`     // handle or id; "" = the whole run
	GraceMS *int64 `json:"grace_ms,omitempty"` // nil = the run's; 0 = kill at once
	Cause   string `json:"cause,omitempty"`    // "SIGINT", "SIGTERM", "timeout", "" = a person with wf stop
}

// StopResult is the answer to a StopRequest, when all processes are gone.
type StopResult struct {
	Run       string `json:"run"`
	Killed    int    `json:"killed"`    // executions that were ended
	Survivors []int  `json:"survivors"` // processes that could not be killed
	// Problem is set if the history of the run is incomplete because its folder was removed or is not writable. It
	// names what is missing. If Going is set, the run stays active and the daemon tries to write again.
	Problem string `json:"problem,omitempty"`
	Going   bool   `json:"going,omitempty"`
}

// Plan describes what a run would do: `wf plan --json`.
type Plan struct {
	Schema  string `json:"schema"`
	Mode    string `json:"mode"`
	Resumes string `json:"resumes,omitempty"`
	Total   int    `json:"total"` // nodes of the workfile, counted like Nodes
	// Nodes counts what would run, as Counts does: each instance of a node, and no sub-flow whose instances
	// are known. Conditional counts nodes that run only after certain outcomes.
	Nodes       int `json:"nodes"`
	Conditional int `json:"conditional,omitempty"`
	UpToDate    int `json:"up_to_date,omitempty"` // of Nodes: those that are not executed, because an earlier success holds

	Jobs    int        `json:"jobs"`               // at once; 0 = not set
	NoLimit bool       `json:"no_limit,omitempty"` // of executions at once
	Wrapper string     `json:"wrapper"`
	Steps   []PlanStep `json:"steps"` // in an order in which they could run
	Kept    int        `json:"kept,omitempty"`
	Notes   []string   `json:"notes,omitempty"`
	// Beyond are the handles of nodes outside the scope that directly follow a step. They do not run.
	Beyond []string `json:"beyond,omitempty"`
	// Hooks are the commands around the run and its nodes, in the order of their events.
	Hooks []PlanHook `json:"hooks,omitempty"`
}

// PlanStep is one node of a plan.
type PlanStep struct {
	Node    string   `json:"node"`
	Name    string   `json:"name"`
	Command string   `json:"command"`           // the label
	Line    string   `json:"line"`              // after wrapping
	Why     string   `json:"why"`               // Reason and Of as words for people
	After   []string `json:"after,omitempty"`   // handles it waits for
	Ignored []string `json:"ignored,omitempty"` // handles of blocking predecessors outside the scope

	Reason PlanReason `json:"reason"`
	Of     string     `json:"of,omitempty"`       // see PlanReason
	State  State      `json:"state"`              // of the node before the run
	Run    string     `json:"last_run,omitempty"` // that the node took part in
	Mock   *Mock      `json:"mock,omitempty"`     // it is not executed
	// UpToDate counts executions that are not necessary, because an earlier success holds; Files says why, or why not.
	UpToDate int    `json:"up_to_date,omitempty"`
	Files    string `json:"files,omitempty"`
	// SubFlow is how a container repeats its nodes: "foreach: lines:ls". Approve is the question to a person.
	SubFlow string `json:"sub_flow,omitempty"`
	Approve string `json:"approve,omitempty"`
	// Executor executes the command; "" = this machine.
	Executor string `json:"executor,omitempty"`
	// Surroundings say how the command is executed, if not like others: "container=debian:12 (docker)", "cwd=/data".
	Surroundings []string `json:"surroundings,omitempty"`
	// For a node in a sub-flow: Home is the name of the sub-flow, Instances the number of instances in which
	// the node runs, 0 = not known yet, and Paths are its first hundred paths.
	Home      string   `json:"home,omitempty"`
	Instances int      `json:"instances,omitempty"`
	Paths     []string `json:"paths,omitempty"`
}

// PlanReason is the reason why a node would run.
type PlanReason string

// The reasons. Readers treat an unknown one as "selected".
const (
	PlanSelected    PlanReason = "selected"    // named by the part Of of a selector
	PlanUpstream    PlanReason = "upstream"    // before the nodes that Of selects
	PlanDownstream  PlanReason = "downstream"  // after the nodes that Of selects, or after the node Of that a resume repeats
	PlanFailed      PlanReason = "failed"      // a resume repeats it
	PlanCancelled   PlanReason = "cancelled"   // a resume repeats it
	PlanNotReached  PlanReason = "not_reached" // a resume continues with it
	PlanTriggered   PlanReason = "triggered"   // it ran, and runs again because of a non-blocking edge from the node Of
	PlanNeverRan    PlanReason = "never_ran"
	PlanConditional PlanReason = "conditional" // it runs only if the event in Of happens
	PlanInstance    PlanReason = "instance"    // it runs in instances of the sub-flow Of
	PlanAgain       PlanReason = "again"       // it ran before; a fresh run of everything repeats it
)

// Check is `wf check --json`.
type Check struct {
	Schema   string    `json:"schema"`
	OK       bool      `json:"ok"`
	Nodes    int       `json:"nodes"`
	Edges    int       `json:"edges"`
	Problems []Problem `json:"problems"`
}

// Problem is one finding in a workfile.
type Problem struct {
	Severity string   `json:"severity"` // "error": it cannot run; "warning"
	Code     string   `json:"code"`
	Line     int      `json:"line,omitempty"` // from 1; 0 = none
	Message  string   `json:"message"`
	Nodes    []string `json:"nodes,omitempty"`
}

// Why is `wf why --json`: the reason for the state of a node in a run.
type Why struct {
	Schema string     `json:"schema"`
	Run    string     `json:"run,omitempty"`
	Node   NodeStatus `json:"node"`
	Text   []string   `json:"text"` // sentences for people, most important first

	// The reasons in the sentences of Text, as handles. They are about the run.
	BlockedBy   []string `json:"blocked_by,omitempty"`   // failed or cancelled nodes that kept it from running
	WaitsFor    []string `json:"waits_for,omitempty"`    // predecessors that it still needs
	Done        []string `json:"done,omitempty"`         // predecessors that it needs and that are done, while it does not run
	ActivatedBy []string `json:"activated_by,omitempty"` // nodes that caused its latest activation; none for start nodes

	Ways []Way `json:"ways,omitempty"` // its edges, if it has chosen between them

	Decisions []DecisionMade `json:"decisions,omitempty"` // about it in the run, in order
	Inputs    *Inputs        `json:"inputs,omitempty"`    // of its latest execution; nil for a plain command
}

// A Way is an edge of a node that has chosen: where it leads, under which condition, and whether it was taken
// after the node's latest end.
type Way struct {
	To    string `json:"to"`   // handle
	When  string `json:"when"` // as in the attribute; "success" for none
	Taken bool   `json:"taken"`
}

// An Author is the client that edits, and its user, "" if not known. The client reports the user, so it
// must not decide about permissions; it decides only whose edits are undone.
type Author struct {
	Client string
	User   string
	Key    string // HeaderRequest of the request
	Again  bool   // HeaderAgain
}

// EditRequest is a list of edits that happen together or not at all, and are undone together.
type EditRequest struct {
	Edits []Edit `json:"edits"`
}

// Edit is one change of a workfile. Op decides which fields it reads.
type Edit struct {
	Op     string   `json:"op"`              // one of the Op constants
	Nodes  []string `json:"nodes,omitempty"` // handles, ids, prefixes
	Source string   `json:"source,omitempty"`
	Target string   `json:"target,omitempty"`
	Label  string   `json:"label,omitempty"`
	Name   string   `json:"name,omitempty"`
	After  []string `json:"after,omitempty"`
	X      *float64 `json:"x,omitempty"`
	Y      *float64 `json:"y,omitempty"`
	Type   string   `json:"type,omitempty"`
	Key    string   `json:"key,omitempty"`
	Value  string   `json:"value,omitempty"`
	// Set are further attributes, in this order: of the node that is added, of the nodes, the edge or the
	// graph that is changed.
	Set  []Setting `json:"set,omitempty"`
	When string    `json:"when,omitempty"` // condition of a new edge, and of the edges to a new node
	// Edge selects an edge: by its id, by its number (from 1) among those from Source to Target, or all with
	// EveryEdge. "" is an error if there are several.
	Edge string `json:"edge,omitempty"`
	In   string `json:"in,omitempty"` // container of a new or moved node
	// Container makes a new node a container; Label is ignored.
	Container bool `json:"container,omitempty"`
	// Was is the value that the attribute must still have, "" for an absent one. With another value the edit is a
	// conflict. nil is not checked. A text that was made from an earlier one is merged with what others changed since.
	Was *string `json:"was,omitempty"`
	// Run is the run whose definition replaces the present one. Statuses stay.
	Run string `json:"run,omitempty"`
}

// A Setting is an attribute and its value.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// EveryEdge means all edges between two nodes.
const EveryEdge = "all"

// The edits.
const (
	OpAddNode    = "add-node"    // Label, Name, After, When, X, Y, In, Container, Set
	OpRemoveNode = "remove-node" // Nodes
	OpGroup      = "group"       // Nodes, Name, Set: makes a container of nodes that lie in the same one
	OpUngroup    = "ungroup"     // Nodes: removes containers, whose nodes stay
	OpMove       = "move"        // Nodes, In: moves nodes into a container; "" = out of the one in which they lie
	OpAddEdge    = "add-edge"    // Source, Target, Type, When, Set
	OpRemoveEdge = "remove-edge" // Source, Target, Edge
	OpEdgeType   = "type"        // Source, Target, Edge, Type
	OpSetEdge    = "set-edge"    // Source, Target, Edge, Key, Value, Set, Was
	OpUnsetEdge  = "unset-edge"  // Source, Target, Edge, Key, Was
	OpSet        = "set"         // Nodes, Key, Value, Set, Was
	OpUnset      = "unset"       // Nodes, Key, Was
	OpStatus     = "status"      // Nodes, Value
	OpSetGraph   = "set-graph"   // Key, Value, Set, Was
	OpUnsetGraph = "unset-graph" // Key, Was
	OpRestore    = "restore"     // Run
	OpByFiles    = "by-files"    // adds the edges that declared inputs and outputs ask for
	OpText       = "text"        // Value: the text of the workfile, as wf text prints it; Was: the text that it was made from
)

// EditResult answers edits, undo and redo.
type EditResult struct {
	Added []string `json:"added,omitempty"` // ids of new nodes, in the order of the edits
	Text  string   `json:"text,omitempty"`  // description of the edits that were made, undone or redone
	Notes []string `json:"notes,omitempty"`
	// Unsaved is set if the file cannot be written at present; a note says why. The change is not lost.
	Unsaved bool `json:"unsaved,omitempty"`
}

// ResetRequest clears statuses, marks and captured output.
type ResetRequest struct {
	Nodes []string `json:"nodes,omitempty"` // selectors; empty = all
}

// ResetResult is the answer to a ResetRequest.
type ResetResult struct {
	Nodes int `json:"nodes"`
}

// SaveAsRequest copies the workfile with its pending changes.
type SaveAsRequest struct {
	Path   string `json:"path"`             // absolute; refused when it exists
	Format string `json:"format,omitempty"` // "" = as it is, FormatYed = with graphics
}

// FormatYed is the format of a copy with the graphics that yEd needs.
const FormatYed = "yed"

// NewRequest creates a workfile.
type NewRequest struct {
	Path  string   `json:"path"`            // absolute; refused when it exists
	Lines []string `json:"lines,omitempty"` // a node each
	Chain bool     `json:"chain,omitempty"` // each line waits for the one before
	// Nodes and Edges are a whole workflow instead of Lines, Attrs the attributes of its graph.
	Nodes []NewNode         `json:"nodes,omitempty"`
	Edges []NewEdge         `json:"edges,omitempty"`
	Attrs map[string]string `json:"attrs,omitempty"`
	// Results is what runs write into the workfile: one of the Results words. "" is "none" in a git work tree,
	// and no attribute elsewhere.
	Results string `json:"results,omitempty"`
	// Notes become a comment at the top of the file, one line each.
	Notes []string `json:"notes,omitempty"`
}

// LogInfo describes one output before its bytes are read (GET …/logs).
type LogInfo struct {
	Node      string `json:"node"`
	Name      string `json:"name"`
	Run       string `json:"run"`
	Execution int    `json:"execution"`
	Over      bool   `json:"over"`
	OutBytes  int64  `json:"stdout_bytes"`
	ErrBytes  int64  `json:"stderr_bytes"`
	// Merged is set if standard output contains both streams, in the order in which they were written, and
	// standard error is empty.
	Merged bool `json:"merged,omitempty"`
	// Pending is the active run that has not executed the node yet: this output is that of an earlier run.
	Pending string `json:"pending,omitempty"`
	// Engine is the job of the execution at its engine; nil = this machine executes it. Queued is set until it starts there.
	Engine *EngineJob `json:"engine,omitempty"`
	Queued bool       `json:"queued,omitempty"`
	// FromFile is set if no known run of this machine executed the node: this is the end of its output on
	// another machine, from the workfile. Run is empty.
	FromFile bool `json:"from_file,omitempty"`
	// Masked is set if the run has secrets: their values in the output are covered by asterisks.
	Masked bool `json:"masked,omitempty"`
	// Times is when the output was written, if the request asks for it.
	Times *LogTimes `json:"times,omitempty"`
}

// LogLine is a line of `wf logs --json`.
type LogLine struct {
	Schema    string `json:"schema"`
	Run       string `json:"run"`
	Node      string `json:"node"`
	Name      string `json:"name"`
	Execution int    `json:"execution"`
	Stream    string `json:"stream"` // "stdout", "stderr", or "output" for both in one
	// Time is the latest time at which the line can have been written, with --timestamps.
	Time *time.Time `json:"time,omitempty"`
	Text string     `json:"text"` // without the line end; U+FFFD for invalid UTF-8
	// Bytes is the exact line, only if Text is not.
	Bytes []byte `json:"bytes,omitempty"`
	// Partial is set if no line end follows: the next line of the stream continues this one, or the output ends.
	Partial bool `json:"partial,omitempty"`
	// FromFile is as in LogInfo. Then Run is empty and Execution is 0.
	FromFile bool `json:"from_file,omitempty"`
}
