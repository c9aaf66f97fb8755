package loop

import (
	"context"
	"errors"
)

// ErrEnded is the default of Hooks.Ended.
var ErrEnded = errors.New("the loop has ended")

// ErrPanic is the default of Hooks.Panicked.
var ErrPanic = errors.New("the question panicked")

// Ask runs f on the loop and returns its results. f must only read: if it panics, the panic is logged, the result is
// Hooks.Panicked, and the loop continues. ctx bounds the wait, not f.
func Ask[T any](ctx context.Context, l *Loop, f func() (T, error)) (T, error) {
	return Await(ctx, l, func(reply func(T, error)) { reply(Contain(l, "a question", f)) })
}

// Await runs f on the loop and waits until reply is called, which f does exactly once, at once or later. ctx bounds the
// wait. A panic in f ends the loop.
func Await[T any](ctx context.Context, l *Loop, f func(reply func(T, error))) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	answers := make(chan answer, 1)
	question := func() { f(func(value T, err error) { answers <- answer{value, err} }) }
	select {
	case l.inbox <- question:
	case <-l.done:
		return none, l.hooks.Ended
	case <-ctx.Done():
		return none, ctx.Err()
	}
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	case <-l.done:
	}
	select { // the last function may have answered
	case a := <-answers:
		return a.value, a.err
	default:
		return none, l.hooks.Ended
	}
}
