package scheduler

import "wf/graph"

// EventKind says what happened.
type EventKind uint8

// The events of a run.
const (
	// Begin is the first event, exactly once.
	Begin EventKind = iota + 1
	// Dispatched says that the queued execution of Node was handed to an executor, where it may
	// wait. It stays Queued, and only the executor can say what becomes of it: Started, Finished
	// or Withdrawn.
	Dispatched
	// Started says that the dispatched execution of Node runs.
	Started
	// Finished says that Execution of Node is over: OK, or failed for Reason. It may come without
	// Started, when there was nothing to run or no way to run it.
	Finished
	// Strayed says that an execution of Node that was foreseen, but not asked for, may have begun: the
	// machine went down while what it waits for was about to succeed. It counts as dispatched, and
	// Finished is to come. Unless Node is idempotent, this run does not execute it again.
	Strayed
	// Withdrawn says that Execution of Node was given back: it was asked to end before it started.
	Withdrawn
	// Stop ends the run: nothing new starts, what is running is asked to end.
	Stop
	// CancelNode ends what Node is doing or waits for. Later activations are served again.
	CancelNode
)

// An Event is news for a run. Kind decides which fields are read.
type Event struct {
	Kind      EventKind
	Node      int    // Dispatched, Started, Finished, Strayed, Withdrawn, CancelNode
	Execution int    // Finished, Withdrawn
	OK        bool   // Finished
	Reason    string // Finished without OK
}

// Reasons of failures that the scheduler itself finds. All others come with Finished.
const (
	ReasonLimit     = "limit"     // one activation more than allowed
	ReasonCancelled = "cancelled" // CancelNode while it was queued
	// ReasonLost is of a node left going by a daemon that died, and not taken up by this run. With
	// Finished it makes an idempotent node execute again.
	ReasonLost = "lost"
)

// EffectKind says what the caller is to do.
type EffectKind uint8

// The effects of an event.
const (
	// NodeChanged tells the new Status of Node, and the Reason if that is Failed. If the node was
	// Queued and is not Running now, its execution is withdrawn (see Run.Wants).
	NodeChanged EffectKind = iota + 1
	// EdgeChanged tells whether Edge bears a token now.
	EdgeChanged
	// Execute asks for Execution of Node as soon as there is a slot, first asked first served.
	// The caller answers with Dispatched when it hands it over.
	Execute
	// Cancel asks to end Execution of Node, which was dispatched. Finished or Withdrawn is still
	// to come. It may be asked again.
	Cancel
	// Ended tells the Result. It is the last effect of a run and comes exactly once.
	Ended
)

// An Effect is what follows from an event. Kind decides which fields are meant.
type Effect struct {
	Kind      EffectKind
	Status    graph.Status // NodeChanged
	Marked    bool         // EdgeChanged
	Result    Result       // Ended
	Node      int          // NodeChanged, Execute, Cancel
	Edge      int          // EdgeChanged
	Execution int          // Execute, Cancel; from 1
	Reason    string       // NodeChanged
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
