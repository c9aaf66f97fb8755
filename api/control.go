package api

import (
	"fmt"
	"slices"
	"time"
)

// A Wait describes what a queued node waits for, other than a slot.
type Wait struct {
	Kind  WaitKind   `json:"kind"`
	Until *time.Time `json:"until,omitempty"` // when the wait ends by itself; nil = never
	Text  string     `json:"text,omitempty"`  // the question to a person
	// Default is the decision at Until if no person has answered: "approve" or "reject".
	Default string `json:"default,omitempty"`
}

// WaitKind is the kind of event that a node waits for.
type WaitKind string

// The kinds of waits.
const (
	WaitTime     WaitKind = "time"
	WaitApproval WaitKind = "approval"
	WaitRetry    WaitKind = "retry"
	WaitPool     WaitKind = "pool"
	// WaitPreparation is the wait until an environment or image is there that the command needs; see Text.
	WaitPreparation WaitKind = "preparation"
)

// Instances summarizes the instances of the latest activation of a sub-flow.
type Instances struct {
	Begun  int    `json:"begun"`
	Total  int    `json:"total,omitempty"` // 0 = unknown: a condition decides when it ends
	Counts Counts `json:"counts"`          // of instances; an instance with a failed node counts as failed
	Nodes  Counts `json:"nodes"`           // of the nodes in them, including those that have not started
	// Notable lists instances that failed, wait or run, in this order.
	Notable []InstanceStatus `json:"notable,omitempty"`
	// Failed lists the numbers of failed instances in ascending order, at most MostFailed.
	Failed []int `json:"failed,omitempty"`
}

// MostFailed bounds Instances.Failed.
const MostFailed = 2000

// InstanceStatus is one instance of a sub-flow.
type InstanceStatus struct {
	Path   string `json:"path"` // align[3]
	Item   string `json:"item,omitempty"`
	Name   string `json:"name,omitempty"` // the path with items in place of numbers: align[S5]; "" = the same as Path
	State  State  `json:"state"`
	Counts Counts `json:"counts"` // of its nodes
}

// A Mock is the outcome of a node that is not executed.
type Mock struct {
	Nodes   string         `json:"nodes"` // selector, or the path of an instance's node
	Skip    bool           `json:"skip,omitempty"`
	Exit    int            `json:"exit,omitempty"`
	Outputs map[string]any `json:"outputs,omitempty"`
}

// What happens to a new run while another run of the same nodes is active.
const (
	BusyRefuse = "refuse"
	BusyQueue  = "queue"
	BusyCancel = "cancel"
)

// An Approval is a node that waits for a person.
type Approval struct {
	Run      string     `json:"run"`
	Node     string     `json:"node"` // id, or path of an instance's node
	Name     string     `json:"name"` // handle, or the path
	Text     string     `json:"text"`
	Since    time.Time  `json:"since"`
	Until    *time.Time `json:"until,omitempty"`
	Default  string     `json:"default,omitempty"` // "approve" or "reject", with Until
	Workfile string     `json:"workfile"`
	// Choices lists the cases that edges of the node wait for: the value "case" of an answer is one of them.
	// If Open is set, an edge takes any other value, too.
	Choices []ApprovalChoice `json:"choices,omitempty"`
	Open    bool             `json:"open,omitempty"`
	// NeedsCase says that an approval must choose one of Choices: nothing but the answer can.
	NeedsCase bool `json:"needs_case,omitempty"`
	// Fields declares the values of an answer, as parameters are declared; nil = any values. The value "case"
	// needs no declaration.
	Fields []Param `json:"fields,omitempty"`
	// Before has the outputs of the nodes that led to the question, at most eight.
	Before []NodeOutputs `json:"before,omitempty"`
}

// CheckCase returns an error if no edge waits for the case that an approval chooses. given says whether it chooses one.
func (a *Approval) CheckCase(value string, given bool) error {
	if len(a.Choices) == 0 || a.Open {
		return nil
	}
	cases := make([]string, len(a.Choices))
	for i, c := range a.Choices {
		cases[i] = c.Case
	}
	switch {
	case given && !slices.Contains(cases, value):
		return Invalid("%s: no edge waits for the case %q: it is one of %s", a.Name, value, Several(cases, 8))
	case !given && a.NeedsCase:
		return &Error{Code: CodeInvalid, Message: fmt.Sprintf("%s needs a choice: one of %s", a.Name, Several(cases, 8)),
			Fix: "wf approve --set case=" + cases[0] + " " + a.Name}
	}
	return nil
}

// An ApprovalChoice is one case that an answer can choose.
type ApprovalChoice struct {
	Case  string   `json:"case"`
	Leads []string `json:"leads_to"` // handles or paths of the nodes behind it
}

// ApprovalList is `wf approvals --json`, the longest waiting first.
type ApprovalList struct {
	Schema    string     `json:"schema"`
	Approvals []Approval `json:"approvals"`
}

// A Decision is the answer of a person to an approval.
type Decision struct {
	Node     string         `json:"node"`          // path, handle or id
	Run      string         `json:"run,omitempty"` // "" = the only active run in which it waits
	Approved bool           `json:"approved"`
	Values   map[string]any `json:"values,omitempty"`
	Comment  string         `json:"comment,omitempty"`
	User     string         `json:"user,omitempty"`
	Key      string         `json:"-"` // HeaderRequest
	Again    bool           `json:"-"` // HeaderAgain
}

// DecisionMade describes a decision and who made it.
type DecisionMade struct {
	Approved bool   `json:"approved"`
	By       string `json:"by,omitempty"` // the given name, otherwise the system user; "" = the time to answer was over
	// SystemUser is the user of the operating system whose client decided; "" in records of earlier versions.
	SystemUser string         `json:"system_user,omitempty"`
	TimedOut   bool           `json:"timed_out,omitempty"` // the time to answer was over, and the default counts
	Time       time.Time      `json:"time"`
	Comment    string         `json:"comment,omitempty"`
	Values     map[string]any `json:"values,omitempty"` // "***" where the name marks the value as secret
}

// Who returns the name of the decider: "bob", "bob (system user alice)" or, when the time to answer was over, "the default …".
func (d DecisionMade) Who() string {
	switch {
	case d.TimedOut:
		return "the default, because the time to answer was over"
	case d.By == "":
		return "a person"
	case d.SystemUser != "" && d.SystemUser != d.By:
		return d.By + " (system user " + d.SystemUser + ")"
	}
	return d.By
}

// A NodeDecision is a decision about a node of a run.
type NodeDecision struct {
	Node string `json:"node"` // id or path
	Name string `json:"name"` // handle or path
	DecisionMade
}

// Inputs are the inputs of an execution in addition to the environment of its run.
type Inputs struct {
	Env       map[string]string `json:"env,omitempty"`       // computed for it; "***" where the name marks the value as secret
	Item      *string           `json:"item,omitempty"`      // of the innermost foreach
	Index     *int              `json:"index,omitempty"`     // from 0
	Iteration *int              `json:"iteration,omitempty"` // from 0
	Attempt   int               `json:"attempt,omitempty"`   // from 2; 0 = the first
	Executor  string            `json:"executor,omitempty"`  // "" = this machine
	Resources *Resources        `json:"resources,omitempty"` // nil = none are given
	// Because is what made the execution of a node with declared outputs necessary, in a few words; "" for other nodes.
	Because string `json:"because,omitempty"`
}

// Set adds a variable.
func (in *Inputs) Set(name, value string) {
	if in.Env == nil {
		in.Env = map[string]string{}
	}
	in.Env[name] = value
}

// NodeOutputs is `wf out --json`.
type NodeOutputs struct {
	Schema  string         `json:"schema"`
	Run     string         `json:"run,omitempty"`
	Node    string         `json:"node"`
	Outputs map[string]any `json:"outputs"`
}

// CauseCaller is the cause of the end of an attached run whose caller, a command of another run, has ended or was
// stopped.
const CauseCaller = "the command that started it has ended"

// CauseReplaced is the cause of the end of a run that a newer run replaced (on_busy=cancel).
const CauseReplaced = "a newer run takes its place"

// A Pool is a shared resource: commands hold units of it while they run.
type Pool struct {
	Name    string `json:"name"`
	Size    int    `json:"size"`
	Set     bool   `json:"set"`  // the size was configured; otherwise it is 1
	Used    int    `json:"used"` // more than Size after the size was reduced
	Waiting int    `json:"waiting"`
}

// PoolList is `wf server pools --json`.
type PoolList struct {
	Schema string `json:"schema"`
	Pools  []Pool `json:"pools"`
}

// PoolSize sets the size of a pool.
type PoolSize struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// Instance returns the state of an instance of a sub-flow from the counts of its nodes. failed reports whether one
// of them has a failure that no edge handled.
func (c Counts) Instance(failed bool) State {
	switch {
	case failed && c.Failed == 0 && c.Cancelled > 0:
		return StateCancelled
	case failed:
		return StateFailed
	case c.Waiting > 0:
		return StateWaiting
	case c.Retrying > 0:
		return StateRetrying
	case c.Running > 0:
		return StateRunning
	case c.Queued > 0:
		return StateQueued
	case c.OK+c.Kept+c.Handled > 0:
		return StateOK
	case c.Skipped > 0:
		return StateSkipped
	}
	return StateIdle
}

// What a run writes into the workfile: the graph attribute "results", and a setting.
const (
	ResultsNone   = "none"   // nothing: only the state folder has statuses and outputs
	ResultsStatus = "status" // statuses of nodes, marks of edges
	ResultsFile   = "file"   // also command, pid, exit code and the ends of the outputs
)
