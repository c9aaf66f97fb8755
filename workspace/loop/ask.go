package loop

import (
	"context"
	"errors"
)

// ErrEnded is the answer of a loop that has ended, unless Hooks.Ended is another.
var ErrEnded = errors.New("the loop has ended")

// ErrPanic is the answer to a question that panicked, unless Hooks.Panicked is another.
var ErrPanic = errors.New("the question panicked")

// Ask runs f on the loop and returns its results. f only reads: a panic in f is logged answered
// with Hooks.Panicked, and the loop goes on. ctx bounds the wait, not f.
func Ask[T any](ctx context.Context, l *Loop, f func() (T, error)) (T, error) {
	return Await(ctx, l, func(reply func(T, error)) { reply(Contain(l, "a question", f)) })
}

// Await runs f on the loop and waits until reply is called, which f does exactly once, at once or
// later. ctx bounds the wait. A panic in f ends the loop.
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
