package loop

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// started returns a loop that runs and ends with the test.
func started(t *testing.T, hooks Hooks) *Loop {
	l := New(hooks)
	l.Start()
	t.Cleanup(func() { l.Post(l.End); l.Wait() })
	return l
}

func TestFunctionsRunOneAfterTheOther(t *testing.T) {
	l := New(Hooks{})
	l.Start()
	sum := 0 // belongs to the loop
	for range 8 {
		l.Run(func() {
			for range 100 {
				l.Post(func() { sum++ })
			}
		})
	}
	l.helpers.Wait()
	l.Post(l.End)
	l.Wait()
	if sum != 800 {
		t.Errorf("%d of 800 functions ran", sum)
	}
}

func TestHooksAreCalledInOrder(t *testing.T) {
	var calls []string
	note := func(name string) func() { return func() { calls = append(calls, name) } }
	l := New(Hooks{Before: note("before"), Settle: note("settle"), Leave: note("leave"), Crashed: note("crashed")})
	l.Start()
	l.Post(func() { calls = append(calls, "function"); l.End() })
	l.Wait()
	if want := []string{"before", "function", "settle", "leave"}; !slices.Equal(calls, want) {
		t.Errorf("called %v, not %v", calls, want)
	}
}

func TestABurstIsSettledOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settled, ran := 0, 0
		l := New(Hooks{Settle: func() { settled++ }})
		for range 10 {
			go l.Post(func() { ran++ })
		}
		synctest.Wait() // all of them wait for the loop
		l.Start()
		synctest.Wait()
		if ran != 10 || settled != 1 {
			t.Errorf("%d functions, settled %d times", ran, settled)
		}
		l.Post(l.End)
		l.Wait()
	})
}

func TestWakeSettles(t *testing.T) {
	settled := make(chan bool, 10)
	l := started(t, Hooks{Settle: func() { settled <- true }})
	l.Wake()
	<-settled
}

func TestPostAfterTheEnd(t *testing.T) {
	l := New(Hooks{})
	l.Start()
	l.Post(l.End)
	<-l.Done()
	if l.Post(func() { t.Error("it ran") }) {
		t.Error("a loop that has ended took a function")
	}
	if _, err := Ask(t.Context(), l, func() (int, error) { return 1, nil }); err != ErrEnded {
		t.Errorf("a question after the end: %v", err)
	}
}

func TestGoReturnsItsResultOnTheLoop(t *testing.T) {
	l := started(t, Hooks{})
	got, err := Await(t.Context(), l, func(reply func(int, error)) {
		Go(l, func() int { return 7 }, func(n int) { reply(n, nil) })
	})
	if got != 7 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}

func TestAskReturnsErrorsAndHonoursItsContext(t *testing.T) {
	l := started(t, Hooks{})
	failure := errors.New("as planned")
	if _, err := Ask(t.Context(), l, func() (int, error) { return 0, failure }); err != failure {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Await(ctx, l, func(reply func(int, error)) {}) // never answered
	if err != context.Canceled {
		t.Errorf("a wait whose context ended: %v", err)
	}
}

func TestTheLastFunctionMayAnswer(t *testing.T) {
	l := New(Hooks{})
	l.Start()
	got, err := Ask(t.Context(), l, func() (int, error) { l.End(); return 3, nil })
	if got != 3 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}

func TestPanicInAQuestion(t *testing.T) {
	var log bytes.Buffer
	l := started(t, Hooks{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if _, err := Ask(t.Context(), l, func() (int, error) { panic("as planned") }); err != ErrPanic {
		t.Errorf("answered with %v", err)
	}
	if n, err := Ask(t.Context(), l, func() (int, error) { return 1, nil }); n != 1 || err != nil {
		t.Errorf("the loop does not go on: %v", err)
	}
	if text := log.String(); !strings.Contains(text, "as planned") || !strings.Contains(text, "TestPanicInAQuestion") {
		t.Errorf("the log has no report with a stack: %s", text)
	}
}

func TestPanicElsewhereEndsTheLoop(t *testing.T) {
	for name, cause := range map[string]func(*Loop){
		"function": func(l *Loop) { l.Post(func() { panic("as planned") }) },
		"helper":   func(l *Loop) { l.Run(func() { panic("as planned") }) },
	} {
		t.Run(name, func(t *testing.T) {
			var crashed, left atomic.Bool
			l := New(Hooks{Crashed: func() { crashed.Store(true) }, Leave: func() { left.Store(true) }})
			l.Start()
			l.Run(func() { <-l.Ending() }) // helpers learn of the end
			cause(l)
			l.Wait()
			if !crashed.Load() || left.Load() {
				t.Errorf("crashed %v, left %v", crashed.Load(), left.Load())
			}
		})
	}
}

func TestTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Hooks{})
		l.Start()
		rings := 0
		timer := l.NewTimer(func() { rings++ })
		on := func(f func()) { l.Post(f); synctest.Wait() }
		on(func() { timer.Reset(time.Second) })
		on(func() { timer.Reset(time.Minute) }) // in place of the first
		time.Sleep(2 * time.Second)
		on(func() {
			if rings != 0 {
				t.Error("an earlier setting rang")
			}
		})
		time.Sleep(time.Minute)
		on(func() {
			if rings != 1 {
				t.Errorf("it rang %d times", rings)
			}
			timer.Reset(time.Second)
		})
		on(func() { time.Sleep(2 * time.Second); timer.Stop() }) // its call waits already
		time.Sleep(time.Minute)
		on(func() {
			if rings != 1 {
				t.Error("it rang after Stop")
			}
			l.End()
		})
		l.Wait()
	})
}
