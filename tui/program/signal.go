package program

import (
	"context"
	"time"
)

// Interval is the minimum time between two screens, and between two messages from a source of many events: 30 screens
// a second look continuous.
const Interval = time.Second / 30

// A Signal wakes one receiver at most once per interval, however often it is set.
type Signal struct {
	pending chan struct{}
	last    time.Time // of the latest wake-up; belongs to Wait
}

// NewSignal returns a Signal that is not set.
func NewSignal() Signal { return Signal{pending: make(chan struct{}, 1)} }

// Set wakes the receiver. It may be called from any goroutine.
func (s *Signal) Set() {
	select {
	case s.pending <- struct{}{}:
	default: // it is set already
	}
}

// Clear resets the signal. The receiver calls it when it has already handled the cause.
func (s *Signal) Clear() {
	select {
	case <-s.pending:
	default:
	}
}

// Wait waits until the signal is set and an interval has passed since the last wake-up. It returns false when ctx
// ends. Only one goroutine may wait at a time.
func (s *Signal) Wait(ctx context.Context) bool {
	select {
	case <-s.pending:
	case <-ctx.Done():
		return false
	}
	if rest := Interval - time.Since(s.last); rest > 0 {
		timer := time.NewTimer(rest)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return false
		}
	}
	s.last = time.Now()
	return true
}
