package api

import "time"

// Status of a workspace: `wf status --json` and the body of a snapshot.
type Status struct {
	Schema     string       `json:"schema"`
	Workfile   string       `json:"workfile"` // absolute, symlinks resolved
	Workspace  string       `json:"workspace"`
	ActiveRuns []string     `json:"active_runs"`
	Runs       []RunSummary `json:"runs,omitempty"` // the active ones, whole
	LastRun    *RunSummary  `json:"last_run,omitempty"`
	Queued     []QueuedRun  `json:"queued,omitempty"` // detached runs that wait in the queue
	Counts     Counts       `json:"counts"`
	Wrapper    string       `json:"wrapper,omitempty"`
	// Attrs are the attributes of the graph as they stand in the file; only an answer with nodes has them.
	Attrs   map[string]string `json:"attributes,omitempty"`
	Problem string            `json:"problem,omitempty"` // the workfile cannot be read or written at present
	Results string            `json:"results,omitempty"` // what runs write into the workfile: one of the Results words
	// FromFile counts the nodes whose status came with the file: no run of this machine led to it.
	FromFile int `json:"from_file,omitempty"`
	// MovedFrom is a workfile that is gone, whose content this one had when it was opened.
	MovedFrom string       `json:"moved_from,omitempty"`
	Nodes     []NodeStatus `json:"nodes,omitempty"`
	Edges     []EdgeStatus `json:"edges,omitempty"`

	// Stages are the nodes folded into rows for people, where they were asked for. With more rows than
	// were asked for, they are only those in which something runs or went wrong, without After, and
	// MoreStages counts the others.
	Stages     []Stage `json:"stages,omitempty"`
	MoreStages int     `json:"more_stages,omitempty"`
}

// Stage is nodes that do the same thing at the same place of a workflow.
type Stage struct {
	Name   string `json:"name"`
	Nodes  int    `json:"nodes"`
	Counts Counts `json:"counts"`
	After  []int  `json:"after,omitempty"` // indexes of the stages right before it
	// Notable is the only node, or some that failed and some that run, those that run longest first.
	// Commands are left out.
	Notable []NodeStatus `json:"notable,omitempty"`
}

// NodeStatus is one node as it is now.
type NodeStatus struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"` // handle: unique in the workfile
	Command    string         `json:"command"`
	Status     string         `json:"status"` // the word in the file
	State      State          `json:"state"`
	FromFile   bool           `json:"from_file,omitempty"` // the status came with the file: no run of this machine led to it
	Reason     Reason         `json:"reason,omitempty"`
	ExitCode   *int           `json:"exit_code,omitempty"`
	Signal     string         `json:"signal,omitempty"`
	Message    string         `json:"message,omitempty"`
	Executions int            `json:"executions"`    // in the last run it took part in
	Run        string         `json:"run,omitempty"` // that run
	PID        int            `json:"pid,omitempty"` // while it is running
	Started    *time.Time     `json:"started,omitempty"`
	DurationMS *int64         `json:"duration_ms,omitempty"` // of the latest execution, when it is over
	Group      string         `json:"group,omitempty"`
	Container  bool           `json:"container,omitempty"`
	Parent     string         `json:"parent,omitempty"`
	Wait       *Wait          `json:"wait,omitempty"`
	Attempt    int            `json:"attempt,omitempty"`   // repetitions of the latest activation
	Handled    bool           `json:"handled,omitempty"`   // it failed, and an edge has fired for that
	Mocked     bool           `json:"mocked,omitempty"`    // it was not executed: its end was given, or it was passed over
	Outputs    map[string]any `json:"outputs,omitempty"`   // of the latest execution; in answers to a selection
	Instances  *Instances     `json:"instances,omitempty"` // of a sub-flow
	SubFlow    string         `json:"sub_flow,omitempty"`  // "foreach", "times", "while", "until"
	Item       string         `json:"item,omitempty"`      // of an instance's node
	// Attrs are the attributes that the node itself has in the file, of those that are edited by hand:
	// name, group, and those of control flow. Only an answer to a selection has them.
	Attrs map[string]string `json:"attributes,omitempty"`
	X     *float64          `json:"x,omitempty"`
	Y     *float64          `json:"y,omitempty"`
}

// Counted returns the state under which the node is counted and shown: StateHandled for a failure that an edge
// has handled, else State.
func (n *NodeStatus) Counted() State {
	if n.State == StateFailed && n.Handled {
		return StateHandled
	}
	return n.State
}

// EdgeStatus is one edge as it is now.
type EdgeStatus struct {
	Key    int    `json:"key"` // identity within the workspace while it is open
	ID     string `json:"id"`  // of the file; may be empty or repeat
	Source string `json:"source"`
	Target string `json:"target"`
	Type   string `json:"edge_type"`
	Status string `json:"status"`
	When   string `json:"when,omitempty"`  // its condition, as in the file
	Taken  bool   `json:"taken,omitempty"` // it has fired in the last run
	Dead   bool   `json:"dead,omitempty"`  // its source has decided that this is not the way
}

// NodeList is `wf ls --json`.
type NodeList struct {
	Schema  string       `json:"schema"`
	Problem string       `json:"problem,omitempty"` // the workfile cannot be read at present: this is how it was
	Nodes   []NodeStatus `json:"nodes"`
}

// RunSummary is one run in lists.
type RunSummary struct {
	Run        string     `json:"run"`
	Result     Result     `json:"result,omitempty"` // "" while it is going
	Mode       string     `json:"mode"`             // "fresh" or "resume"
	Resumes    string     `json:"resumes,omitempty"`
	Selection  []string   `json:"selection,omitempty"` // --nodes, as given
	Nodes      int        `json:"nodes"`               // in scope
	Counts     Counts     `json:"counts"`
	Client     string     `json:"client,omitempty"`
	User       string     `json:"user,omitempty"`
	Started    time.Time  `json:"started"`
	Ended      *time.Time `json:"ended,omitempty"`
	DurationMS *int64     `json:"duration_ms,omitempty"`
	Stopping   bool       `json:"stopping,omitempty"`
	Survivors  []int      `json:"survivors,omitempty"` // pids of what could not be killed at its end
	Held       string     `json:"held,omitempty"`      // why nothing starts at present; the run goes on by itself when that is over
	Paused     Paused     `json:"paused,omitempty"`    // why nothing of it goes at present; "" = something does, or it is over
	Short      *Shortage  `json:"short,omitempty"`     // why fewer commands go at once than could; nil: all that can do
	Problem    string     `json:"problem,omitempty"`   // what of its records is damaged; RunList does not look into all of them
	Exclude    []string   `json:"exclude,omitempty"`   // --exclude, as given
	// Cause says who stopped the run: "SIGINT", "SIGTERM", "timeout", or a sentence; "" = no one,
	// or a person with wf stop.
	Cause    string `json:"cause,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"` // what wf run ends with; nil while it is going
}

// Paused says what a run waits for of which nothing goes.
type Paused string

// What runs wait for.
const (
	PausedApproval Paused = "approval" // people, and nothing else
	PausedTime     Paused = "time"     // a moment, or a moment and people
	PausedHeld     Paused = "held"     // what RunSummary.Held says
)

// A QueuedRun waits in line until others are over.
type QueuedRun struct {
	Queued string    `json:"queued"` // its name: wf stop takes it out of the line
	Since  time.Time `json:"since"`
	User   string    `json:"user,omitempty"`
}

// A Shortage says why fewer commands of a run go at once than could.
type Shortage struct {
	Running int    `json:"running"` // commands that have a slot
	Waiting int    `json:"waiting"` // for a slot: all that they depend on is done
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
	Folder   string       `json:"folder"` // where its records and outputs lie
	Wrapper  string       `json:"wrapper"`
	Cwd      string       `json:"cwd"`
	Jobs     int          `json:"jobs"`               // at once; 0 = not set
	NoLimit  bool         `json:"no_limit,omitempty"` // of executions at once
	Version  string       `json:"version"`
	Execs    []Execution  `json:"executions"` // in order of start
	Left     []NodeStatus `json:"not_reached,omitempty"`
	Kept     []string     `json:"kept,omitempty"` // ids of nodes that had succeeded before, which a resume did not repeat

	Host      string `json:"host,omitempty"`
	FailFast  bool   `json:"fail_fast,omitempty"`
	TimeoutMS int64  `json:"timeout_ms,omitempty"`
	GraceMS   int64  `json:"grace_ms"`

	Params map[string]any `json:"params,omitempty"`
	Mocks  []Mock         `json:"mocks,omitempty"` // what was not executed, by handle or path
	// Decisions are what people, or the time they had, decided in the run, in order.
	Decisions []NodeDecision `json:"decisions,omitempty"`
	Notes     []string       `json:"notes,omitempty"` // what is to be said about it that is no failure
	Until     []string       `json:"until,omitempty"` // --until, as given
	From      []string       `json:"from,omitempty"`  // --from, as given

	// Analysis is there where it was asked for and the record is whole.
	Analysis *Analysis `json:"analysis,omitempty"`
}

// Analysis says where the time of a run went and what is different now.
type Analysis struct {
	WallMS   int64   `json:"wall_ms"`  // from the request to the end, or to now
	WorkMS   int64   `json:"work_ms"`  // durations of all executions together
	CPUMS    int64   `json:"cpu_ms"`   // user and system time of those that are over
	Parallel float64 `json:"parallel"` // WorkMS / WallMS, to three decimals; 0 when WallMS is 0
	Most     int     `json:"most"`     // executions at the same time
	// Slowest are at most ten executions, longest first.
	Slowest []PathStep `json:"slowest"`
	// Critical is the chain of executions that the end of the run waited for: each is the one that the
	// next one waited for last. Waits and durations add up to WallMS but for what the daemon took.
	Critical   []PathStep `json:"critical_path"`
	Stages     []Stage    `json:"stages"` // as in a status, with the states of this run
	MoreStages int        `json:"more_stages,omitempty"`
	Changes    *Changes   `json:"changes,omitempty"` // nil: the workfile is as it was
}

// PathStep is one execution among others.
type PathStep struct {
	Node       string     `json:"node"`
	Name       string     `json:"name"`
	Execution  int        `json:"execution"`
	Started    *time.Time `json:"started,omitempty"`
	WaitMS     int64      `json:"wait_ms"` // from its activation, or the run's request, to its start
	DurationMS int64      `json:"duration_ms"`
}

// Changes are the differences between a workfile as a run began with it and as it is now. Nodes are
// named by their present handles, those that are gone by their old ones.
type Changes struct {
	Commands     []string     `json:"commands,omitempty"` // nodes with another command
	Added        []string     `json:"nodes_added,omitempty"`
	Removed      []string     `json:"nodes_removed,omitempty"`
	EdgesAdded   []EdgeChange `json:"edges_added,omitempty"`
	EdgesRemoved []EdgeChange `json:"edges_removed,omitempty"`
	EdgesRetyped []EdgeChange `json:"edges_retyped,omitempty"` // with the type they have now
	Attributes   []string     `json:"attributes,omitempty"`    // of the graph: wrapper, cwd …
}

// EdgeChange is an edge that came, went or changed its type.
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
	Handled    bool       `json:"handled,omitempty"` // it failed, and an edge has fired for that
	UserMS     int64      `json:"user_ms,omitempty"` // CPU time, of the process and what it waited for
	SysMS      int64      `json:"sys_ms,omitempty"`
	Inputs     *Inputs    `json:"inputs,omitempty"` // nil for a plain command
	// LeftPIDs are processes that it left behind and that were ended with the run.
	LeftPIDs []int `json:"left_pids,omitempty"`
}
