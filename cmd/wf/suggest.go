package main

import (
	"slices"
	"strings"
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
		distance := slips(word, name)
		if len(word) >= 2 && strings.HasPrefix(name, word) {
			distance = min(distance, 1)
		}
		// Two slips in a word of three letters make any other word of three letters.
		if distance <= 2 && distance < max(len(word), 2) {
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

// slips is the optimal string alignment distance of a and b: letters added, dropped, changed,
// or swapped with their neighbour, each counting one. It keeps the last three rows of the table.
func slips(a, b string) int {
	var before, above []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := above[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(above[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
