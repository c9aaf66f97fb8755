package scheduler

import (
	"errors"

	"wf/graph"
)

// Mode is how a run begins.
type Mode uint8

// The modes. Auto is only asked for, never chosen.
const (
	Auto   Mode = iota // Resume if a node has failed, otherwise Fresh
	Fresh              // from a clean slate
	Resume             // repeat the failed nodes and continue from there
)

// String returns the word that people and programs see.
func (m Mode) String() string { return [...]string{"auto", "fresh", "resume"}[m] }

// ErrNothingToResume says that a resume was asked for and no node has failed.
var ErrNothingToResume = errors.New("nothing to resume: no node has failed")

// A Request says which nodes a caller wants to run.
type Request struct {
	Selected []*graph.Node // a container selects the nodes in it
	// Explicit says that Selected counts, even if it is empty: Auto then means Fresh, and a Resume
	// keeps within it.
	Explicit bool
	Excluded []*graph.Node
	Mode     Mode
	// LastScope returns the nodes of the last run that the node took part in. It is called in a
	// resume only, once for each failed node: it should return the same slice for the nodes of
	// one run, and must not change it meanwhile. nil = no earlier run is known.
	LastScope func(id string) (ids []string, known bool)
	// Handled says that the failure of a node was handled by an edge: a resume does not repeat it. It is
	// called for failed nodes only; nil = none was.
	Handled func(n *graph.Node) bool
	// Due says that an activation of the node was taken back when an earlier run ended, so that there is
	// something to go on with, even if nothing has failed. It is called for idle nodes only, when a Resume
	// is requested; nil = there is none.
	Due func(n *graph.Node) bool
	// Active reports whether a current run owns the node. Any other node that is queued or
	// running was left so by a daemon that died. nil = there is no other run.
	Active func(n *graph.Node) bool
}

// A Scope is the nodes that one run may touch. Groups are never part of it; a sub-flow is, with its
// content.
type Scope struct {
	Mode   Mode          // Fresh or Resume
	Nodes  []*graph.Node // in file order
	All    bool          // every command of the graph
	Failed []*graph.Node // Resume: the nodes that had failed, in file order
}

// Choose returns the scope of a request (docs/semantics.md).
func Choose(g *graph.Graph, req Request) (Scope, error) {
	c := newChooser(g, req)
	if req.Mode == Resume || req.Mode == Auto && !req.Explicit {
		if failed := c.failed(); len(failed) > 0 {
			return c.scope(Resume, failed, c.lastScopes(failed)), nil
		}
		if req.Mode == Resume {
			return Scope{}, ErrNothingToResume
		}
	}
	return c.scope(Fresh, nil, nil), nil
}

// chooser finds the nodes that a request allows.
type chooser struct {
	g       *graph.Graph
	req     Request
	allowed []bool // by position: runnable, selected, not excluded
}

func newChooser(g *graph.Graph, req Request) chooser {
	c := chooser{g: g, req: req, allowed: make([]bool, len(g.Nodes()))}
	selected, excluded := named(g, req.Selected), named(g, req.Excluded)
	for i, n := range g.Nodes() {
		c.allowed[i] = n.Runnable() && !excluded[i] && (selected[i] || !req.Explicit)
		if !c.allowed[i] || n.Parent == nil {
			continue
		}
		// The content of a sub-flow runs as part of it.
		for home := n.Home(); home != nil; home = home.Home() {
			c.allowed[home.Pos()] = !excluded[home.Pos()]
		}
	}
	return c
}

// named reports, by position, which nodes a list names: the nodes in it, and the content of its containers.
func named(g *graph.Graph, list []*graph.Node) []bool {
	in := make([]bool, len(g.Nodes()))
	for _, n := range list {
		in[n.Pos()] = true
	}
	for i, n := range g.Nodes() {
		// A container comes before its content.
		if n.Parent != nil && n.Parent.Container && in[n.Parent.Pos()] {
			in[i] = true
		}
	}
	return in
}

// failed returns the nodes that a resume would repeat.
func (c chooser) failed() []*graph.Node {
	var failed []*graph.Node
	for i, n := range c.g.Nodes() {
		if c.allowed[i] && c.hasFailed(n) && (n.Parent == nil || n.Home() == nil) {
			failed = append(failed, n)
		}
	}
	return failed
}

func (c chooser) hasFailed(n *graph.Node) bool {
	switch n.Status {
	case graph.Idle:
		return c.req.Mode == Resume && c.req.Due != nil && c.req.Due(n)
	case graph.Failed:
		return c.req.Handled == nil || !c.req.Handled(n)
	case graph.Queued, graph.Running:
		return c.req.Active == nil || !c.req.Active(n)
	}
	return false
}

// lastScopes unites the scopes in which the nodes failed, by position; nil = all nodes, because the scope
// of one is unknown.
func (c chooser) lastScopes(failed []*graph.Node) []bool {
	if c.req.LastScope == nil {
		return nil
	}
	within := make([]bool, len(c.g.Nodes()))
	united := map[*string]bool{} // by first element: usually all nodes failed in one run
	for _, n := range failed {
		ids, known := c.req.LastScope(n.ID)
		if !known {
			return nil
		}
		within[n.Pos()] = true
		if len(ids) == 0 || united[&ids[0]] {
			continue
		}
		united[&ids[0]] = true
		for _, id := range ids {
			if m := c.g.Node(id); m != nil {
				within[m.Pos()] = true
			}
		}
	}
	return within
}

func (c chooser) scope(mode Mode, failed []*graph.Node, within []bool) Scope {
	s := Scope{Mode: mode, Failed: failed, All: true}
	for i, n := range c.g.Nodes() {
		switch {
		case c.allowed[i] && (within == nil || within[i]):
			s.Nodes = append(s.Nodes, n)
		case n.Runnable():
			s.All = false
		}
	}
	return s
}
