// Package pattern compiles regular expressions when they are first used. Compiling all of them at the start would take
// longer than most commands of wf.
package pattern

import (
	"regexp"
	"sync"
)

// Of returns a function that returns the compiled expression. It panics at the first call if expr is invalid.
func Of(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
