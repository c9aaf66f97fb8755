package graph

import (
	"cmp"
	"slices"
	"strings"

	"wf/graph/spelling"
)

// maxSuggestions is the maximum number of suggestions after "did you mean".
const maxSuggestions = 3

// suggest returns the handles most similar to the text, best first.
func (t *HandleTable) suggest(text string) []string {
	found := closest(text, t.handles)
	if found != nil {
		return found
	}
	// Also compare with the program alone: align for align_S1.
	programs := make([]string, 0, len(t.handles))
	of := map[string][]string{}
	for _, n := range t.g.nodes.list {
		if word := CommandWord(n); word != "" && word != t.Of(n) {
			if of[word] == nil {
				programs = append(programs, word)
			}
			of[word] = append(of[word], t.Of(n))
		}
	}
	for _, word := range closest(text, programs) {
		found = append(found, of[word]...)
	}
	return found[:min(maxSuggestions, len(found))]
}

// closest returns the most similar words: first with few typing errors, then with a common start, then
// containing the text.
func closest(text string, words []string) []string {
	type candidate struct {
		word string
		rank int
	}
	var found []candidate
	text = strings.ToLower(text)
	for _, word := range words {
		if rank, ok := likeness(text, strings.ToLower(word)); ok {
			found = append(found, candidate{word, rank})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	var best []string
	for _, c := range found[:min(maxSuggestions, len(found))] {
		best = append(best, c.word)
	}
	return best
}

// likeness returns the rank of a word, 0 is best; ok is false if it is not similar.
func likeness(text, word string) (rank int, ok bool) {
	if d := spelling.Slips(text, word); d <= spelling.Most && d < max(len(text), len(word)) {
		return d, true
	}
	switch {
	case len(text) < 2:
		return 0, false
	case strings.HasPrefix(word, text) || strings.HasPrefix(text, word) && len(word) >= 3:
		return spelling.Most + 1, true
	case strings.Contains(word, text):
		return spelling.Most + 2, true
	}
	return 0, false
}
