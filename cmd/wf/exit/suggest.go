package exit

import (
	"slices"
	"strings"

	"wf/graph/spelling"
)

// Similar returns up to three names that are similar to word: at most two typing errors away, or beginning with it. All
// of them are equally near.
func Similar(word string, names []string) []string {
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
		// Two errors in a word of three letters match any other word of three letters.
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

// DidYouMean suggests names that are similar to word; "" if there are none.
func DidYouMean(word string, names []string) string {
	if similar := Similar(word, names); len(similar) > 0 {
		return "did you mean " + strings.Join(similar, ", ") + "?"
	}
	return ""
}
