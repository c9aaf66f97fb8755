// Package scheduler decides which node of a run executes next. A Run is a value that events
// change and that answers with effects; the same events give the same effects. It has no clock,
// no goroutine and no logger, starts nothing itself, and never looks at the graph again.
package scheduler

import "wf/graph"

// defaultActivations is how often a node may be activated in a run if nobody says otherwise.
const defaultActivations = 1000

// Options of a run.
type Options struct {
	MaxActivations int  // of each node; 0 = 1000
	FailFast       bool // the first failure stops the run; its result is still Failed
}

// A Run is one execution of a scope. It is not safe for concurrent use.
//
// Nodes are addressed by their index in Scope.Nodes, edges by their index among the edges with
// both ends in scope, in file order. The graph is copied: later edits do not matter.
type Run struct {
	opt  Options
	mode Mode

	// The copy of the graph. It never changes.
	ids       []string
	index     map[string]int32 // made by the first Index
	keys      []int            // graph.Edge.Key
	edges     []edge
	out       csr     // all out-edges of a node, in file order
	in        csr     // blocking in-edges of a node, in file order
	component []int32 // strongly connected component of a node, over all edges

	// What the run has made of it so far.
	nodes   []node
	reasons []string              // why a node is Failed
	marked  []bool                // edges that bear a token
	counts  [graph.Failed + 1]int // nodes by status

	begun, ended bool
	stopped      bool // by Stop
	halted       bool // by Stop or by FailFast: nothing is activated any more

	flight []int32 // nodes that were handed, in no order that means anything

	effects []Effect // of the event at hand
	sight   sight
}

type edge struct {
	source, target int32
	blocking       bool
}

// node is the state of one node. Each activation that was accepted is pending, is being served,
// or was served.
type node struct {
	status      graph.Status
	handed      bool  // the present execution was dispatched, and is Queued or Running
	idempotent  bool  // may be executed again when its end is unknown; never changes
	refused     bool  // one activation too many; the node fails when the accepted ones are served
	stray       bool  // it may have been executed before anybody asked for it: it is not activated again
	once        bool  // it is activated once at most, see findOnce; never changes after Begin
	missing     int32 // blocking in-edges without a token
	pending     int32 // activations that wait while another one is served
	activations int32
	executions  int32
	cause       int32 // of the latest activation: an edge, or one of the causes below
	seat        int32 // in Run.flight, while handed
}

// csr is lists of edges, one for each node, in two arrays.
type csr struct{ first, edges []int32 }

func (c csr) of(node int32) []int32 { return c.edges[c.first[node]:c.first[node+1]] }

// NewRun prepares a run of the scope. It fails with *CycleError, *ContainerError or
// *NoCommandError; then nothing of the scope can be run.
func NewRun(g *graph.Graph, scope Scope, opt Options) (*Run, error) {
	if opt.MaxActivations <= 0 {
		opt.MaxActivations = defaultActivations
	}
	r := &Run{
		opt: opt, mode: scope.Mode,
		ids:     make([]string, len(scope.Nodes)),
		nodes:   make([]node, len(scope.Nodes)),
		reasons: make([]string, len(scope.Nodes)),
	}
	r.copyNodes(scope.Nodes)
	if err := r.copyEdges(g, scope.Nodes); err != nil {
		return nil, err
	}
	if err := checkCommands(scope.Nodes); err != nil {
		return nil, err
	}
	// A scope without any loop, the usual case, needs no search for a blocking one.
	if loops := r.connect(); loops {
		if err := checkCycles(scope.Nodes); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Run) copyNodes(scope []*graph.Node) {
	for i, n := range scope {
		r.ids[i] = n.ID
		r.nodes[i] = node{status: n.Status, cause: causeNone, idempotent: n.Idempotent()}
		r.counts[n.Status]++
	}
}

func (r *Run) copyEdges(g *graph.Graph, scope []*graph.Node) error {
	index := make([]int32, len(g.Nodes())) // by position, plus one; 0 = not in scope
	total := 0
	for i, n := range scope {
		index[n.Pos()] = int32(i) + 1
		total += len(n.Out)
	}
	r.keys, r.edges, r.marked = make([]int, 0, total), make([]edge, 0, total), make([]bool, 0, total)
	for _, e := range g.Edges() {
		source, target := index[e.Source.Pos()], index[e.Target.Pos()]
		switch {
		case source > 0 && target > 0:
			r.keys = append(r.keys, e.Key)
			r.edges = append(r.edges, edge{source - 1, target - 1, e.Type == graph.Blocking})
			r.marked = append(r.marked, e.Marked)
		case source > 0 && e.Target.Container:
			return containerError(e, e.Target)
		case target > 0 && e.Source.Container:
			return containerError(e, e.Source)
		}
	}
	return nil
}

// connect derives from the edges what each node needs to know about its own, and says whether
// any of them form a loop.
func (r *Run) connect() (loops bool) {
	r.out = r.lists(func(e edge) (int32, bool) { return e.source, true })
	r.in = r.lists(func(e edge) (int32, bool) { return e.target, e.blocking })
	targets := make([]int32, len(r.edges))
	for k, j := range r.out.edges {
		targets[k] = r.edges[j].target
	}
	var components int
	r.component, components = graph.Components(r.out.first, targets)
	loops = components < len(r.nodes)
	for j, e := range r.edges {
		if e.blocking && !r.marked[j] {
			r.nodes[e.target].missing++
		}
		loops = loops || e.source == e.target
	}
	return loops
}

// lists sorts edges by the node that owner names; edges that it declines are left out.
func (r *Run) lists(owner func(edge) (node int32, ok bool)) csr {
	first := make([]int32, len(r.nodes)+1)
	for _, e := range r.edges {
		if v, ok := owner(e); ok {
			first[v+1]++
		}
	}
	for v := range r.nodes {
		first[v+1] += first[v]
	}
	edges := make([]int32, first[len(r.nodes)])
	free := append([]int32(nil), first[:len(r.nodes)]...)
	for j, e := range r.edges {
		if v, ok := owner(e); ok {
			edges[free[v]] = int32(j)
			free[v]++
		}
	}
	return csr{first, edges}
}
