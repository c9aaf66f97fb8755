package graph

import (
	"fmt"
	"slices"
	"strings"
)

// minPrefix is how many bytes of an id name a node if no other id begins with them.
const minPrefix = 4

// A SelectorError says that a text selects no node.
type SelectorError struct {
	Text        string   // the part that does not
	Problem     string   // why, if it is not simply unknown
	Suggestions []string // what may have been meant: handles or words, at most three, best first
}

func (e *SelectorError) Error() string {
	if e.Problem != "" {
		return e.Problem
	}
	return fmt.Sprintf("no node %q", e.Text)
}

// Find returns the nodes that a text names. It is, in this order: a handle, an id, a name, the
// beginning of just one id (at least four bytes), the program of just one node, a glob that matches handles
// or else ids. id:TEXT is an id and nothing else. Several nodes come in file order. The error is a
// *SelectorError.
func (t *HandleTable) Find(text string) ([]*Node, error) {
	if id, found := strings.CutPrefix(text, "id:"); found && t.exact(text) == nil {
		if n := t.g.byID[id]; n != nil {
			return []*Node{n}, nil
		}
		return nil, &SelectorError{Text: text, Problem: fmt.Sprintf("no node has the id %q", id)}
	}
	if n := t.exact(text); n != nil {
		return []*Node{n}, nil
	}
	if named := t.named(text); named != nil {
		return named, nil
	}
	if begun := t.begun(text); len(begun) == 1 {
		return begun, nil
	} else if len(begun) > 1 {
		return nil, ambiguous(text, "begins the ids of", begun, func(n *Node) string { return n.ID })
	}
	if running := t.running(text); len(running) == 1 {
		return running, nil
	} else if len(running) > 1 {
		return nil, ambiguous(text, "means", running, t.Of)
	}
	if isGlob(text) {
		if matched := t.matched(text); matched != nil {
			return matched, nil
		}
		return nil, &SelectorError{Text: text, Problem: fmt.Sprintf("no node matches %q", text)}
	}
	return nil, &SelectorError{Text: text, Suggestions: t.suggest(text)}
}

// exact returns the node with the handle or the id, or nil.
func (t *HandleTable) exact(text string) *Node {
	if i, found := t.byHandle[text]; found {
		return t.g.nodes.list[i]
	}
	return t.g.byID[text]
}

// named returns the nodes with the name as the file writes it.
func (t *HandleTable) named(text string) []*Node {
	return t.filter(func(n *Node) bool { return text != "" && n.Name == text })
}

// begun returns the nodes whose id begins with the text.
func (t *HandleTable) begun(text string) []*Node {
	if len(text) < minPrefix {
		return nil
	}
	if t.ids == nil {
		t.ids = slices.Clone(t.g.nodes.list)
		slices.SortFunc(t.ids, func(a, b *Node) int { return strings.Compare(a.ID, b.ID) })
	}
	from, _ := slices.BinarySearchFunc(t.ids, text, func(n *Node, text string) int { return strings.Compare(n.ID, text) })
	to := from
	for to < len(t.ids) && strings.HasPrefix(t.ids[to].ID, text) {
		to++
	}
	return t.ids[from:to:to]
}

// running returns the nodes that a command line calls what the text says, where their handles say more than
// that: the program, or the program and what it is asked to do.
func (t *HandleTable) running(text string) []*Node {
	if text == "" || isGlob(text) {
		return nil
	}
	return t.filter(func(n *Node) bool {
		if strings.TrimSpace(n.Name) != "" {
			return false
		}
		rest, longer := strings.CutPrefix(t.Of(n), text)
		return longer && rest != "" && (rest[0] == '_' || rest[0] == '~') || CommandWord(n) == text
	})
}

// ambiguous says that a text means several nodes, which are called what call says.
func ambiguous(text, what string, nodes []*Node, call func(*Node) string) error {
	shown := make([]string, 0, 3)
	for _, n := range nodes[:min(3, len(nodes))] {
		shown = append(shown, call(n))
	}
	list := strings.Join(shown, ", ")
	if len(nodes) > len(shown) {
		list += ", ..."
	}
	return &SelectorError{
		Text:        text,
		Problem:     fmt.Sprintf("%q %s %d nodes: %s", text, what, len(nodes), list),
		Suggestions: shown,
	}
}

// matched returns the nodes whose handle matches the glob, or if there are none, whose id does.
func (t *HandleTable) matched(pattern string) []*Node {
	if byHandle := t.filter(func(n *Node) bool { return globMatch(pattern, t.Of(n)) }); byHandle != nil {
		return byHandle
	}
	return t.filter(func(n *Node) bool { return globMatch(pattern, n.ID) })
}

func (t *HandleTable) filter(keep func(*Node) bool) []*Node {
	var kept []*Node
	for _, n := range t.g.nodes.list {
		if keep(n) {
			kept = append(kept, n)
		}
	}
	return kept
}
