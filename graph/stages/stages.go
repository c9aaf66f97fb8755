// Package stages folds the nodes of a workflow into stages: nodes that do the same at the same place. It is the one
// rule for reports and drawings. A vertex is a number from 0 on, in file order.
package stages

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"wf/graph/layered"
)

// A Node is what stages depend on.
type Node struct{ Name, Group, Command string }

// A Stage is a set of nodes with the same group, or otherwise the same command apart from numbers, paths and ids, and
// the same stages right before them.
type Stage struct {
	Nodes []int32 // in file order
	key   string  // what its nodes have in common
}

// Fold folds nodes into stages, of which each comes before those that follow it, and chains stay together. arcs lead
// from nodes to others; layered.MarkBack has marked those that lead back. of is the stage of each node.
func Fold(nodes []Node, arcs []layered.Arc) (stages []Stage, of []int32) {
	stages, of = gather(nodes, arcs)
	links := between(arcs, of)
	layered.MarkBack(len(stages), links)
	order := layered.Rows(len(stages), links)
	place := make([]int32, len(order))
	sorted := make([]Stage, len(order))
	for i, s := range order {
		place[s] = int32(i)
		sorted[i] = stages[s]
		slices.Sort(sorted[i].Nodes)
	}
	for v, s := range of {
		of[v] = place[s]
	}
	return sorted, of
}

// gather puts the nodes into stages, in topological order, so that the stages before a node are known when it comes.
func gather(nodes []Node, arcs []layered.Arc) (stages []Stage, of []int32) {
	before := make([][]int32, len(nodes))
	for _, a := range arcs {
		if !a.Back {
			before[a.To] = append(before[a.To], a.From)
		}
	}
	of = make([]int32, len(nodes))
	known := map[string]int32{}
	var around []int32
	var key []byte
	for _, v := range layered.Rows(len(nodes), arcs) {
		around = around[:0]
		for _, b := range before[v] {
			around = append(around, of[b])
		}
		slices.Sort(around)
		key = key[:0]
		for _, s := range slices.Compact(around) {
			key = binary.BigEndian.AppendUint32(key, uint32(s))
		}
		start := len(key)
		key = appendKey(key, nodes[v])
		s, found := known[string(key)]
		if !found {
			s = int32(len(stages))
			known[string(key)] = s
			stages = append(stages, Stage{key: string(key[start:])})
		}
		of[v] = s
		stages[s].Nodes = append(stages[s].Nodes, v)
	}
	return stages, of
}

// between returns the arcs between stages that the arcs between nodes make, each once, and with their strongest type.
// An arc within a stage is left out.
func between(arcs []layered.Arc, of []int32) []layered.Arc {
	arcsOf := make([]layered.Arc, 0, len(arcs))
	for _, a := range arcs {
		if from, to := of[a.From], of[a.To]; from != to {
			arcsOf = append(arcsOf, layered.Arc{From: from, To: to, Weak: a.Weak})
		}
	}
	slices.SortFunc(arcsOf, func(a, b layered.Arc) int {
		weak := func(a layered.Arc) int {
			if a.Weak {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), weak(a)-weak(b))
	})
	return slices.CompactFunc(arcsOf, func(a, b layered.Arc) bool { return a.From == b.From && a.To == b.To })
}

// appendKey appends what a node has in common with the others of its stage.
func appendKey(key []byte, n Node) []byte {
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
		case isNumber(word):
			key = append(key, '#')
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

// isNumber reports whether a word is a number, like -3 and 0.25.
func isNumber(word string) bool {
	return isDigit(word[len(word)-1]) && strings.Trim(word, "+-.0123456789") == ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isID recognises hashes and UUIDs: long, hexadecimal, with a digit.
func isID(word string) bool {
	return len(word) >= 16 && strings.Trim(word, "0123456789abcdefABCDEF-") == "" && strings.ContainsAny(word, "0123456789")
}

// nameEnds are the separators between the parts of a name.
const nameEnds = "_-.~ "

// longestPart is the most bytes that tell stages with equal names apart.
const longestPart = 200

// beginning returns the beginning of a text, in whole runes.
func beginning(text string) string {
	n := min(len(text), longestPart)
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Names returns the names of stages: the name of a single node, the group, or the common beginning of the names. Equal
// names get what only their commands have, from the first word on that differs.
func Names(stages []Stage, nodes []Node) []string {
	names := make([]string, len(stages))
	alike := map[string][]int{}
	for i, s := range stages {
		names[i] = name(s.Nodes, nodes)
		if len(s.Nodes) > 1 {
			alike[names[i]] = append(alike[names[i]], i)
		}
	}
	for _, list := range alike {
		common := stages[list[0]].key
		for _, i := range list {
			common = commonPrefix(common, stages[i].key)
		}
		start := strings.LastIndexAny(common, nameEnds+"/:=") + 1
		for _, i := range list {
			if key := stages[i].key; len(key) > len(common) {
				names[i] += " " + beginning(key[start:])
			}
		}
	}
	return names
}

// name returns the name of a stage, if it does not have to be told apart from others.
func name(stage []int32, nodes []Node) string {
	first := &nodes[stage[0]]
	switch {
	case len(stage) == 1:
		return first.Name
	case first.Group != "":
		return first.Group
	}
	common := first.Name
	for _, v := range stage[1:] {
		common = commonPrefix(common, nodes[v].Name)
	}
	if common != first.Name && common != "" && !strings.ContainsAny(common[len(common)-1:], nameEnds) {
		common = stem(common) // it ends within a word
	}
	if common = strings.TrimRight(common, nameEnds); common == "" {
		return first.Name
	}
	return common
}

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
