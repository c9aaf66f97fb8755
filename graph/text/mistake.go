package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// A Mistake is a part of a text that has no meaning as a workflow.
type Mistake struct {
	Line, Column int // from 1; the column counts characters
	Message      string
	Remedy       string // what to write instead; "" = the message says it
}

func (m Mistake) String() string {
	text := fmt.Sprintf("line %d, column %d: %s", m.Line, m.Column, m.Message)
	if m.Remedy != "" {
		text += "; " + m.Remedy
	}
	return text
}

// Mistakes is all that is wrong with a text, by line. It is never empty as an error.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i := range m {
		lines[i] = m[i].String()
	}
	return strings.Join(lines, "\n")
}

// mostMistakes is after how many mistakes a text is not read any further.
const mostMistakes = 20

// tooMany ends the reading.
type tooMany struct{}

// wrong notes a mistake at a node of the YAML.
func (r *reader) wrong(at *yaml.Node, remedy, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{max(at.Line, 1), max(at.Column, 1), fmt.Sprintf(format, args...), remedy})
	if len(r.mistakes) == mostMistakes {
		panic(tooMany{})
	}
}

// sorted returns the mistakes by line.
func (m Mistakes) sorted() Mistakes {
	slices.SortStableFunc(m, func(a, b Mistake) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return m
}
