package graph

import (
	"fmt"
	"slices"
	"strings"
)

// A Pick is a node that a selector selects, and the reason.
type Pick struct {
	Node *Node
	Way  Way
	By   string // the part of the selector that names the node, or the node that it is upstream or downstream of
}

// Way is the relation of a selected node to the selector.
type Way uint8

// The ways. A named node is not also upstream or downstream.
const (
	NotPicked Way = iota
	Named
	Upstream   // before a node that By names
	Downstream // after a node that By names
)

// Picks returns the nodes that any of the expressions selects, in file order, each with its reason. An
// expression is a list, separated by commas or white space, of
//
//	NODE   see find               s:STATE   nodes in a state: failed, ok, queued …
//	+X     X and all upstream     g:GROUP   nodes of a group or container, glob allowed
//	X+     X and all downstream   id:ID     the node with this id
//
// An expression or a part that is exactly an id selects that node, whatever characters it contains, and
// so does a part between commas that is exactly a handle. No handle looks like the other forms. state
// returns the displayed state of a node; nil means the state of its status. The error is a
// *SelectorError; then nothing is selected.
func Picks(g *Graph, table *HandleTable, exprs []string, state func(*Node) string) ([]Pick, error) {
	if state == nil {
		state = func(n *Node) string { return stateOf[n.Status] }
	}
	s := selection{g: g, table: table, state: state, picks: make([]Pick, len(g.nodes.list))}
	for _, expr := range exprs {
		if err := s.expression(expr); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(s.picks, func(p Pick) bool { return p.Way == NotPicked }), nil
}

// stateWords are the values for s:; stateOf maps a status to a state.
var (
	stateWords = []string{"idle", "queued", "running", "ok", "failed", "cancelled", "blocked", "skipped", "waiting", "retrying"}
	stateOf    = [...]string{Idle: "idle", Queued: "queued", Running: "running", Ran: "ok", Failed: "failed", Skipped: "skipped"}
)

type selection struct {
	g     *Graph
	table *HandleTable
	state func(*Node) string
	picks []Pick // by position
}

// pick stores why a node is selected. Named takes precedence over the other ways.
func (s *selection) pick(n *Node, way Way, by string) {
	if p := &s.picks[n.pos]; p.Way == NotPicked || way == Named && p.Way != Named {
		*p = Pick{n, way, by}
	}
}

func (s *selection) expression(expr string) error {
	// The whole expression may be one id with blanks and commas.
	id, _ := strings.CutPrefix(expr, "id:")
	if bare, _, _ := cutPlus(expr); s.table.byHandleOrID(expr) != nil || s.table.byHandleOrID(bare) != nil || s.g.Node(id) != nil {
		return s.term(expr)
	}
	for part := range strings.SplitSeq(expr, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		terms := []string{part} // a name may contain blanks
		if bare, _, _ := cutPlus(part); s.table.byHandleOrID(part) == nil && s.table.byHandleOrID(bare) == nil {
			terms = strings.Fields(part)
		}
		for _, term := range terms {
			if err := s.term(term); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *selection) term(term string) error {
	if n := s.table.byHandleOrID(term); n != nil {
		s.pick(n, Named, term)
		return nil
	}
	bare, up, down := cutPlus(term)
	if bare == "" || bare == "g:" {
		return &SelectorError{Text: term, Problem: fmt.Sprintf("%q selects nothing: a name must follow", term)}
	}
	nodes, err := s.atom(bare)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		s.pick(n, Named, bare)
	}
	if up {
		s.spread(nodes, func(n *Node) { s.pick(n, Upstream, bare) }, func(n *Node) []*Edge { return n.In },
			func(e *Edge) *Node { return e.Source })
	}
	if down {
		s.spread(nodes, func(n *Node) { s.pick(n, Downstream, bare) }, func(n *Node) []*Edge { return n.Out },
			func(e *Edge) *Node { return e.Target })
	}
	return nil
}

// cutPlus removes the signs for upstream and downstream from a term.
func cutPlus(term string) (bare string, up, down bool) {
	bare, up = strings.CutPrefix(term, "+")
	bare, down = strings.CutSuffix(bare, "+")
	return bare, up, down
}

func (s *selection) atom(text string) ([]*Node, error) {
	if s.table.byHandleOrID(text) == nil {
		if word, found := strings.CutPrefix(text, "s:"); found {
			return s.inState(word)
		}
		if group, found := strings.CutPrefix(text, "g:"); found {
			return s.ofGroup(group)
		}
	}
	return s.table.find(text)
}

// inState returns the nodes in a displayed state, or with a status as it is written in files.
func (s *selection) inState(word string) ([]*Node, error) {
	for _, w := range stateWords {
		if w == word {
			return s.table.filter(func(n *Node) bool { return s.state(n) == word }), nil
		}
	}
	if status, known := ParseStatus(word); known && status != Idle {
		return s.table.filter(func(n *Node) bool { return n.Status == status }), nil
	}
	return nil, &SelectorError{
		Text:        "s:" + word,
		Problem:     fmt.Sprintf("no state %q (there are %s)", word, strings.Join(stateWords, ", ")),
		Suggestions: closest(word, stateWords),
	}
}

// ofGroup returns the nodes of a group. A group without nodes does not exist.
func (s *selection) ofGroup(group string) ([]*Node, error) {
	if nodes := s.table.filter(func(n *Node) bool { return s.inGroup(n, group) }); nodes != nil {
		return nodes, nil
	}
	err := &SelectorError{Text: "g:" + group, Problem: fmt.Sprintf("no group %q", group)}
	if !isGlob(group) {
		err.Suggestions = closest(group, s.groups())
	}
	return nil, err
}

// groups returns the groups and the containers with nodes, each once, in file order.
func (s *selection) groups() []string {
	var groups []string
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			groups = append(groups, name)
		}
	}
	for _, n := range s.g.nodes.list {
		add(n.Group)
		if n.Parent != nil {
			add(s.table.Of(n.Parent))
		}
	}
	return groups
}

// inGroup reports whether the node has the group, or is in a container with this handle.
func (s *selection) inGroup(n *Node, group string) bool {
	if n.Group != "" && globMatch(group, n.Group) {
		return true
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if globMatch(group, s.table.Of(p)) {
			return true
		}
	}
	return false
}

// spread calls pick for all nodes that can be reached from the given nodes along the edges.
func (s *selection) spread(from []*Node, pick func(*Node), edges func(*Node) []*Edge, end func(*Edge) *Node) {
	seen := make([]bool, len(s.g.nodes.list))
	stack := append([]*Node(nil), from...)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n.pos] {
			continue
		}
		seen[n.pos] = true
		pick(n)
		for _, e := range edges(n) {
			stack = append(stack, end(e))
		}
	}
}
