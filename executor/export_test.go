package executor

import "time"

// AtPoint makes f be called at each point of the record order.
func AtPoint(f func(point string, id ID)) { reached = f }

// Refuse makes f be asked before each operation that the machine may refuse.
func Refuse(f func(op, path string) error) { refused = f }

// HurryHolds shortens the pauses between two tries to n milliseconds. It returns what makes them
// what they were.
func HurryHolds(n int) (restore func()) {
	hold, fork := holdPause, forkPause
	holdPause, forkPause = time.Duration(n)*time.Millisecond, time.Duration(n)*time.Millisecond/8
	return func() { holdPause, forkPause = hold, fork }
}

// Points are all of them, in order.
var Points = []string{pointIntent, pointForkEntry, pointForked, pointStarted, pointDied, pointEndNoted, pointEndWritten}

// Reap does once what ReapOrphans does again and again.
func (l *Local) Reap() { l.wardens().reap() }
