package scheduler

import (
	"wf/graph"
	"wf/scheduler/expression"
)

// EventKind is the kind of an event.
type EventKind uint8

// The events of a run.
const (
	// Start is the first event, exactly once.
	Start EventKind = iota + 1
	// Dispatched says that the queued execution of Node was passed to an executor, where it may
	// wait. It stays Queued, and only the executor can report what becomes of it: Started, Finished
	// or Withdrawn.
	Dispatched
	// Started says that the dispatched execution of Node runs.
	Started
	// Finished says that Execution of Node is over: OK, or failed for Reason. It may come without
	// Started, when there was nothing to run or no way to run it.
	Finished
	// Unrequested says that an upcoming execution of Node may have started without an Execute: the
	// machine went down while its sources were about to succeed. It counts as dispatched, and
	// Finished follows. Unless Node is idempotent, this run does not execute it again.
	Unrequested
	// Withdrawn says that Execution of Node was asked to end before it started, and will not start.
	Withdrawn
	// Stop ends the run: nothing new starts, and running executions are cancelled.
	Stop
	// CancelNode ends the present activation of Node. Later activations are served again.
	CancelNode
	// Decided says how a person, or the end of approve_timeout, decided about the approval that Node
	// waits for: OK, or rejected. Outputs are the values that came with it.
	Decided
	// Tick says that the time is At: nodes that wait for that moment go on.
	Tick
	// Listed says that the table of Node, for which ListItems asked, was read: OK with Items, or not, with a Message. The
	// caller checks Lists before.
	Listed
	// ClockSet says that the clock of the machine was set by By, forward or back, and now shows At.
	ClockSet
	// UpToDate says that the queued execution of Node is not necessary: the Outputs of an earlier one still hold, as
	// Message says. The node ends as if it had succeeded. The caller checks Wants before, and that the node DeclaresOutputs.
	UpToDate
)

// An Event is news for a run. Kind decides which fields are read.
type Event struct {
	Kind      EventKind
	OK        bool   // Finished, Decided, Listed
	HasExit   bool   // Finished: there is an exit code
	Node      int    // Dispatched, Started, Finished, Unrequested, Withdrawn, CancelNode, Decided, Listed, UpToDate
	Execution int    // Finished, Withdrawn
	Reason    string // Finished without OK
	Message   string // Finished, Listed without OK, UpToDate: details

	// At is when it happened, in nanoseconds since 1970. Only waits, time limits and expressions use it.
	// The time of a run goes back only with ClockSet: an At before the latest one counts as the latest.
	At int64
	By int64 // ClockSet: nanoseconds

	Exit    int            // Finished: the exit code, if HasExit
	Outputs map[string]any // Finished, Decided, UpToDate; kept, and never changed
	// Stdout is what the command printed, if a text of the workfile reads it (flow.Flow.Printed). Finished, UpToDate.
	Stdout *expression.Kept
	Items  []any // Finished, Listed: the lines of a command that prints items, the rows of a table; kept, and never changed

	// Stored are values of wf kv that texts of the workfile read (flow.Flow.Stored) and that have changed since the last event: nil =
	// the key has none. StoreProblem says why they are not known; it holds until an event without it. Both may come with any event.
	Stored       map[string]*expression.Kept
	StoreProblem string
}

// Reasons of failures that the scheduler itself finds, or that mean something to it. All others come
// with Finished.
const (
	ReasonLimit     = "limit"     // one activation more than allowed
	ReasonCancelled = "cancelled" // CancelNode while it was queued
	// ReasonLost is of a node that a dead daemon left running and this run did not take up. With
	// Finished it makes an idempotent node execute again.
	ReasonLost = "lost"

	ReasonExit       = "exit"       // of a mock
	ReasonSignal     = "signal"     // comes with Finished
	ReasonTimeout    = "timeout"    // it was asked to end because of its timeout
	ReasonRejected   = "rejected"   // the approval was denied, or not granted in time
	ReasonExpression = "expression" // one of its texts cannot be evaluated
	ReasonInstances  = "instances"  // too few instances of a sub-flow succeeded

	ReasonEngineCancelled = "engine_cancelled" // comes with Finished: at its engine, not by this run
)

// EffectKind is the kind of an effect.
type EffectKind uint8

// The effects of an event.
const (
	// NodeChanged reports the new Status of Node, and the Reason if that is Failed. If the node was
	// Queued and is not Running now, its execution is withdrawn (see Run.Wants).
	NodeChanged EffectKind = iota + 1
	// EdgeChanged reports the mark of Edge. Only edges of the outer flow are reported.
	EdgeChanged
	// Execute asks for Execution of Node as soon as there is a slot, in the order of the effects.
	// The caller answers with Dispatched when it passes the execution to an executor.
	Execute
	// ListItems asks for the items of Node, a sub-flow with a table (see Table). The caller answers with Listed, unless
	// Lists is false by then.
	ListItems
	// Cancel asks to end Execution of Node, which was dispatched. Finished or Withdrawn still
	// follows. Cancel may come again.
	Cancel
	// Waiting reports that Node, which is Queued, waits for something else than a slot, or that it does
	// not any more (WaitNone).
	Waiting
	// Answered reports that approve_timeout is over and the default counts: OK grants the approval.
	Answered
	// NodesAdded reports Count new nodes of the run: Node and the following ones are those of an
	// instance of a sub-flow.
	NodesAdded
	// Timer reports the moment at which the next Tick is wanted; 0 = none is. It replaces the last one.
	Timer
	// Ended reports the Result. It is the last effect of a run and comes exactly once.
	Ended
)

// WaitKind is what a queued node waits for.
type WaitKind uint8

// What a node can wait for.
const (
	WaitNone     WaitKind = iota // a slot
	WaitTime                     // a moment
	WaitApproval                 // a person
	WaitRetry                    // the moment of its next attempt
)

// An Effect is a consequence of an event. Kind decides which fields are set.
type Effect struct {
	Kind      EffectKind
	Status    graph.Status // NodeChanged
	Mark      graph.Mark   // EdgeChanged
	Result    Result       // Ended
	Wait      WaitKind     // Waiting
	OK        bool         // Answered
	Mocked    bool         // NodeChanged: this is the end of a node that was mocked or passed over
	UpToDate  bool         // NodeChanged: the node has ended because of the event UpToDate
	Prior     bool         // NodeChanged: an earlier run left the node so, and this run has not touched it
	Node      int          // NodeChanged, Execute, ListItems, Cancel, Waiting, Answered, NodesAdded
	Edge      int          // EdgeChanged
	Execution int          // Execute, Cancel; from 1
	Count     int          // NodesAdded
	At        int64        // Timer, Waiting; nanoseconds since 1970, 0 = never
	Reason    string       // NodeChanged
	Message   string       // NodeChanged: details; Waiting: the question of an approval
}

// Result of a run.
type Result uint8

// The results of a run. The zero value belongs to a run that is not over.
const (
	Succeeded Result = iota + 1
	Failed           // a node in scope ended as fail
	Cancelled        // there was a Stop
)

// String returns the word that people and programs see.
func (r Result) String() string {
	return [...]string{"", Succeeded: "succeeded", Failed: "failed", Cancelled: "cancelled"}[r]
}
