package expression

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// maxPattern bounds the length of a regular expression in bytes, maxPatternParts what it becomes: a
// match may look at each of its parts for each byte of a text.
const (
	maxPattern      = 1000
	maxPatternParts = 1000
)

// A Pattern is a regular expression with its cost.
type Pattern struct {
	*regexp.Regexp
	parts int
}

// CompilePattern compiles a regular expression (RE2) unless it is too large. Repetitions count as often
// as they repeat.
func CompilePattern(text string) (*Pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("a regular expression may have %d bytes", maxPattern)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	size := sizeOf(tree)
	if size > maxPatternParts {
		return nil, fmt.Errorf("the regular expression repeats too much: it has %d parts, and may have %d", size, maxPatternParts)
	}
	r, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &Pattern{Regexp: r, parts: size}, nil
}

// sizeOf counts the parts of a regular expression, those of repetitions as often as they are repeated.
func sizeOf(tree *syntax.Regexp) int {
	size := 1
	switch tree.Op {
	case syntax.OpLiteral:
		size = len(tree.Rune)
	case syntax.OpRepeat:
		size = 0
	}
	for _, sub := range tree.Sub {
		size += sizeOf(sub)
	}
	if tree.Op == syntax.OpRepeat {
		size *= max(tree.Min, tree.Max, 1)
	}
	return size
}

// steps returns the cost of a match.
func (p *Pattern) steps(text string) int { return len(text) * (1 + p.parts/8) }
