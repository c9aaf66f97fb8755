package api

// SchemaDiff is the schema of RunDiff.
const SchemaDiff = "wf.diff/v1"

// DiffNow stands for the workfile as it is now, in the place of a run.
const DiffNow = "now"

// DiffQuery asks for the differences of two runs.
type DiffQuery struct {
	From string `query:"from"` // a run, or DiffNow; "" = the run before To
	To   string `query:"to"`   // a run, or DiffNow; "" = the latest run
}

// RunDiff is `wf runs diff --json`: what distinguishes a run (before) from another one (after). If one of them is the
// workfile as it is now, only Definition is set.
type RunDiff struct {
	Schema     string         `json:"schema"`
	Workfile   string         `json:"workfile"`
	Before     DiffSide       `json:"before"`
	After      DiffSide       `json:"after"`
	Definition DefinitionDiff `json:"definition"`
	Params     []DiffValue    `json:"params"`
	Options    []DiffValue    `json:"options"`               // how the runs were started, by the names of flags
	Results    []DiffResult   `json:"results"`               // nodes that ended differently, in the order of the later run
	Times      []DiffTime     `json:"times"`                 // nodes that succeeded in both and became clearly slower or faster, the largest difference first
	OnlyBefore []string       `json:"only_before,omitempty"` // nodes that only one of the runs covered, by handle
	OnlyAfter  []string       `json:"only_after,omitempty"`
	Notes      []string       `json:"notes,omitempty"` // what could not be compared, for people
}

// DiffSide is one of the two runs.
type DiffSide struct {
	Name   string      `json:"name"`              // the number of the run, or DiffNow
	Run    *RunSummary `json:"run,omitempty"`     // nil for DiffNow
	WorkMS int64       `json:"work_ms,omitempty"` // durations of all executions together
}

// DefinitionDiff describes how the workfile differs. It ignores statuses, and positions except for their number.
type DefinitionDiff struct {
	Nodes []DiffNode  `json:"nodes"`
	Edges []DiffEdge  `json:"edges"`
	Graph []DiffValue `json:"graph"`           // attributes of the workfile as a whole
	Moved int         `json:"moved,omitempty"` // number of nodes with another position in drawings
}

// The kinds of changes.
const (
	DiffAdded   = "added"
	DiffRemoved = "removed"
	DiffChanged = "changed"
)

// DiffNode is a node that differs.
type DiffNode struct {
	Change string      `json:"change"`        // DiffAdded, DiffRemoved or DiffChanged
	Node   string      `json:"node"`          // id, of a changed node the later one
	Name   string      `json:"name"`          // handle, of a changed node the later one
	Was    string      `json:"was,omitempty"` // the earlier handle of a changed node, if it is another one
	Values []DiffValue `json:"values"`        // of an added or removed node: all that it has
}

// DiffEdge is an edge that differs.
type DiffEdge struct {
	Change string      `json:"change"`
	Source string      `json:"source"` // handles, of a changed edge the later ones
	Target string      `json:"target"`
	Values []DiffValue `json:"values"`
}

// A DiffValue is something with a name that differs. nil means that it is absent.
type DiffValue struct {
	Name   string `json:"name"`
	Before any    `json:"before,omitempty"`
	After  any    `json:"after,omitempty"`
}

// DiffResult is a node that ended differently.
type DiffResult struct {
	Node   string      `json:"node"` // id, or the path of a node in an instance
	Name   string      `json:"name"`
	Before DiffOutcome `json:"before"`
	After  DiffOutcome `json:"after"`
}

// DiffOutcome is how a node ended in a run.
type DiffOutcome struct {
	State      State  `json:"state"`
	Reason     Reason `json:"reason,omitempty"`
	ExitCode   *int   `json:"exit_code,omitempty"`
	Signal     string `json:"signal,omitempty"`
	Message    string `json:"message,omitempty"`
	Handled    bool   `json:"handled,omitempty"`    // it failed, and an edge handled the failure
	Executions int    `json:"executions,omitempty"` // 0 if it was not executed
}

// DiffTime is a node whose executions took longer, or less long.
type DiffTime struct {
	Node     string `json:"node"` // as in DiffResult
	Name     string `json:"name"`
	BeforeMS int64  `json:"before_ms"` // of all its executions in the run
	AfterMS  int64  `json:"after_ms"`
}

// SchemaWorkfileDiff is the schema of WorkfileDiff.
const SchemaWorkfileDiff = "wf.workfile-diff/v1"

// WorkfileDiff is `wf diff --json`: what distinguishes two versions of a workfile.
type WorkfileDiff struct {
	Schema     string         `json:"schema"`
	Before     string         `json:"before"` // file, run or revision, as the user wrote it
	After      string         `json:"after"`
	Definition DefinitionDiff `json:"definition"`
}
