// Package flow reads what the attributes of a workfile say about control flow: under which conditions
// edges fire, how nodes join, wait, retry and ask, and which containers run their nodes many times.
// It finds every mistake that can be found without running anything.
package flow

import (
	"time"

	"wf/graph"
	"wf/scheduler/expression"
)

// A Flow is the control flow of a graph beyond plain edges, as it was when it was read: it knows nodes and
// edges by their identity. It belongs to the goroutine that owns the graph.
type Flow struct {
	Params   []Param
	OnBusy   OnBusy
	Executor string // of the graph: that of runs whose request names none; "" = none is given
	Secrets  Secrets

	rules      map[*graph.Node]*Rules
	conditions map[*graph.Edge]*Condition

	g      *graph.Graph
	naming *naming
	hints  int // searches so far
	scopes map[*graph.Node]*expression.Scope
	groups map[*graph.Node]*ends
	read   *readings // made on first use, at the latest by Read unless the flow is plain

	children map[*graph.Node][]*graph.Node // direct children of containers; made on first use
	work     int                           // see maxGroupWork
}

func (f *Flow) names() *naming {
	if f.naming == nil {
		f.naming = newNaming(f.g)
	}
	return f.naming
}

// Node returns the rules of a node, nil if it is a plain command or a group.
func (f *Flow) Node(n *graph.Node) *Rules { return f.rules[n] }

// Edge returns the condition of an edge, nil if it fires after a success.
func (f *Flow) Edge(e *graph.Edge) *Condition { return f.conditions[e] }

// Plain reports that the graph has only commands and dependencies.
func (f *Flow) Plain() bool { return len(f.rules) == 0 && len(f.conditions) == 0 && len(f.Params) == 0 }

// A Condition decides whether an edge fires when its source has ended.
type Condition struct {
	Kind ConditionKind
	Exit Codes            // OnExit
	Case string           // OnCase
	Expr *expression.Expr // OnTrue
}

// ConditionKind is the kind of a condition.
type ConditionKind uint8

// The kinds of conditions.
const (
	OnSuccess ConditionKind = iota // absent, "success": never stored, a nil *Condition means it
	OnFailure                      // "failure"
	OnDone                         // "done"
	OnExit                         // "exit:2,10-20"
	OnCase                         // "case:NAME"
	OnTrue                         // "if:EXPR"
	OnElse                         // "else"
)

// Codes is a list of ranges of exit codes, both ends included.
type Codes [][2]int

// Has reports whether a code is in the list.
func (c Codes) Has(code int) bool {
	for _, r := range c {
		if r[0] <= code && code <= r[1] {
			return true
		}
	}
	return false
}

// Rules are the control flow of a node that is more than to execute its command when all blocking edges have a token.
type Rules struct {
	// Join is how many tokens activate the node: 0 = all that are not dead, 1 = the first, otherwise the N-th.
	Join         int
	JoinTimeout  time.Duration // from the first mark; 0 = none
	CancelLosers bool          // nodes that only this join needs are cancelled once it has decided

	Timeout time.Duration // of one execution, or of all instances of a sub-flow; 0 = none
	Retry   *Retry        // nil = none

	Wait      *expression.Text // a duration, before each activation is served; nil = none
	WaitUntil *expression.Text // a time in RFC 3339; nil = none

	Approve        *expression.Text // the question; nil = no approval is needed
	ApproveFields  []Param          // the values of an answer; none = any
	ApproveTimeout time.Duration    // 0 = none
	ApproveDefault bool             // after ApproveTimeout: true = approved

	Resources *ResourceTexts // nil = none are given
	Executor  string         // of the node or a container around it; "" = that of the run
	certain   bool           // see Certain

	Files *Files // nil = none are declared

	Env  []Variable // set for the command, in file order
	Pool []PoolUse  // held while the command runs
	Sub  *Sub       // of a sub-flow, otherwise nil
}

// Certain reports that the node executes its command like one without rules if its executor is this machine: it has only
// resources, and none of them is computed.
func (r *Rules) Certain() bool { return r == nil || r.certain }

// Retry is when and how often a failed execution is repeated.
type Retry struct {
	Limit    int           // repetitions beyond the first execution, of one activation
	Delay    time.Duration // before the first repetition
	Backoff  float64       // by which the delay grows each time; 1 = not
	MaxDelay time.Duration // 0 = none

	// On lists the failures that are repeated. If none is named, all are, except engine_cancelled; cancelled, lost and
	// rejected are never repeated.
	On struct {
		Exit    Codes
		Reasons []string // some of RetryReasons
	}
}

// RetryReasons are the failures that retry_on can name, besides exit codes. After timeout, signal and hook come those that only
// engines report.
var RetryReasons = [...]string{"timeout", "signal", "hook", "oom", "node_fail", "preempted", "engine_cancelled"}

// Any reports that no failure is named.
func (r *Retry) Any() bool { return len(r.On.Exit) == 0 && len(r.On.Reasons) == 0 }

// Files are what a command reads and makes, as far as the workfile declares it. The texts render to lists of paths, which
// package uptodate understands.
type Files struct {
	Inputs, Outputs *expression.Text // nil = none
	Version         *expression.Text // cache_version; nil = none
	KeepPartial     bool             // what is left of outputs after a failure stays
}

// A Variable is a line of the attribute env.
type Variable struct {
	Name  string
	Value *expression.Text
}

// A PoolUse is how many units of a pool an execution needs.
type PoolUse struct {
	Name  string
	Units int
}

// OnBusy says what happens to a requested run while another run has a part of its scope.
type OnBusy uint8

// The values of on_busy.
const (
	Refuse OnBusy = iota
	Queue
	Cancel // the old one
)

// String returns the word that workfiles use.
func (b OnBusy) String() string { return [...]string{"refuse", "queue", "cancel"}[b] }

// A Sub is how a sub-flow repeats the nodes in it.
type Sub struct {
	Kind SubKind

	// Where the items of a Foreach come from: exactly one of the four is set.
	List    []any            // a JSON list
	Command string           // lines:COMMAND; each line of its output is an item, a string
	Items   *expression.Expr // must give a list
	Table   *expression.Text // table:FILE, with this prefix; each row is an item, see TableFile

	Unit *Unit // the other workfile that it runs; nil = the nodes of this one
	Once bool  // the workfile of Unit runs once: a path names no instance of it

	Key string // the column of Table that names the instances; "" = none

	Times *expression.Text // of Times: a whole number
	Test  *expression.Expr // of While and Until

	MaxIterations int  // of While and Until
	Parallel      int  // instances at once; 0 = no limit. While and Until: 1
	Continue      bool // after a failure the other instances go on
	Rate          int  // how many instances may start within RatePer; 0 = no limit
	RatePer       time.Duration
	Cancel        bool             // after a failure the running instances are cancelled
	StopWhen      *expression.Expr // of Foreach and Times: once it is true after an instance, no more start; nil = none
	// Least is how many instances have to succeed with Continue: a number, or a fraction of all.
	Least     int
	LeastPart float64
	HasLeast  bool
}

// SubKind is how a sub-flow repeats.
type SubKind uint8

// The kinds of sub-flows.
const (
	Foreach SubKind = iota + 1
	Times
	While // tested before each iteration
	Until // tested after each iteration
)
