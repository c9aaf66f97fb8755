package graph

import (
	"strconv"
	"strings"
)

// maxHandle is the maximum length of a handle made from a command, and maxChosen of one that a person chose as an id or a
// comment, in bytes.
const maxHandle, maxChosen = 64, 128

// A HandleTable contains the handle of each node of a graph: a short unique word by which people refer
// to it. It is valid until the next Apply.
type HandleTable struct {
	g        *Graph
	handles  []string         // by position
	byHandle map[string]int32 // position
	ids      []*Node          // sorted by ID; made when a prefix is first searched
	last     map[string]int   // the highest number appended to a word; only while the table is made
}

// Handles returns the handles of a graph. They are computed once for each state of the graph. The handle
// of a node is the first of these that it has:
//
//   - its name
//   - its id, if it is a word chosen by a person, not a UUID or n12; of a long one with points, its end
//   - a comment at the end of its command: … # align S1
//   - the program, and what distinguishes its command from others with that program: trim_S017
//
// Equal handles are made unique by ~2, ~3 and so on in file order. The handle of a node is never the id
// of another node, so that an id always selects its node.
func Handles(g *Graph) *HandleTable {
	if g.handles == nil {
		g.handles = newHandles(g)
	}
	return g.handles
}

func newHandles(g *Graph) *HandleTable {
	t := &HandleTable{
		g:        g,
		handles:  make([]string, len(g.nodes.list)),
		byHandle: make(map[string]int32, len(g.nodes.list)),
		last:     map[string]int{},
	}
	var repeated, rest, within []int32 // nodes whose name an earlier node has; nodes without a name; those of other workfiles
	for i, n := range g.nodes.list {
		if n.Included() {
			within = append(within, int32(i))
			continue
		}
		switch name := handleOfName(n.Name); {
		case name == "":
			rest = append(rest, int32(i))
		case !t.take(int32(i), name):
			repeated = append(repeated, int32(i))
		}
	}
	for _, i := range repeated {
		t.takeNumbered(i, handleOfName(g.nodes.list[i].Name))
	}
	rest = t.takeAll(rest, func(n *Node) string {
		if isChosen(n.ID) {
			return ending(n.ID)
		}
		return ""
	})
	rest = t.takeAll(rest, func(n *Node) string { return closingComment(n.Label) })
	t.takeCommands(rest)
	t.takeAll(within, func(n *Node) string { return t.Of(n.uncommon.included.at) + "/" + n.uncommon.included.handle })
	t.last = nil
	return t
}

// takeAll gives nodes the handles that a function returns, and returns the nodes without one.
func (t *HandleTable) takeAll(nodes []int32, handle func(*Node) string) (rest []int32) {
	rest = nodes[:0]
	for _, i := range nodes {
		word := handle(t.g.nodes.list[i])
		switch {
		case word == "":
			rest = append(rest, i)
		case !t.take(i, word):
			t.takeNumbered(i, word)
		}
	}
	return rest
}

// take gives the handle to a node unless it is the handle or the id of another node.
func (t *HandleTable) take(node int32, handle string) bool {
	if _, taken := t.byHandle[handle]; taken {
		return false
	}
	if n := t.g.nodes.list[node]; n.ID != handle && t.g.Node(handle) != nil {
		return false
	}
	t.byHandle[handle] = node
	t.handles[node] = handle
	return true
}

func (t *HandleTable) takeNumbered(node int32, word string) {
	for number := max(t.last[word], 1) + 1; ; number++ {
		if t.take(node, word+"~"+strconv.Itoa(number)) {
			t.last[word] = number
			return
		}
	}
}

// Of returns the handle of a node.
func (t *HandleTable) Of(n *Node) string { return t.handles[n.pos] }

// handleOfName makes a handle from a name: the name itself, changed where it contains selector syntax.
func handleOfName(name string) string {
	name = strings.TrimSpace(name)
	if SelectorSyntax(name) == "" {
		return name
	}
	name = strings.ReplaceAll(name, ",", "_")
	for _, prefix := range selectorPrefixes {
		if rest, found := strings.CutPrefix(name, prefix); found {
			name = strings.TrimSuffix(prefix, ":") + "_" + rest
		}
	}
	if rest, found := strings.CutPrefix(name, "+"); found {
		name = "_" + rest
	}
	if rest, found := strings.CutSuffix(name, "+"); found {
		name = rest + "_"
	}
	return name
}

// selectorPrefixes are the prefixes of selectors that are not names of nodes.
var selectorPrefixes = []string{"s:", "g:", "id:"}

// SelectorSyntax returns the part of a name that has another meaning in a selector, "" if there is none.
func SelectorSyntax(name string) string {
	for _, prefix := range selectorPrefixes {
		if strings.HasPrefix(name, prefix) {
			return prefix
		}
	}
	switch {
	case strings.HasPrefix(name, "+"), strings.HasSuffix(name, "+"):
		return "+"
	case strings.Contains(name, ","):
		return ","
	}
	return ""
}

// isChosen reports whether an id is a meaningful word. Others are generated: UUIDs, n12, node_12, 17.
func isChosen(id string) bool {
	if ending(id) == "" || !isLetter(rune(id[0])) || strings.ContainsFunc(id, func(r rune) bool { return handleRune(r) != r }) {
		return false
	}
	word := strings.TrimRight(id, "0123456789")
	if word != id {
		word = strings.ToLower(strings.TrimRight(word, "_-."))
		switch word {
		case "", "n", "e", "v", "x", "id", "node", "vertex", "element":
			return false
		}
	}
	return !isHex(id)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// isHex reports whether an id looks like a UUID or a hash: at least eight hexadecimal digits and dashes,
// with a decimal digit among them.
func isHex(id string) bool {
	return len(id) >= 8 && strings.ContainsAny(id, "0123456789") && strings.Trim(id, "0123456789abcdefABCDEF-") == ""
}

// ending returns a word, or if it is too long for a handle as many of the parts at its end as fit: those of
// FLOW.ALIGN.SORT_1 that differ most from node to node. It returns "" if the last part is too long.
func ending(word string) string {
	for len(word) > maxChosen {
		_, rest, found := strings.Cut(word, ".")
		if !found {
			_, rest, found = strings.Cut(word, ":")
		}
		if !found {
			return ""
		}
		word = rest
	}
	return word
}

// closingComment returns the comment at the end of a command as a handle: align_S1 for "bwa … # align S1".
// It returns "" if there is none or it is a sentence.
func closingComment(command string) string {
	command = strings.TrimRight(command, " \t\r\n")
	line := command[strings.LastIndexByte(command, '\n')+1:]
	at := strings.LastIndexByte(line, '#')
	if at < 0 || at > 0 && line[at-1] != ' ' && line[at-1] != '\t' || strings.Count(line[:at], "'")%2 != 0 || strings.Count(line[:at], `"`)%2 != 0 {
		return ""
	}
	comment := ending(strings.TrimSpace(line[at+1:]))
	words := strings.Fields(comment)
	const most = 4
	if len(words) == 0 || len(words) > most || strings.ContainsAny(comment, "\"'`$!\\;|&<>(){}") {
		return ""
	}
	handle := strings.Trim(strings.Map(handleRune, strings.Join(words, "_")), "_")
	if !strings.ContainsFunc(handle, isLetter) {
		return ""
	}
	return handle
}

// CommandWord returns the program that the command of a node runs, in the form used in handles; "" if
// there is none.
func CommandWord(n *Node) string {
	word := commandWord(n.Label)
	if len(word) > maxHandle {
		word = word[:maxHandle]
	}
	return strings.Map(handleRune, word)
}

// handleWord returns the word for a node without a name, a meaningful id and a comment.
func handleWord(n *Node) string {
	word := CommandWord(n)
	switch {
	case word != "":
		return word
	case typeable(n.ID):
		return n.ID
	case n.Container:
		return "group"
	}
	return "node"
}

// typeable reports whether an id is short and plain enough for the handle of a node without a command.
func typeable(id string) bool {
	const most = 24
	return id != "" && len(id) <= most && !isHex(id) && !strings.ContainsFunc(id, func(r rune) bool { return handleRune(r) != r })
}

func handleRune(r rune) rune {
	if isAlphanumeric(r) || r == '_' || r == '.' || r == '-' {
		return r
	}
	return '_'
}

func isAlphanumeric(r rune) bool {
	return isLetter(r) || r >= '0' && r <= '9'
}
