package expression

import (
	"fmt"
	"strings"

	"wf/graph/spelling"
)

// An Error is a problem in a text, with its place and a remedy.
type Error struct {
	Line, Column int // in characters, from 1
	Problem      string
	Remedy       string // "" if there is no advice
}

// Error returns one line: place, problem, remedy.
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

// failed is an error whose place is an offset in characters.
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

// fail stops compiling or evaluating. Compile and Eval turn it into an error.
func fail(at int, format string, args ...any) {
	panic(&failed{at: at, problem: fmt.Sprintf(format, args...)})
}

func failWith(at int, remedy, format string, args ...any) {
	panic(&failed{at: at, problem: fmt.Sprintf(format, args...), remedy: remedy})
}

// Closest returns the word that is most similar to the text, "" if none is.
func Closest(text string, words []string) string {
	best, least := "", spelling.Most+1
	for _, word := range words {
		if d := spelling.Slips(strings.ToLower(text), strings.ToLower(word)); d < least && d < max(len(text), len(word)) {
			best, least = word, d
		}
	}
	return best
}

// DidYouMean returns "did you mean WORD?" with the word that is most similar to the text, "" if none is.
func DidYouMean(text string, words []string) string {
	if word := Closest(text, words); word != "" {
		return "did you mean " + word + "?"
	}
	return ""
}
