package api

import "time"

// Status is the state of a workspace: `wf status --json` and the body of a snapshot.
type Status struct {
	Schema     string       `json:"schema"`
	Workfile   string       `json:"workfile"` // absolute, symlinks resolved
	Workspace  string       `json:"workspace"`
	ActiveRuns []string     `json:"active_runs"`
	Runs       []RunSummary `json:"runs,omitempty"` // the active runs
	LastRun    *RunSummary  `json:"last_run,omitempty"`
	Queued     []QueuedRun  `json:"queued,omitempty"` // detached runs that wait in the queue
	Counts     Counts       `json:"counts"`
	Wrapper    string       `json:"wrapper,omitempty"`
	// Attrs are the attributes of the graph, as in the file. They are set only if the answer has nodes.
	Attrs   map[string]string `json:"attributes,omitempty"`
	Problem string            `json:"problem,omitempty"` // the workfile cannot be read or written at present
	Results string            `json:"results,omitempty"` // what runs write into the workfile: one of the Results words
	// FromFile counts the nodes whose status came with the file, not from a run on this machine.
	FromFile int `json:"from_file,omitempty"`
	// MovedFrom is the former path of the workfile: a missing file with the same content.
	MovedFrom string       `json:"moved_from,omitempty"`
	Nodes     []NodeStatus `json:"nodes,omitempty"`
	Edges     []EdgeStatus `json:"edges,omitempty"`

	// Stages are groups of similar nodes, as rows of a table, if the request asks for them. If there are more than
	// it asks for, Stages has only those in which nodes run or went wrong, without After, and MoreStages counts the
	// others.
	Stages     []Stage `json:"stages,omitempty"`
	MoreStages int     `json:"more_stages,omitempty"`
}

// Stage is a group of nodes that do the same thing at the same place of a workflow.
type Stage struct {
	Name   string `json:"name"`
	Nodes  int    `json:"nodes"`
	Counts Counts `json:"counts"`
	After  []int  `json:"after,omitempty"` // indexes of the stages directly before it
	// Notable is the only node of the stage, or some that failed, some that run, the longest running first, and one that
	// waits at its executor. They have no commands.
	Notable []NodeStatus `json:"notable,omitempty"`
}

// NodeStatus is the present state of one node.
type NodeStatus struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"` // handle: unique in the workfile
	Command    string         `json:"command"`
	Status     string         `json:"status"` // the value in the file
	State      State          `json:"state"`
	FromFile   bool           `json:"from_file,omitempty"` // the status came with the file, not from a run on this machine
	Reason     Reason         `json:"reason,omitempty"`
	ExitCode   *int           `json:"exit_code,omitempty"`
	Signal     string         `json:"signal,omitempty"`
	Message    string         `json:"message,omitempty"`
	Executions int            `json:"executions"`    // in Run
	Run        string         `json:"run,omitempty"` // the last run that the node took part in
	PID        int            `json:"pid,omitempty"` // while it is running
	Started    *time.Time     `json:"started,omitempty"`
	DurationMS *int64         `json:"duration_ms,omitempty"` // of the latest execution, after its end
	Group      string         `json:"group,omitempty"`
	Container  bool           `json:"container,omitempty"`
	Parent     string         `json:"parent,omitempty"`
	Wait       *Wait          `json:"wait,omitempty"`
	Attempt    int            `json:"attempt,omitempty"`    // repetitions of the latest activation
	Retries    int            `json:"retries,omitempty"`    // how often the workfile says to repeat it after a failure
	Approve    bool           `json:"approve,omitempty"`    // a person decides whether it runs
	Handled    bool           `json:"handled,omitempty"`    // it failed, and an edge handled the failure
	Mocked     bool           `json:"mocked,omitempty"`     // it was not executed: a mock gave its outcome, or skipped it
	UpToDate   bool           `json:"up_to_date,omitempty"` // it was not executed, because an earlier success holds, as Message says
	Outputs    map[string]any `json:"outputs,omitempty"`    // of the latest execution; only in answers to a selection
	Instances  *Instances     `json:"instances,omitempty"`  // of a sub-flow
	SubFlow    string         `json:"sub_flow,omitempty"`   // "foreach", "times", "while", "until"
	Item       string         `json:"item,omitempty"`       // of an instance's node
	Engine     *EngineJob     `json:"engine,omitempty"`     // of the latest execution; nil = this machine executes it
	PeakBytes  int64          `json:"peak_bytes,omitempty"`
	// Surroundings say how Run executes its command, if not like others: "container=debian:12 (docker)", "cwd=/data".
	Surroundings []string `json:"surroundings,omitempty"`
	// Attrs are the attributes of the node in the file that users edit: name, group, and those of control flow. They
	// are only in answers to a selection.
	Attrs map[string]string `json:"attributes,omitempty"`
	X     *float64          `json:"x,omitempty"`
	Y     *float64          `json:"y,omitempty"`
}

// Counted returns the state under which the node is counted and shown: StateHandled for a failure that an edge
// has handled, otherwise State.
func (n *NodeStatus) Counted() State {
	if n.State == StateFailed && n.Handled {
		return StateHandled
	}
	return n.State
}

// EdgeStatus is the present state of one edge.
type EdgeStatus struct {
	Key    int    `json:"key"` // identity within the workspace while it is open
	ID     string `json:"id"`  // from the file; may be empty or repeat
	Source string `json:"source"`
	Target string `json:"target"`
	Type   string `json:"edge_type"`
	Status string `json:"status"`
	When   string `json:"when,omitempty"`  // its condition, as in the file
	Taken  bool   `json:"taken,omitempty"` // it has fired in the last run
	Dead   bool   `json:"dead,omitempty"`  // its source has taken other edges
}

// NodeList is `wf ls --json`.
type NodeList struct {
	Schema  string       `json:"schema"`
	Problem string       `json:"problem,omitempty"` // why the workfile cannot be read at present; Nodes is its last readable state
	Nodes   []NodeStatus `json:"nodes"`
}

// ClientTrigger is the client of runs that a trigger has started.
const ClientTrigger = "trigger"

// RunSummary is one run in lists.
type RunSummary struct {
	Run        string     `json:"run"`
	Result     Result     `json:"result,omitempty"` // "" while it is active
	Mode       string     `json:"mode"`             // "fresh" or "resume"
	Resumes    string     `json:"resumes,omitempty"`
	Selection  []string   `json:"selection,omitempty"` // --nodes, as given
	Nodes      int        `json:"nodes"`               // in scope
	Counts     Counts     `json:"counts"`
	Client     string     `json:"client,omitempty"` // or ClientTrigger
	User       string     `json:"user,omitempty"`
	Started    time.Time  `json:"started"`
	Ended      *time.Time `json:"ended,omitempty"`
	DurationMS *int64     `json:"duration_ms,omitempty"`
	Stopping   bool       `json:"stopping,omitempty"`
	Survivors  []int      `json:"survivors,omitempty"` // pids of processes that could not be killed at its end
	Held       string     `json:"held,omitempty"`      // why no command starts at present; the run continues by itself afterwards
	Paused     Paused     `json:"paused,omitempty"`    // why no command runs at present; "" = one does, or the run has ended
	Short      *Shortage  `json:"short,omitempty"`     // why fewer commands run at once than could; nil = all that can run do
	Problem    string     `json:"problem,omitempty"`   // damage of its records; RunList does not read all of them
	Exclude    []string   `json:"exclude,omitempty"`   // --exclude, as given
	Until      []string   `json:"until,omitempty"`     // --until, as given
	From       []string   `json:"from,omitempty"`      // --from, as given, or id:NODE of the node with the trigger
	// Cause is what stopped the run: "SIGINT", "SIGTERM", "timeout", or a sentence. "" means that the run was not
	// stopped, or that a user stopped it with wf stop.
	Cause    string `json:"cause,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"` // exit code of wf run; nil while the run is active
}

// Paused is what a run waits for while none of its commands runs.
type Paused string

// The values of Paused.
const (
	PausedApproval Paused = "approval" // only a person
	PausedTime     Paused = "time"     // a point in time, perhaps also a person
	PausedHeld     Paused = "held"     // the end of the problem in RunSummary.Held
)

// A QueuedRun waits in the queue until other runs have ended.
type QueuedRun struct {
	Queued string    `json:"queued"` // its name: wf stop removes it from the queue
	Since  time.Time `json:"since"`
	User   string    `json:"user,omitempty"`
}

// A Shortage explains why fewer commands of a run execute at once than could.
type Shortage struct {
	Running int    `json:"running"` // commands that have a slot
	Waiting int    `json:"waiting"` // for a slot; their dependencies are done
	Why     string `json:"why"`     // for people
	Fix     string `json:"fix"`     // for people: how to get more
}

// RunList is `wf runs --json`, newest first.
type RunList struct {
	Schema string       `json:"schema"`
	Runs   []RunSummary `json:"runs"`
}

// RunDetail is `wf runs show --json`.
type RunDetail struct {
	Schema string `json:"schema"`
	RunSummary
	Workfile string       `json:"workfile"`
	Folder   string       `json:"folder"` // the folder of its records and outputs
	Wrapper  string       `json:"wrapper"`
	Profile  string       `json:"profile,omitempty"` // its name
	Cwd      string       `json:"cwd"`
	Jobs     int          `json:"jobs"`               // at once; 0 = not set
	NoLimit  bool         `json:"no_limit,omitempty"` // of executions at once
	Version  string       `json:"version"`
	Execs    []Execution  `json:"executions"` // in order of start
	Left     []NodeStatus `json:"not_reached,omitempty"`
	Kept     []string     `json:"kept,omitempty"` // ids of nodes that had succeeded before, which a resume did not repeat

	Host      string `json:"host,omitempty"`
	FailFast  bool   `json:"fail_fast,omitempty"`
	NoCache   bool   `json:"no_cache,omitempty"` // also what was up to date was executed
	TimeoutMS int64  `json:"timeout_ms,omitempty"`
	GraceMS   int64  `json:"grace_ms"`
	// Masked is set if the run has secrets: their values are hidden.
	Masked bool `json:"masked,omitempty"`

	Params map[string]any `json:"params,omitempty"`
	// Trigger started the run, or the run that it resumes; nil = a person or a command did.
	Trigger *RunTrigger `json:"trigger,omitempty"`
	Mocks   []Mock      `json:"mocks,omitempty"` // nodes that were not executed, by handle or path
	// Decisions are the decisions of people, and the defaults when the time to answer was over, in order.
	Decisions []NodeDecision `json:"decisions,omitempty"`
	Notes     []string       `json:"notes,omitempty"` // remarks for people that are not failures

	// Analysis is set if the request asks for it and the journal is complete.
	Analysis *Analysis `json:"analysis,omitempty"`
}

// Analysis describes how a run spent its time, and what has changed in the workfile since.
type Analysis struct {
	WallMS   int64   `json:"wall_ms"`  // from the request to the end, or to now
	WorkMS   int64   `json:"work_ms"`  // durations of all executions together
	CPUMS    int64   `json:"cpu_ms"`   // user and system time of the executions that have ended
	Parallel float64 `json:"parallel"` // WorkMS / WallMS, to three decimals; 0 when WallMS is 0
	Most     int     `json:"most"`     // executions at the same time
	// Slowest are at most ten executions, longest first.
	Slowest []PathStep `json:"slowest"`
	// Critical is the critical path: the chain of executions that determined the end of the run. Each one is the
	// last predecessor that the next one waited for. Waits and durations add up to WallMS, except for the time
	// that the daemon itself needed.
	Critical   []PathStep `json:"critical_path"`
	Stages     []Stage    `json:"stages"` // as in a status, with the states of this run
	MoreStages int        `json:"more_stages,omitempty"`
	Changes    *Changes   `json:"changes,omitempty"` // nil = the workfile has not changed
}

// PathStep is one execution in an Analysis.
type PathStep struct {
	Node       string     `json:"node"`
	Name       string     `json:"name"`
	Execution  int        `json:"execution"`
	Started    *time.Time `json:"started,omitempty"`
	WaitMS     int64      `json:"wait_ms"` // from the activation of the node, or the request of the run, to its start
	DurationMS int64      `json:"duration_ms"`
}

// Changes are the differences between a workfile at the start of a run and now. Nodes have their present handles,
// removed nodes their old ones.
type Changes struct {
	Commands     []string     `json:"commands,omitempty"` // nodes whose command has changed
	Added        []string     `json:"nodes_added,omitempty"`
	Removed      []string     `json:"nodes_removed,omitempty"`
	EdgesAdded   []EdgeChange `json:"edges_added,omitempty"`
	EdgesRemoved []EdgeChange `json:"edges_removed,omitempty"`
	EdgesRetyped []EdgeChange `json:"edges_retyped,omitempty"` // with their present type
	Attributes   []string     `json:"attributes,omitempty"`    // of the graph: wrapper, cwd …
}

// EdgeChange describes an added edge, a removed edge, or an edge with a new type.
type EdgeChange struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Type   string `json:"edge_type"`
}

// Execution is one process of a run.
type Execution struct {
	Node       string     `json:"node"`
	Name       string     `json:"name"`
	Execution  int        `json:"execution"`
	Command    string     `json:"command"` // after wrapping
	PID        int        `json:"pid,omitempty"`
	Started    *time.Time `json:"started,omitempty"`
	DurationMS *int64     `json:"duration_ms,omitempty"`
	OK         bool       `json:"ok"`
	Over       bool       `json:"over"`
	Reason     Reason     `json:"reason,omitempty"`
	ExitCode   *int       `json:"exit_code,omitempty"`
	Signal     string     `json:"signal,omitempty"`
	Message    string     `json:"message,omitempty"`
	OutBytes   int64      `json:"stdout_bytes"`
	ErrBytes   int64      `json:"stderr_bytes"`
	Merged     bool       `json:"merged,omitempty"` // see LogInfo
	Ended      *time.Time `json:"ended,omitempty"`
	WaitMS     *int64     `json:"wait_ms,omitempty"` // from activation to start, with an Analysis
	Handled    bool       `json:"handled,omitempty"` // it failed, and an edge handled the failure
	UserMS     int64      `json:"user_ms,omitempty"` // CPU time of the process and its waited-for children
	SysMS      int64      `json:"sys_ms,omitempty"`
	Inputs     *Inputs    `json:"inputs,omitempty"` // nil for a plain command
	Engine     *EngineJob `json:"engine,omitempty"` // nil = this machine executed it
	PeakBytes  int64      `json:"peak_bytes,omitempty"`
	// Surroundings say how the command was executed, if not like others: "container=debian:12 (docker)", "cwd=/data".
	Surroundings []string `json:"surroundings,omitempty"`
	// LeftPIDs are the processes that it left behind. They were ended with the run.
	LeftPIDs []int `json:"left_pids,omitempty"`
}
