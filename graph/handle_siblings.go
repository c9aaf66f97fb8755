package graph

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Limits for the comparison of commands, which may be long scripts.
const (
	comparedBytes  = 1024
	comparedFields = 40
	maxColumns     = 3 // in a handle, after the program
	maxValue       = 24
)

// takeCommands gives handles to nodes by their commands. Nodes with the same program are siblings; the
// differences between their commands distinguish them.
func (t *HandleTable) takeCommands(nodes []int32) {
	for word, siblings := range grouped(nodes, func(i int32) string { return handleWord(t.g.nodes.list[i]) }) {
		if t.differ(siblings) {
			t.takeSiblings(word, siblings)
		} else {
			t.takeEach(word, siblings)
		}
	}
}

// grouped yields the elements of a list by their keys, the keys in the order of their first elements.
func grouped[K comparable, T any](list []T, key func(T) K) iter.Seq2[K, []T] {
	groups, order := map[K][]T{}, []K{}
	for _, x := range list {
		k := key(x)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], x)
	}
	return func(yield func(K, []T) bool) {
		for _, k := range order {
			if !yield(k, groups[k]) {
				return
			}
		}
	}
}

// differ reports whether the commands of nodes are not all the same.
func (t *HandleTable) differ(nodes []int32) bool {
	first := t.g.nodes.list[nodes[0]].Label
	return slices.ContainsFunc(nodes[1:], func(i int32) bool { return t.g.nodes.list[i].Label != first })
}

// takeEach gives the same word to nodes, with numbers appended.
func (t *HandleTable) takeEach(word string, nodes []int32) {
	for _, i := range nodes {
		if !t.take(i, word) {
			t.takeNumbered(i, word)
		}
	}
}

// A sibling is a node among others with the same program.
type sibling struct {
	node   int32
	fields []string // of its command
	verb   string   // the subcommand in it
}

// takeSiblings gives handles to nodes with the same program: first by its subcommand (samtools_sort,
// samtools_index), then by the parts in which the commands differ.
func (t *HandleTable) takeSiblings(word string, nodes []int32) {
	siblings := make([]sibling, len(nodes))
	several := false
	for k, i := range nodes {
		fields := fieldsOf(t.g.nodes.list[i].Label)
		siblings[k] = sibling{i, fields, verbOf(word, fields)}
		several = several || siblings[k].verb != siblings[0].verb
	}
	if !several {
		t.takeStage(word, siblings)
		return
	}
	for verb, stage := range grouped(siblings, func(s sibling) string { return s.verb }) {
		if verb == "" {
			t.takeStage(word, stage)
		} else {
			t.takeStage(word+"_"+verb, stage)
		}
	}
}

// takeStage gives handles to the nodes of one stage. Commands with the same number of words are compared
// word by word.
func (t *HandleTable) takeStage(stage string, siblings []sibling) {
	if len(siblings) == 1 {
		t.takeEach(stage, []int32{siblings[0].node})
		return
	}
	for _, alike := range grouped(siblings, func(s sibling) int { return len(s.fields) }) {
		t.takeAlike(stage, alike)
	}
}

// takeAlike gives handles to nodes whose commands have the same number of words. Each handle contains the
// values of as few columns as necessary, starting with the column that distinguishes most nodes.
func (t *HandleTable) takeAlike(stage string, siblings []sibling) {
	columns := columnsOf(siblings)
	handles := make([]string, len(siblings))
	open := make([]bool, len(siblings)) // not unique yet
	for k := range siblings {
		handles[k], open[k] = stage, true
	}
	used := 0
	for _, c := range columns {
		if used == maxColumns {
			break
		}
		next := make([]string, len(siblings))
		times := make(map[string]int, len(siblings))
		before := map[string]bool{}
		for k := range siblings {
			next[k] = handles[k]
			if open[k] && c.values[k] != "" {
				next[k] = handles[k] + "_" + c.values[k]
			}
			before[handles[k]] = true
			times[next[k]]++
		}
		if len(times) == len(before) {
			continue // the column distinguishes no more nodes
		}
		left := 0
		for k := range siblings {
			handles[k] = next[k]
			if open[k] = times[next[k]] > 1; open[k] {
				left++
			}
		}
		if used++; left == 0 {
			break
		}
	}
	for k, s := range siblings {
		handle := handles[k]
		if len(handle) > maxHandle {
			handle = handle[:maxHandle]
		}
		t.takeEach(handle, []int32{s.node})
	}
}

// A column is a part of commands in which siblings differ.
type column struct {
	values   []string // by sibling
	distinct int
	lettered bool // all values have letters
}

// columnsOf returns the parts in which commands with the same number of words differ, those with most
// distinct values first.
func columnsOf(siblings []sibling) []column {
	var columns []column
	for f := range siblings[0].fields {
		first := siblings[0].fields[f]
		if slices.IndexFunc(siblings[1:], func(s sibling) bool { return s.fields[f] != first }) < 0 {
			continue
		}
		columns = append(columns, columnsOfField(siblings, f)...)
	}
	slices.SortStableFunc(columns, func(a, b column) int {
		names := 0 // before numbers
		switch {
		case a.lettered && !b.lettered:
			names = -1
		case b.lettered && !a.lettered:
			names = 1
		}
		return cmp.Or(b.distinct-a.distinct, names)
	})
	return columns
}

// columnsOfField compares the parts of one word. Words of different shape are compared as a whole.
func columnsOfField(siblings []sibling, f int) []column {
	parts := make([][]string, len(siblings))
	alike := true
	for k, s := range siblings {
		parts[k] = partsOf(s.fields[f])
		alike = alike && len(parts[k]) == len(parts[0])
	}
	if !alike {
		for k, s := range siblings {
			parts[k] = []string{baseName(s.fields[f])}
		}
	}
	var columns []column
	for p := range parts[0] {
		c := column{values: make([]string, len(siblings)), lettered: true}
		seen := make(map[string]bool, 8)
		for k := range siblings {
			value := strings.Trim(strings.Map(handleRune, parts[k][p]), "_.")
			c.values[k] = value[:min(len(value), maxValue)]
			seen[value] = true
			c.lettered = c.lettered && strings.ContainsFunc(value, isLetter)
		}
		if c.distinct = len(seen); c.distinct > 1 {
			columns = append(columns, c)
		}
	}
	return columns
}

// partsOf splits a word at separators: out/S017.fq gives out, S017 and fq. A decimal point does not split.
func partsOf(word string) []string {
	var parts []string
	start := -1
	for i := 0; i <= len(word); i++ {
		inside := i < len(word) && (isAlphanumeric(rune(word[i])) || word[i] >= 0x80 ||
			word[i] == '.' && start >= 0 && i+1 < len(word) && isDigits(word[start:i]) && isDigits(word[i+1:i+2]))
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			parts = append(parts, word[start:i])
			start = -1
		}
	}
	return parts
}

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// fieldsOf returns the first words of a command, unchanged.
func fieldsOf(command string) []string {
	fields := strings.Fields(command[:min(len(command), comparedBytes)])
	return fields[:min(len(fields), comparedFields)]
}

// verbOf returns the subcommand of a program: the word after it, unless that is an option, a file or a
// value.
func verbOf(program string, fields []string) string {
	const most = 20
	at := slices.IndexFunc(fields, func(f string) bool { return strings.Map(handleRune, baseName(strings.Trim(f, `"'`))) == program })
	if at < 0 || at+1 >= len(fields) {
		return ""
	}
	verb := strings.Trim(fields[at+1], `"'`)
	if verb == "" || len(verb) > most || !isLetter(rune(verb[0])) || strings.Trim(verb, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != "" {
		return ""
	}
	return verb
}
