package stages

import (
	"strings"
	"unicode/utf8"
)

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
