package stages

import (
	"encoding/binary"
	"slices"
	"strings"
)

// kinds puts nodes of the same kind together. Nodes of a kind have the same group; or the same command apart from
// numbers, paths and ids, and names that tell nothing else apart; or commands or names that differ in one word.
func kinds(nodes []Node, rank []int32) (of []int32, keys []string) {
	of = make([]int32, len(nodes))
	known := map[string]int32{}
	var key []byte
	for v := range nodes {
		key = key[:0]
		if nodes[v].In != 0 {
			key = append(binary.BigEndian.AppendUint32(key, uint32(nodes[v].In)), ' ')
		}
		key = appendKey(key, &nodes[v])
		k, found := known[string(key)]
		if !found {
			k = int32(len(keys))
			keys = append(keys, string(key))
			known[keys[k]] = k
		}
		of[v] = k
	}
	if len(keys) > 1 {
		joinNames(of, keys)
		joinCommands(of, keys, nodes, rank)
		keys = renumber(of, keys)
	}
	return of, keys
}

// nameMark separates the command from the name in a key. No word contains it.
const nameMark = " \x00 "

// appendKey appends what a node has in common with the others of its kind.
func appendKey(key []byte, n *Node) []byte {
	switch {
	case n.Group != "":
		return append(append(key, "group "...), n.Group...)
	case strings.TrimSpace(n.Command) == "":
		return append(append(key, "name "...), stem(n.Name)...)
	}
	key = appendTemplate(key, n.Command)
	if !made(n.Name, n.Command) {
		key = append(key, nameMark...)
		for i, word := range wordsOf(n.Name) {
			if i > 0 {
				key = append(key, ' ')
			}
			key = appendMasked(key, word)
		}
	}
	return key
}

// wordsOf returns the words of a name, without the number that makes it unique.
func wordsOf(name string) []string {
	if i := strings.LastIndexByte(name, '~'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
		name = name[:i]
	}
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(nameEnds, r) })
}

// made reports whether a name is made from the command: all its words, apart from numbers, are in there. Then it tells
// nothing new.
func made(name, command string) bool {
	return !slices.ContainsFunc(wordsOf(name), func(word string) bool {
		return !strings.Contains(command, strings.Trim(word, "0123456789"))
	})
}

// joinNames joins kinds that have the same command if their names differ only in one word, which has the same position in
// all of them, and have another word in common that is not a number: trim_liver and trim_brain, but not clean_1 and load_4.
func joinNames(of []int32, keys []string) {
	groups := map[string][]int32{}
	for k, key := range keys {
		if command, name, found := strings.Cut(key, nameMark); found {
			words := len(strings.Fields(name))
			group := string(binary.BigEndian.AppendUint32([]byte(command), uint32(words)))
			groups[group] = append(groups[group], int32(k))
		}
	}
	into := make(map[int32]int32)
	for _, group := range groups {
		if len(group) < 2 {
			continue
		}
		names := make([][]string, len(group))
		for i, k := range group {
			_, name, _ := strings.Cut(keys[k], nameMark)
			names[i] = strings.Fields(name)
		}
		join(into, group, names, fewest(names), 2)
	}
	apply(of, into)
}

// fewest returns the word of names without which the fewest are different; of several, the last.
func fewest(names [][]string) (word int) {
	least := len(names) + 1
	for w := range names[0] {
		different := map[string]bool{}
		for _, name := range names {
			different[without(name, w)] = true
		}
		if len(different) <= least {
			least, word = len(different), w
		}
	}
	return word
}

// without returns the words of a text but one.
func without(words []string, word int) string {
	rest := strings.Join(words[:word], " ") + "\x00" + strings.Join(words[word+1:], " ")
	if strings.Trim(rest, "\x00 #") == "" {
		return rest + words[word] // nothing is left that they could share
	}
	return rest
}

// join decides to join the kinds whose words are equal but for one, if there are at least least of them.
func join(into map[int32]int32, kinds []int32, words [][]string, word, least int) {
	sets := map[string][]int32{}
	for i, k := range kinds {
		rest := without(words[i], word)
		sets[rest] = append(sets[rest], k)
	}
	for _, set := range sets {
		if len(set) >= least {
			for _, k := range set[1:] {
				into[k] = set[0]
			}
		}
	}
}

// apply moves the nodes of joined kinds.
func apply(of []int32, into map[int32]int32) {
	for v, k := range of {
		if f, found := into[k]; found {
			of[v] = f
		}
	}
}

// fewestItems is the number of commands from which one that differ in one word are of the same kind. Two that differ so
// are often different steps.
const fewestItems = 3

// joinCommands joins kinds of one node in the same layer whose commands differ in one word, if it comes after the first
// two, which are a program and often what it shall do. Commands with comments are
// left alone: comments are names.
func joinCommands(of []int32, keys []string, nodes []Node, rank []int32) {
	size, first := make([]int32, len(keys)), make([]int32, len(keys))
	for v, k := range of {
		size[k]++
		first[k] = int32(v)
	}
	groups, words := map[string][]int32{}, make([][]string, len(keys))
	for k, key := range keys {
		if size[k] != 1 || strings.Contains(key, nameMark) || strings.HasPrefix(key, "group ") || strings.HasPrefix(key, "name ") {
			continue
		}
		words[k] = strings.Fields(key)
		if n := len(words[k]); n > 2 && !strings.Contains(nodes[first[k]].Command, "#") {
			group := string(binary.BigEndian.AppendUint64([]byte(words[k][0]+" "+words[k][1]), uint64(rank[first[k]])<<32|uint64(n)))
			groups[group] = append(groups[group], int32(k))
		}
	}
	into := make(map[int32]int32)
	for _, group := range groups {
		if len(group) < fewestItems {
			continue
		}
		list := make([][]string, len(group))
		for i, k := range group {
			list[i] = words[k][2:]
		}
		word := fewest(list)
		for i, k := range group {
			list[i] = words[k]
		}
		join(into, group, list, word+2, fewestItems)
	}
	apply(of, into)
}

// renumber numbers the kinds that have nodes without gaps, in the order of their first nodes.
func renumber(of []int32, keys []string) (kept []string) {
	number := map[int32]int32{}
	for v, k := range of {
		n, found := number[k]
		if !found {
			n = int32(len(kept))
			number[k] = n
			kept = append(kept, keys[k])
		}
		of[v] = n
	}
	return kept
}
