package graph

import (
	"strconv"
	"strings"
)

// maxHandle bounds the length of a handle that is taken from a command, in bytes.
const maxHandle = 64

// A HandleTable gives each node of a graph a short unique word, by which people call it. It is
// valid until the next Apply.
type HandleTable struct {
	g        *Graph
	handles  []string         // by position
	byHandle map[string]int32 // position
	ids      []*Node          // by ID, made when a prefix is first looked for
}

// Handles computes the handles: the name of a node, else a word out of its command, made unique
// by ~2, ~3 and so on in file order. Names get the bare word before commands do.
func Handles(g *Graph) *HandleTable {
	t := &HandleTable{
		g:        g,
		handles:  make([]string, len(g.nodes.list)),
		byHandle: make(map[string]int32, len(g.nodes.list)),
	}
	var repeated []int // nodes whose name an earlier node has
	for i, n := range g.nodes.list {
		if name := strings.TrimSpace(n.Name); name != "" && !t.take(i, name) {
			repeated = append(repeated, i)
		}
	}
	last := map[string]int{} // the highest number given to a word
	for _, i := range repeated {
		t.takeNumbered(i, strings.TrimSpace(g.nodes.list[i].Name), last)
	}
	for i, n := range g.nodes.list {
		if t.handles[i] != "" {
			continue
		}
		if word := handleWord(n); !t.take(i, word) {
			t.takeNumbered(i, word, last)
		}
	}
	return t
}

// take gives the handle to a node unless another one has it.
func (t *HandleTable) take(node int, handle string) bool {
	if _, taken := t.byHandle[handle]; taken {
		return false
	}
	t.byHandle[handle] = int32(node)
	t.handles[node] = handle
	return true
}

func (t *HandleTable) takeNumbered(node int, word string, last map[string]int) {
	for number := max(last[word], 1) + 1; ; number++ {
		if t.take(node, word+"~"+strconv.Itoa(number)) {
			last[word] = number
			return
		}
	}
}

// Of returns the handle of a node.
func (t *HandleTable) Of(n *Node) string { return t.handles[n.pos] }

// handleWord makes a handle, unique or not, for a node without a name.
func handleWord(n *Node) string {
	word := commandWord(n.Label)
	if len(word) > maxHandle {
		word = word[:maxHandle]
	}
	word = strings.Map(handleRune, word)
	switch {
	case word != "":
		return word
	case n.Container:
		return "group"
	}
	return "node"
}

func handleRune(r rune) rune {
	if isAlphanumeric(r) || r == '_' || r == '.' || r == '-' {
		return r
	}
	return '_'
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
