package graph

import (
	"cmp"
	"slices"
	"strings"
)

// maxSuggestions and maxDistance bound what "did you mean" offers.
const (
	maxSuggestions = 3
	maxDistance    = 2
)

// suggest returns the handles that are most like the text, best first.
func (t *HandleTable) suggest(text string) []string {
	return closest(text, t.handles)
}

// closest ranks words by typing errors, then by common beginning, then by containing.
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

// likeness ranks a word, 0 is best; ok is false if it is not alike.
func likeness(text, word string) (rank int, ok bool) {
	if d := distance(text, word); d <= maxDistance && d < max(len(text), len(word)) {
		return d, true
	}
	switch {
	case len(text) < 2:
		return 0, false
	case strings.HasPrefix(word, text) || strings.HasPrefix(text, word) && len(word) >= 3:
		return maxDistance + 1, true
	case strings.Contains(word, text):
		return maxDistance + 2, true
	}
	return 0, false
}

// distance is the Damerau-Levenshtein distance in bytes (optimal string alignment): insertions,
// deletions, replacements, and swaps of neighbours. Above maxDistance it is only known to be so.
func distance(a, b string) int {
	const longest = 64
	if d := len(a) - len(b); d > maxDistance || d < -maxDistance || len(a) > longest || len(b) > longest {
		return maxDistance + 1
	}
	var rows [3][longest + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > maxDistance+1 {
			return maxDistance + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
