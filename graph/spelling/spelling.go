// Package spelling measures how similar two words are, for suggestions ("did you mean"). It contains no words.
package spelling

// Most is the largest number that Slips counts exactly.
const Most = 2

// longest is the maximum length of compared words, in bytes. Longer ones count as different.
const longest = 64

// Slips returns the number of typing errors between a and b, in bytes: insertions, deletions, replacements,
// and swaps of neighbours (optimal string alignment). More than Most errors give Most + 1.
func Slips(a, b string) int {
	if d := len(a) - len(b); d > Most || d < -Most || len(a) > longest || len(b) > longest {
		return Most + 1
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
		if best > Most+1 {
			return Most + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], Most+1)
}
