package loop

import (
	"fmt"
	"runtime/debug"
)

// A panic is a bug. The process has other loops, so it goes on:
//
//	in a question (Ask)     the question is answered with Hooks.Panicked, and the loop goes on
//	in anything else        the loop ends, helpers included: its state may be inconsistent
//
// Either way the stack is in the log.

// bug is a panic with its stack. A panic of a helper is passed to the loop as a bug.
type bug struct {
	value any
	stack []byte
}

// catch calls f and returns its panic, or nil.
func catch(f func()) (caught *bug) {
	defer func() {
		if value := recover(); value != nil {
			caught = asBug(value)
		}
	}()
	f()
	return nil
}

// asBug is called while value is recovered, so that the stack is that of the panic.
func asBug(value any) *bug {
	if b, ok := value.(*bug); ok {
		return b
	}
	return &bug{value, debug.Stack()}
}

// Contain calls f. If f panics, the panic is logged together with what, and the error is Hooks.Panicked. It may be called on
// the loop.
func Contain[T any](l *Loop, what string, f func() (T, error)) (v T, err error) {
	if b := catch(func() { v, err = f() }); b != nil {
		l.report(what, b)
		return v, l.hooks.Panicked
	}
	return v, err
}

func (l *Loop) report(where string, b *bug) {
	if l.hooks.Log != nil {
		l.hooks.Log.Error("panic", "in", where, "value", fmt.Sprint(b.value), "stack", string(b.stack))
	}
}

// crash ends a loop whose function has panicked.
func (l *Loop) crash() {
	value := recover()
	if value == nil {
		return
	}
	l.report("the loop", asBug(value))
	select {
	case <-l.ending: // Leave panicked
	default:
		close(l.ending)
	}
	call(l.hooks.Crashed)
}
