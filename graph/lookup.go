package graph

import (
	"fmt"
	"slices"
	"strings"
)

// minPrefix is the minimum length of a prefix of an id that selects a node, in bytes.
const minPrefix = 4

// A SelectorError reports that a text selects no node.
type SelectorError struct {
	Text        string   // the part of the text
	Problem     string   // the reason; "" = unknown node
	Suggestions []string // similar handles or words, at most three, best first
}

func (e *SelectorError) Error() string {
	if e.Problem != "" {
		return e.Problem
	}
	return fmt.Sprintf("no node %q", e.Text)
}

// find returns the nodes that a text names, in file order. The text is one of these, in this order: a
// handle, an id, a name, the start of exactly one id (at least four bytes), the program of exactly one
// node, a glob for handles, a glob for ids. id:TEXT is only an id. The error is a *SelectorError.
func (t *HandleTable) find(text string) ([]*Node, error) {
	if id, found := strings.CutPrefix(text, "id:"); found && t.byHandleOrID(text) == nil {
		if n := t.g.Node(id); n != nil {
			return []*Node{n}, nil
		}
		return nil, &SelectorError{Text: text, Problem: fmt.Sprintf("no node has the id %q", id)}
	}
	if n := t.byHandleOrID(text); n != nil {
		return []*Node{n}, nil
	}
	if named := t.byName(text); named != nil {
		return named, nil
	}
	if begun := t.byIDPrefix(text); len(begun) == 1 {
		return begun, nil
	} else if len(begun) > 1 {
		return nil, ambiguous(text, "is the start of the ids of", begun, func(n *Node) string { return n.ID })
	}
	if running := t.byProgram(text); len(running) == 1 {
		return running, nil
	} else if len(running) > 1 {
		return nil, ambiguous(text, "means", running, t.Of)
	}
	if isGlob(text) {
		if matched := t.byGlob(text); matched != nil {
			return matched, nil
		}
		return nil, &SelectorError{Text: text, Problem: fmt.Sprintf("no node matches %q", text)}
	}
	return nil, &SelectorError{Text: text, Suggestions: t.suggest(text)}
}

// byHandleOrID returns the node with the handle or the id, or nil.
func (t *HandleTable) byHandleOrID(text string) *Node {
	if i, found := t.byHandle[text]; found {
		return t.g.nodes.list[i]
	}
	return t.g.Node(text)
}

// byName returns the nodes whose name in the file is the text.
func (t *HandleTable) byName(text string) []*Node {
	return t.filter(func(n *Node) bool { return text != "" && n.Name == text })
}

// byIDPrefix returns the nodes whose id starts with the text.
func (t *HandleTable) byIDPrefix(text string) []*Node {
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

// byProgram returns the nodes without a name whose command runs the program in the text, or whose
// handle starts with the text, as in samtools_sort for samtools_sort_S1.
func (t *HandleTable) byProgram(text string) []*Node {
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

// ambiguous returns the error for a text that matches several nodes. call returns their names in it.
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

// byGlob returns the nodes whose handle matches the glob, or if there are none, those whose id does.
func (t *HandleTable) byGlob(pattern string) []*Node {
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
