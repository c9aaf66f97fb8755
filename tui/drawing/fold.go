package drawing

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"wf/tui/plain"
)

// A stage is a vertex of a folded web: nodes that do the same at the same place. Their group is the same, or
// otherwise their commands apart from numbers, paths and ids; and so is the set of stages right before them.
type stage struct {
	key, name string
	nodes     []int32 // of the graph, in file order
}

// folded is a web of stages, which are numbered from top to bottom.
type folded struct {
	web    *web
	stages []stage
	of     []int32 // stage by node of the graph; -1 = hidden
}

// newFolded folds a web of nodes. Nodes are taken in topological order, so that the stages before
// a node are known when it comes.
func newFolded(g *Graph, w *web, nodes []int32) *folded {
	f := &folded{of: make([]int32, len(g.Nodes))}
	for v := range f.of {
		f.of[v] = -1
	}
	known := map[string]int32{}
	var before []int32
	var key []byte
	for _, v := range w.rows() {
		before = before[:0]
		for _, i := range w.in[v] {
			if a := &w.arcs[i]; !a.back {
				before = append(before, f.of[nodes[a.from]])
			}
		}
		slices.Sort(before)
		before = slices.Compact(before)
		n := &g.Nodes[nodes[v]]
		key = key[:0]
		for _, s := range before {
			key = binary.BigEndian.AppendUint32(key, uint32(s))
		}
		start := len(key)
		key = appendKey(key, n)
		s, found := known[string(key)]
		if !found {
			s = int32(len(f.stages))
			known[string(key)] = s
			f.stages = append(f.stages, stage{key: string(key[start:])})
		}
		f.of[nodes[v]] = s
		f.stages[s].nodes = append(f.stages[s].nodes, nodes[v])
	}
	f.link(g, w, nodes)
	return f
}

// link joins the stages as their nodes are joined, and numbers them from top to bottom.
func (f *folded) link(g *Graph, w *web, nodes []int32) {
	arcs := make([]arc, 0, len(w.arcs))
	for _, a := range w.arcs {
		a.from, a.to = f.of[nodes[a.from]], f.of[nodes[a.to]]
		arcs = append(arcs, a)
	}
	for v, loop := range w.loops {
		if s := f.of[nodes[v]]; loop {
			arcs = append(arcs, arc{from: s, to: s, edge: -1, weak: true})
		}
	}
	order := newWeb(len(f.stages), slices.Clone(arcs)).rows()
	number := make([]int32, len(order))
	sorted := make([]stage, len(order))
	for i, s := range order {
		number[s] = int32(i)
		sorted[i] = f.stages[s]
		slices.Sort(sorted[i].nodes)
		sorted[i].name = stageName(g, sorted[i].nodes)
	}
	f.stages = sorted
	f.distinguish()
	for v, s := range f.of {
		if s >= 0 {
			f.of[v] = number[s]
		}
	}
	for i := range arcs {
		arcs[i].from, arcs[i].to = number[arcs[i].from], number[arcs[i].to]
	}
	f.web = newWeb(len(f.stages), arcs)
	for i := range f.web.arcs { // in a loop, other numbers would make other arcs lead back
		a := &f.web.arcs[i]
		a.back = a.from > a.to
	}
}

// distinguish adds to equal names of stages what only their commands have, from the first word on that
// differs.
func (f *folded) distinguish() {
	alike := map[string][]int{}
	for i, s := range f.stages {
		if len(s.nodes) > 1 {
			alike[s.name] = append(alike[s.name], i)
		}
	}
	for _, list := range alike {
		common := f.stages[list[0]].key
		for _, i := range list {
			common = commonPrefix(common, f.stages[i].key)
		}
		start := strings.LastIndexAny(common, nameEnds+"/:=") + 1
		for _, i := range list {
			if s := &f.stages[i]; len(s.key) > len(common) {
				s.name += " " + head(s.key[start:], longestName)
			}
		}
	}
}

// commonPrefix returns the common beginning of two texts, in whole runes.
func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return a[:n]
}

// appendKey appends what a node has in common with the others of its stage.
func appendKey(key []byte, n *Node) []byte {
	if n.Group != "" {
		return append(append(key, "group "...), n.Group...)
	}
	if strings.TrimSpace(n.Command) == "" {
		return append(append(key, "name "...), stem(n.Name)...)
	}
	return appendTemplate(key, n.Command)
}

// appendTemplate appends a command with what differs from one sample to the next masked: # for
// numbers, @ for the paths among the arguments, & for long ids. In a comment words are names, not paths.
func appendTemplate(key []byte, command string) []byte {
	first, comment := true, false
	for word := range strings.FieldsSeq(command) {
		if !first {
			key = append(key, ' ')
		}
		comment = comment || word[0] == '#'
		switch {
		case !first && !comment && strings.ContainsAny(word, "/."):
			key = append(key, '@')
		case isID(word):
			key = append(key, '&')
		default:
			for i := 0; i < len(word); i++ {
				if !isDigit(word[i]) {
					key = append(key, word[i])
				} else if i == 0 || !isDigit(word[i-1]) {
					key = append(key, '#')
				}
			}
		}
		first = false
	}
	return key
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isID recognises hashes and UUIDs: long, hexadecimal, with a digit.
func isID(word string) bool {
	return len(word) >= 16 && strings.Trim(word, "0123456789abcdefABCDEF-") == "" && strings.ContainsAny(word, "0123456789")
}

// nameEnds are the separators between the parts of a name.
const nameEnds = "_-.~ "

// stem returns a name without its last part: align of align_S001.
func stem(name string) string {
	if i := strings.LastIndexAny(name, nameEnds); i > 0 {
		return strings.TrimRight(name[:i], nameEnds)
	}
	if short := strings.TrimRight(name, "0123456789"); short != "" {
		return short
	}
	return name
}

// stageName returns the name of the only node, the group, or the common beginning of the names.
func stageName(g *Graph, nodes []int32) string {
	first := &g.Nodes[nodes[0]]
	switch {
	case len(nodes) == 1:
		return nodeName(g, nodes[0])
	case first.Group != "":
		return plain.Line(first.Group)
	}
	common := first.Name
	for _, v := range nodes[1:] {
		common = commonPrefix(common, g.Nodes[v].Name)
	}
	if common != first.Name && common != "" && !strings.ContainsAny(common[len(common)-1:], nameEnds) {
		common = stem(common) // it ends within a word
	}
	if common = plain.Line(strings.TrimRight(common, nameEnds)); common == "" {
		return plain.Line(first.Name)
	}
	return common
}
