package tui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// A Crash is a panic: a bug in the interface, or in what it is made of. Run returns it as its error when
// the terminal is as it was.
type Crash struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

// Error is what was panicked with, without the stack.
func (c *Crash) Error() string { return fmt.Sprint(c.Value) }

// catch is deferred by a goroutine whose panics are to be carried to the model and to panic there again:
// only there can the terminal be restored before they are told.
func catch(carry func(*Crash)) {
	if r := recover(); r != nil {
		carry(crashOf(r))
	}
}

// crashOf is the crash that r, which was recovered in a deferred function, is about: it may have been
// carried from another goroutine.
func crashOf(r any) *Crash {
	if c, ok := r.(*Crash); ok {
		return c
	}
	return &Crash{r, debug.Stack()}
}

// guarded is cmd with its panics carried to the model, as those are that it puts together with others.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer catch(func(c *Crash) { msg = c })
		msg = cmd()
		if list, ok := msg.(tea.BatchMsg); ok {
			for i := range list {
				list[i] = guarded(list[i])
			}
		}
		return msg
	}
}

// run runs a program that does not catch panics itself. One that happens is an error, and the terminal
// is given back first.
func run(p *tea.Program) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = crashOf(r)
			p.Kill()
		}
	}()
	_, err = p.Run()
	return err
}
