package api

import "time"

// A Wait is what a queued node waits for other than a slot.
type Wait struct {
	Kind  WaitKind   `json:"kind"`
	Until *time.Time `json:"until,omitempty"` // when it goes on by itself; nil = it does not
	Text  string     `json:"text,omitempty"`  // what a person is asked
	// Default says what counts at Until if nobody has answered: "approve" or "reject".
	Default string `json:"default,omitempty"`
}

// WaitKind is what a node waits for.
type WaitKind string

// The kinds of waits.
const (
	WaitTime     WaitKind = "time"
	WaitApproval WaitKind = "approval"
	WaitRetry    WaitKind = "retry"
	WaitPool     WaitKind = "pool"
)

// Instances sum up what a sub-flow has made of its latest activation.
type Instances struct {
	Begun  int    `json:"begun"`
	Total  int    `json:"total,omitempty"` // 0 = its test says when it ends
	Counts Counts `json:"counts"`          // of instances: one is failed if anything in it is
	// Notable are instances that failed, wait or run, in this order, each with its path and item.
	Notable []InstanceStatus `json:"notable,omitempty"`
}

// InstanceStatus is one instance of a sub-flow.
type InstanceStatus struct {
	Path   string `json:"path"` // align[3]
	Item   string `json:"item,omitempty"`
	State  State  `json:"state"`
	Counts Counts `json:"counts"` // of its nodes
}

// A Mock is how a node ends that is not executed.
type Mock struct {
	Nodes   string         `json:"nodes"` // selector, or the path of an instance's node
	Skip    bool           `json:"skip,omitempty"`
	Exit    int            `json:"exit,omitempty"`
	Outputs map[string]any `json:"outputs,omitempty"`
}

// What becomes of a run that is asked for while its scope is active.
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
}

// ApprovalList is `wf approvals --json`, those that wait longest first.
type ApprovalList struct {
	Schema    string     `json:"schema"`
	Approvals []Approval `json:"approvals"`
}

// A Decision is what a person says about an approval.
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

// DecisionMade says who decided what.
type DecisionMade struct {
	Approved bool           `json:"approved"`
	By       string         `json:"by,omitempty"` // "" = the time to answer was over
	Time     time.Time      `json:"time"`
	Comment  string         `json:"comment,omitempty"`
	Values   map[string]any `json:"values,omitempty"`
}

// NodeOutputs is `wf out --json`.
type NodeOutputs struct {
	Schema  string         `json:"schema"`
	Run     string         `json:"run,omitempty"`
	Node    string         `json:"node"`
	Outputs map[string]any `json:"outputs"`
}

// CauseReplaced is the cause of the end of a run that another one has replaced (on_busy=cancel).
const CauseReplaced = "a newer run takes its place"

// A Pool is something of which commands need units while they run.
type Pool struct {
	Name    string `json:"name"`
	Size    int    `json:"size"`
	Set     bool   `json:"set"`  // somebody has given it this size; else it is 1
	Used    int    `json:"used"` // may be more than Size after that was made smaller
	Waiting int    `json:"waiting"`
}

// PoolList is `wf server pools --json`.
type PoolList struct {
	Schema string `json:"schema"`
	Pools  []Pool `json:"pools"`
}

// PoolSize gives a pool its size.
type PoolSize struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// Instance is the state of an instance of a sub-flow whose nodes are counted. failed says that one of them
// has a failure that no edge has handled.
func (c Counts) Instance(failed bool) State {
	switch {
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
	case c.OK+c.Kept > 0:
		return StateOK
	case c.Skipped > 0:
		return StateSkipped
	}
	return StateIdle
}
