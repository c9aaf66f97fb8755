package tui

import (
	"fmt"
	"runtime/debug"
)

// A crash is a panic of a goroutine in the background. It is carried to the model and panics there again:
// only there can the terminal be restored before it is told.
type crash struct {
	value any
	stack []byte
}

func (c *crash) String() string { return fmt.Sprintf("internal error: %v\n\n%s", c.value, c.stack) }

// catch is deferred by a goroutine whose panics are to be carried.
func catch(carry func(*crash)) {
	if r := recover(); r != nil {
		carry(&crash{r, debug.Stack()})
	}
}
