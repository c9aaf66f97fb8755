// Package scheduler decides which node of a run executes next. A Run is a value that events
// change and that answers with effects; the same events give the same effects. It has no clock,
// no goroutine and no logger, starts nothing itself, and never looks at the graph again.
package scheduler

import (
	"slices"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// defaultActivations is how often a node may be activated in a run by default.
const defaultActivations = 1000

// Options of a run.
type Options struct {
	MaxActivations int  // of each node; 0 = 1000
	MaxInstances   int  // nodes of the instances of all sub-flows together; 0 = any number
	FailFast       bool // the first failure that no edge handles stops the run; its result is still Failed

	// Flow is the control flow of the graph; nil = commands and dependencies only. The rest is read
	// only if there is one.
	Flow     *flow.Flow
	Params   map[string]any
	Variable func(name string) string // the client's environment; nil = empty
	Run      expression.Run
	Seed     string // of uuid() in expressions: another one for each run
	Prior    Prior
	Mocks    map[string]Mock // by path or id of nodes; in a path [*] stands for every instance
	Repeat   map[string]bool // paths of instances, and of nodes in them, that a Resume repeats; nil = those that failed
	// Dry makes a run for Forecast, which plays what could happen.
	Dry bool
	// ReadTable returns the rows of a table for a dry run; nil = they are unknown, so one instance represents all.
	ReadTable func(node int, t Table) []any
}

// A Run is one execution of a scope. It is not safe for concurrent use.
//
// Nodes are addressed by numbers. The first ones are the nodes of the outer flow, in the order of
// the scope; those of an instance of a sub-flow get the next free numbers when it starts. Edges
// are numbered alike, in file order. The graph is copied: later edits do not matter.
//
// Run itself decides. It embeds the state and the parts that only read the state.
type Run struct {
	state
	queries
	explanations
	priorState
	texts
	lookahead

	timers  timers
	todo    worklist
	stopped bool   // by Stop
	fires   []bool // scratch of choose
}

// state is where the nodes, edges and instances of a run stand. Its methods find things; they decide nothing.
type state struct {
	opt   Options
	mode  Mode
	plain bool // without a flow

	outer  *layout
	places map[*graph.Node]place // nil without a flow
	index  map[string]nodeID     // made by the first Index
	local  map[string]nodeID     // the same by local names, made by the first path

	instances []instance
	nodes     []node
	control   []control           // of each node; nil without a flow
	reasons   []string            // why a node is Failed
	marks     []mark              // of edges
	counts    [graph.Statuses]int // nodes by status
	inside    int                 // see Total

	repeatHolders map[string]bool // sub-flows that contain something repeated, see Options.Repeat
	patterns      []string        // of Options.Mocks: paths with [*], sorted
	dry           *dryRun         // nil unless this is a dry run of a flow

	now               int64
	stored            map[string]*expression.Kept // the latest values of wf kv that texts read
	storeProblem      string
	hasStarted, ended bool
	halted            bool     // by Stop or FailFast: no more activations
	effects           []Effect // of the event at hand
}

// queries answers questions about single nodes and edges.
type queries struct{ *state }

// explanations returns why nodes are in their states.
type explanations struct{ *state }

// priorState compares the run with earlier ones, and makes the prior state for a later one.
type priorState struct{ *state }

// texts evaluates the texts of the workfile.
type texts struct {
	*state
	uuids          int
	units          map[instanceID]map[string]any // parameters of instances of other workfiles
	deciding       nodeID                        // the node whose edges are evaluated, and the status that it is about to get
	decidingStatus graph.Status
}

// node is the state of one node. Each activation that was accepted is pending, is being served,
// or was served.
type node struct {
	status      graph.Status
	dispatched  bool  // the present execution was dispatched, and is Queued or Running
	idempotent  bool  // may execute again when its end is unknown; never changes
	refused     bool  // one activation too many; the node fails when the accepted ones are served
	unrequested bool  // it may have executed before Execute: it is not activated again
	atMostOnce  bool  // Lookahead may yield it, see findAtMostOnce; never changes after Start
	decided     bool  // it has succeeded, failed with the failure handled, or was skipped
	handled     bool  // it is Failed, and an edge has fired for that
	missing     int32 // blocking in-edges without a mark
	pending     int32 // activations that wait while another one is served
	activations int32
	executions  int32
	cause       edgeID // of the latest activation: an edge, or one of the causes below
	flightPos   int32  // index in lookahead.inFlight, while dispatched
}

// control is the control-flow state of a node, in a run with a flow.
type control struct {
	extras   *extras    // nil for most nodes
	instance instanceID // that the node is part of
	live     int32      // blocking in-edges with a token
}

// mark is the mark of an edge and its history in this run.
type mark uint8

const (
	everFired mark = 0x80 // it has fired
	killed    mark = 0x40 // it was found dead and has not fired since
	latest    mark = 0x20 // it fired when its source decided last
	history   mark = everFired | killed | latest
)

func (m mark) bears() graph.Mark { return graph.Mark(m &^ history) }

// NewRun prepares a run of the scope. It fails with *CycleError, *BorderError or
// *NoCommandError; then nothing of the scope can be run.
func NewRun(g *graph.Graph, scope Scope, opt Options) (*Run, error) {
	if opt.MaxActivations <= 0 {
		opt.MaxActivations = defaultActivations
	}
	if opt.Flow != nil && opt.Flow.Plain() && len(opt.Mocks) == 0 {
		opt.Flow = nil
	}
	r := &Run{state: state{opt: opt, mode: scope.Mode, plain: opt.Flow == nil}}
	st := &r.state
	r.queries, r.explanations, r.priorState = queries{st}, explanations{st}, priorState{st}
	r.texts, r.lookahead = texts{state: st, deciding: noNode}, lookahead{state: st}
	if opt.Dry && !r.plain {
		r.dry = newDryRun()
	}
	for path := range opt.Mocks {
		if strings.Contains(path, "[*]") {
			r.patterns = append(r.patterns, path)
		}
	}
	slices.Sort(r.patterns)
	if opt.Repeat != nil {
		r.repeatHolders = holdersOf(opt.Repeat)
	}
	if err := r.layOut(g, scope.Nodes); err != nil {
		return nil, err
	}
	r.addInstance(r.outer, noNode, 0)
	for i, n := range r.outer.graphNodes {
		r.setInitialStatus(nodeID(i), n.Status)
	}
	r.outer.releaseScope(opt.Flow == nil)
	return r, nil
}

func (m mark) marked() bool { return m.bears() != graph.Unmarked }
