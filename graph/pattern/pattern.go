// Package pattern compiles regular expressions when they are first used. Compiling all of them at the start would take
// longer than most commands of wf.
package pattern

import (
	"regexp"
	"sync"
)

// A Pattern is a regular expression that is not compiled yet.
type Pattern struct {
	expr     string
	once     sync.Once
	compiled *regexp.Regexp
}

// Of returns the pattern of an expression. It does nothing that the start of the program would have to execute.
func Of(expr string) *Pattern { return &Pattern{expr: expr} }

// Get returns the compiled expression. It panics if the expression is invalid.
func (p *Pattern) Get() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.expr) })
	return p.compiled
}
