package api

import (
	"encoding/json"
	"time"
)

// VersionInfo answers GET /v1/version. It needs no workspace and is how a client proves that
// the process behind the socket is a daemon it can talk to.
type VersionInfo struct {
	Version  string `json:"version"`  // of the binary
	Protocol string `json:"protocol"` // Version of this package
	PID      int    `json:"pid"`
	Runs     int    `json:"runs"`               // going at present
	Requests bool   `json:"requests,omitempty"` // the daemon knows requests again by their keys: HeaderRequest
}

// OpenRequest asks for the workspace of a workfile.
type OpenRequest struct {
	Path string `json:"path"` // absolute
	// Retry opens a held workspace once more: see HeldWorkspace.
	Retry bool `json:"retry,omitempty"`
	// Results is what the client's configuration says about what runs write into workfiles: one of the
	// Results words, "" for nothing. The workfile wins over it.
	Results string `json:"results,omitempty"`
}

// WorkspaceInfo answers it, and is one line of `wf server ls`.
type WorkspaceInfo struct {
	ID       string   `json:"id"`
	Workfile string   `json:"workfile"`
	Clients  int      `json:"clients"`           // watchers
	Runs     []string `json:"runs"`              // active
	Running  int      `json:"running"`           // processes
	State    string   `json:"state"`             // "idle" or "running"
	Problem  string   `json:"problem,omitempty"` // the workfile cannot be read or written at present: what is known of it is older

	LastRun *RunSummary `json:"last_run,omitempty"` // of those that are over; nil: none, or not known
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
	Slots      int             `json:"slots"`               // executions at once of all runs that do not say how many
	SlotsUsed  int             `json:"slots_used"`          // by all runs
	SlotsNow   int             `json:"slots_now,omitempty"` // of all runs together: those that ask for more raise it; -1 = no limit
	Given      []string        `json:"given,omitempty"`     // the flags that it was started with
	Clients    int             `json:"clients"`
	Workspaces []WorkspaceInfo `json:"workspaces"`
	Held       []HeldWorkspace `json:"held,omitempty"`
}

// HeldWorkfile is why a run is held that is not taken up: its workfile is held, see HeldWorkspace.
const HeldWorkfile = "its workfile is held"

// A HeldWorkspace is one whose runs nobody takes up by himself any more: several daemons have died
// of it, one after the other. The runs go on in their runners, which keep their results.
type HeldWorkspace struct {
	ID       string `json:"id"`
	Workfile string `json:"workfile"`
	Tries    int    `json:"tries"` // daemons that died
	Since    string `json:"since"` // RFC 3339: when the latest tried
	Why      string `json:"why"`   // for people
}

// ServerStop asks the daemon to end. With runs going and neither Wait, Cancel nor Detach it refuses.
type ServerStop struct {
	Wait   bool `json:"wait,omitempty"`   // end when the runs are over
	Cancel bool `json:"cancel,omitempty"` // stop the runs first
	Detach bool `json:"detach,omitempty"` // let go of the runs: they go on, and the next daemon finds them
	// GraceMS bounds the stop of each node in milliseconds; nil = what the run was started with.
	GraceMS *int64 `json:"grace_ms,omitempty"`
}

// RunRequest starts a run (docs/semantics.md, Scope).
type RunRequest struct {
	Nodes   []string `json:"nodes,omitempty"` // selectors; empty = rules 2 and 3
	Exclude []string `json:"exclude,omitempty"`
	Mode    string   `json:"mode,omitempty"`    // "" = decide, "fresh", "resume"
	Jobs    *int     `json:"jobs,omitempty"`    // at once; nil = what the workfile says; 0 = no limit
	Wrapper *string  `json:"wrapper,omitempty"` // nil = the workfile's
	Env     []string `json:"env"`               // KEY=VALUE: the whole environment of the client
	// World is what the commands inherit besides: {"umask":18,"nice":0,"cpus":"0-3,8","limits":{"nofile":{"soft":1024,
	// "hard":-1}}}, where -1 is no limit. What is missing is as the daemon has it.
	World     json.RawMessage `json:"world,omitempty"`
	FailFast  bool            `json:"fail_fast,omitempty"`
	TimeoutMS int64           `json:"timeout_ms,omitempty"` // of the whole run, 0 = none
	GraceMS   *int64          `json:"grace_ms,omitempty"`   // TERM to KILL; nil = 10 s
	User      string          `json:"user,omitempty"`       // who asked, for the history
	// AcceptDrawing is the one-time yes to run commands that are only texts of a drawing
	// (labels of yEd). It is remembered in the workfile.
	AcceptDrawing bool           `json:"accept_drawing,omitempty"`
	Params        map[string]any `json:"params,omitempty"`  // texts, or typed values of a file
	Until         []string       `json:"until,omitempty"`   // selectors: everything before these, not they
	From          []string       `json:"from,omitempty"`    // selectors: these and everything after
	Mocks         []Mock         `json:"mocks,omitempty"`   // of several for a node the last one counts
	OnBusy        string         `json:"on_busy,omitempty"` // "" = what the workfile says
	// Key is HeaderRequest, Again HeaderAgain: a run that this request has begun already is begun once.
	Key   string `json:"-"`
	Again bool   `json:"-"`
	// Waits, if not nil, receives the reason when the run has to wait for another one, see HeaderWaits. The
	// workspace does not wait for the reader.
	Waits chan<- Error `json:"-"`
	// AskRepeat is of a client that can ask somebody: a run of everything that is done, and took more than a
	// minute, is refused with CodeDone. With the mode "fresh" it is not.
	AskRepeat bool `json:"ask_repeat,omitempty"`
	// Detached says that the client does not wait for the run. If the run is queued, the daemon keeps it queued.
	Detached bool `json:"detached,omitempty"`
	// Caller is the execution whose command asks for the run and stays with it: nil = none, or it has
	// detached from it.
	Caller *Caller `json:"caller,omitempty"`
	// Defaults hold where neither the request nor the workfile says anything.
	Defaults *RunDefaults `json:"defaults,omitempty"`
}

// A Caller is an execution as its command knows it, from its environment.
type Caller struct {
	Workfile  string `json:"workfile"`
	Run       string `json:"run"`
	Node      string `json:"node"` // id
	Execution int    `json:"execution"`
	// Held are the units of pools that it holds; the daemon knows.
	Held map[string]int `json:"-"`
}

// RunDefaults are what the configuration of the client's user says about any run. nil = nothing.
type RunDefaults struct {
	Jobs    *int    `json:"jobs,omitempty"`
	Wrapper *string `json:"wrapper,omitempty"`
}

// Modes of a run.
const (
	ModeFresh  = "fresh"
	ModeResume = "resume"
)

// RunAccepted answers a RunRequest. Nothing tells that there was nothing to do: with mode
// "resume" and no failed node Run is "".
type RunAccepted struct {
	Run     string `json:"run"`
	Queued  string `json:"queued,omitempty"` // its name in the line; then Run is "", and the rest unknown
	Mode    string `json:"mode"`
	Resumes string `json:"resumes,omitempty"`
	Failed  int    `json:"failed,omitempty"` // resume: how many nodes had failed
	Nodes   int    `json:"nodes"`            // in scope
	Total   int    `json:"total"`            // in the workfile
	// FromFile, of a resume, counts the nodes whose status it builds on although it came with the file.
	FromFile int      `json:"from_file,omitempty"`
	Notes    []string `json:"notes,omitempty"` // warnings for people
}

// StopRequest stops a run, or one node of it.
type StopRequest struct {
	Node    string `json:"node,omitempty"`     // handle or id; "" = the whole run
	GraceMS *int64 `json:"grace_ms,omitempty"` // nil = the run's; 0 = kill at once
	Cause   string `json:"cause,omitempty"`    // "SIGINT", "SIGTERM", "timeout", "" = a person with wf stop
}

// StopResult answers when everything is gone.
type StopResult struct {
	Run       string `json:"run"`
	Killed    int    `json:"killed"`    // executions that were ended
	Survivors []int  `json:"survivors"` // processes that could not be killed
	// Problem says what of the run is not in its history: its folder was removed, or cannot be written to.
	// Then Going says that the daemon tries again until it can; until then the run counts as going.
	Problem string `json:"problem,omitempty"`
	Going   bool   `json:"going,omitempty"`
}

// Plan is what a run would do: `wf plan --json`.
type Plan struct {
	Schema  string `json:"schema"`
	Mode    string `json:"mode"`
	Resumes string `json:"resumes,omitempty"`
	Total   int    `json:"total"` // nodes of the workfile, counted like Nodes
	// Nodes counts what would run, as Counts does: each instance of a node, and no sub-flow whose instances
	// are known. Conditional counts what runs only if outcomes are so.
	Nodes       int `json:"nodes"`
	Conditional int `json:"conditional,omitempty"`

	Jobs    int        `json:"jobs"`               // at once; 0 = nobody has said how many
	NoLimit bool       `json:"no_limit,omitempty"` // of executions at once
	Wrapper string     `json:"wrapper"`
	Steps   []PlanStep `json:"steps"` // in an order in which they could run
	Kept    int        `json:"kept,omitempty"`
	Notes   []string   `json:"notes,omitempty"`
	// Beyond are the handles of nodes outside the scope that come right after one of the steps: they
	// do not run.
	Beyond []string `json:"beyond,omitempty"`
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
	// SubFlow is how a container repeats its nodes: "foreach: lines:ls"; Approve what a person is asked.
	SubFlow string `json:"sub_flow,omitempty"`
	Approve string `json:"approve,omitempty"`
	// A node in a sub-flow: Home is that, as people call it; Instances is in how many instances it runs, 0 =
	// nobody knows yet; Paths are those of it, the first hundred.
	Home      string   `json:"home,omitempty"`
	Instances int      `json:"instances,omitempty"`
	Paths     []string `json:"paths,omitempty"`
}

// PlanReason says why a node would run.
type PlanReason string

// The reasons. A reader takes one it does not know for "selected".
const (
	PlanSelected    PlanReason = "selected"    // named by the part Of of a selector
	PlanUpstream    PlanReason = "upstream"    // before what Of selects
	PlanDownstream  PlanReason = "downstream"  // after what Of selects, or after the node Of that a resume repeats
	PlanFailed      PlanReason = "failed"      // a resume repeats it
	PlanCancelled   PlanReason = "cancelled"   // a resume repeats it
	PlanNotReached  PlanReason = "not_reached" // a resume goes on with it
	PlanTriggered   PlanReason = "triggered"   // it ran, and runs again because of a non-blocking edge from the node Of
	PlanNeverRan    PlanReason = "never_ran"
	PlanConditional PlanReason = "conditional" // it runs only if what Of says happens
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

	// The reasons behind the sentences, as handles. They are about the run.
	BlockedBy   []string `json:"blocked_by,omitempty"`   // failed or cancelled nodes that kept it from running
	WaitsFor    []string `json:"waits_for,omitempty"`    // what it needs and has not got
	Done        []string `json:"done,omitempty"`         // what it needs and has got, while it does not run
	ActivatedBy []string `json:"activated_by,omitempty"` // what led to its latest activation; none for start nodes

	Ways []Way `json:"ways,omitempty"` // its edges, if it chooses between them and has

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

// An Author is who edits: a client, and the person who uses it, "" where nobody knows. People are told
// apart by what their clients say, so that nothing may be allowed or refused for it but undoing.
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
	// Edge says which edge is meant: its id, without Source and Target or where several connect the two, or of
	// those its number from 1, or EveryEdge. "" is an error where there are several.
	Edge string `json:"edge,omitempty"`
	In   string `json:"in,omitempty"` // container that a new node lies in
	// Container makes a new node one that holds others; Label is not read.
	Container bool `json:"container,omitempty"`
	// Was, of an edit that reads it, is what the attribute must still be, "" for an absent one: else somebody changed it
	// meanwhile, and the edit is a conflict. nil asks for nothing.
	Was *string `json:"was,omitempty"`
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
)

// EditResult answers edits, undo and redo.
type EditResult struct {
	Added []string `json:"added,omitempty"` // ids of new nodes, in the order of the edits
	Text  string   `json:"text,omitempty"`  // what was done, undone, redone
	Notes []string `json:"notes,omitempty"`
	// Unsaved: the file cannot be written at present; a note says why. The change is kept.
	Unsaved bool `json:"unsaved,omitempty"`
}

// ResetRequest clears statuses, marks and captured output.
type ResetRequest struct {
	Nodes []string `json:"nodes,omitempty"` // selectors; empty = all
}

// ResetResult answers it.
type ResetResult struct {
	Nodes int `json:"nodes"`
}

// SaveAsRequest copies the workfile with its pending changes.
type SaveAsRequest struct {
	Path   string `json:"path"`             // absolute; refused when it exists
	Format string `json:"format,omitempty"` // "" = as it is, FormatYed = with graphics
}

// FormatYed is a copy of a workfile that yEd shows.
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
	// Results is what runs are to write into the workfile: one of the Results words. "" is "none" in a git
	// work tree, elsewhere nothing is said.
	Results string `json:"results,omitempty"`
	// Notes become a comment at the top of the file, one line each.
	Notes []string `json:"notes,omitempty"`
}

// PruneRequest removes old runs: those that one of the limits is against. Without any limit
// those of the daemon hold (unless it was told otherwise the newest 100, 90 days).
type PruneRequest struct {
	Keep    int   `json:"keep,omitempty"`     // newest runs to keep, 0 = no such limit
	None    bool  `json:"none,omitempty"`     // all that are over go
	Bytes   int64 `json:"bytes,omitempty"`    // of the newest as many as take no more than that, and the latest; 0 = no such limit
	OlderMS int64 `json:"older_ms,omitempty"` // runs that ended longer ago go, 0 = no such limit
	DryRun  bool  `json:"dry_run,omitempty"`
}

// PruneResult answers it, and is `wf runs prune --json` and `wf runs rm --json`.
type PruneResult struct {
	Schema  string   `json:"schema,omitempty"`
	DryRun  bool     `json:"dry_run,omitempty"`
	Removed []string `json:"removed"`
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
	// Merged says that standard output is both streams, in the order in which they were written, and
	// standard error empty.
	Merged bool `json:"merged,omitempty"`
	// Pending is the run that is going and still to execute the node: this output is of an earlier one.
	Pending string `json:"pending,omitempty"`
	// FromFile says that no run of this machine is known that executed the node: this is what stands in the
	// workfile, the end of what it said elsewhere. Run is empty.
	FromFile bool `json:"from_file,omitempty"`
	// Times say when it was written, if that was asked for.
	Times *LogTimes `json:"times,omitempty"`
}

// LogTimes bounds when an output was written: what lies between two marks was written between their times.
type LogTimes struct {
	// Known says that the run has noted marks. Of an earlier one only its start and end are known.
	Known   bool      `json:"known"`
	Started time.Time `json:"started"`
	Until   time.Time `json:"until"` // when all that there is was there: the end, or now
	// Marks are a time in milliseconds since 1970, and how much of standard output and of standard error
	// there was, in bytes. The first executions of a second, and outputs that do not grow, have none.
	Marks [][3]int64 `json:"marks,omitempty"`
}

// LogLine is a line of `wf logs --json`.
type LogLine struct {
	Schema    string `json:"schema"`
	Run       string `json:"run"`
	Node      string `json:"node"`
	Name      string `json:"name"`
	Execution int    `json:"execution"`
	Stream    string `json:"stream"` // "stdout", "stderr", or "output" for both in one
	// Time is when the line was there at the latest, with --timestamps.
	Time *time.Time `json:"time,omitempty"`
	Text string     `json:"text"` // without the line end; U+FFFD for what is not UTF-8
	// Bytes are the line as it is, only where Text cannot be that.
	Bytes []byte `json:"bytes,omitempty"`
	// Partial: no line end follows. The next line of the stream goes on, or the output ends.
	Partial bool `json:"partial,omitempty"`
	// FromFile: see LogInfo. Run is empty and Execution 0 then.
	FromFile bool `json:"from_file,omitempty"`
}
