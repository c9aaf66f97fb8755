package main

import (
	"slices"
	"strings"

	"wf/graph/spelling"
)

// suggest finds up to three names that word may have been meant to be: nearest first, at most
// two slips of the finger away, or beginning with the word.
func suggest(word string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, name := range names {
		distance := spelling.Slips(word, name)
		if len(word) >= 2 && strings.HasPrefix(name, word) {
			distance = min(distance, 1)
		}
		// Two slips in a word of three letters make any other word of three letters.
		if distance <= spelling.Most && distance < max(len(word), 2) {
			near = append(near, candidate{name, distance})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var found []string
	for _, c := range near[:min(len(near), 3)] {
		if c.distance == near[0].distance {
			found = append(found, c.name)
		}
	}
	return found
}
