package expression

import (
	"fmt"
	"strings"
)

// An Error says where in a text something is wrong, what, and what to do about it.
type Error struct {
	Line, Column int // in characters, from 1
	Problem      string
	Remedy       string // "" if there is nothing to advise
}

// Error is one line: place, problem, remedy.
func (e *Error) Error() string {
	where := fmt.Sprintf("column %d", e.Column)
	if e.Line > 1 {
		where = fmt.Sprintf("line %d, %s", e.Line, where)
	}
	text := where + ": " + strings.ReplaceAll(e.Problem, "\n", " ")
	if e.Remedy != "" {
		text += "; " + strings.ReplaceAll(e.Remedy, "\n", " ")
	}
	return text
}

// failed is an error whose place is still an offset in characters.
type failed struct {
	at              int
	problem, remedy string
}

func (f *failed) in(text []rune) *Error {
	e := &Error{Line: 1, Column: 1, Problem: f.problem, Remedy: f.remedy}
	for _, r := range text[:min(max(f.at, 0), len(text))] {
		e.Column++
		if r == '\n' {
			e.Line++
			e.Column = 1
		}
	}
	return e
}

// fail gives up compiling or evaluating. Compile and Eval turn it into an error.
func fail(at int, format string, args ...any) {
	panic(&failed{at: at, problem: fmt.Sprintf(format, args...)})
}

func failWith(at int, remedy, format string, args ...any) {
	panic(&failed{at: at, problem: fmt.Sprintf(format, args...), remedy: remedy})
}

// Closest returns the word that is most like the text, "" if none is alike.
func Closest(text string, words []string) string {
	best, least := "", 3
	for _, word := range words {
		if d := distance(strings.ToLower(text), strings.ToLower(word)); d < least && d < max(len(text), len(word)) {
			best, least = word, d
		}
	}
	return best
}

// didYouMean words a suggestion.
func didYouMean(text string, words []string) string {
	if word := Closest(text, words); word != "" {
		return "did you mean " + word + "?"
	}
	return ""
}

// distance is how many insertions, deletions, replacements and swaps of neighbours lead from a to b, in
// bytes. Long words are no typing errors of each other.
func distance(a, b string) int {
	const long = 64
	if len(a) > long || len(b) > long || len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return long
	}
	var before, last, row [long + 1]int
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
