package executor

import (
	"flag"
	"time"
)

// torture makes the tests of forks, faults and crashes take every way: each operation fails, records are
// cut at every byte, and forks are counted in tens of thousands. Without it they take some.
var torture = flag.Bool("torture", false, "take every way through faults and crashes")

// Torture is the same for tests outside the package.
var Torture = torture

// AtPoint makes f be called at each point of the record order.
func AtPoint(f func(point string, id ID)) { reached = f }

// AtBoot makes this process believe that the machine was started anew.
func AtBoot(id string) { thisBoot = func() (string, error) { return id, nil } }

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

// Guard says that all children of this process are runners, or come from them.
func (l *Local) Guard() {
	w := l.wardens()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.guardian = true
}

// Reap does once what ReapOrphans does again and again.
func (l *Local) Reap() { l.wardens().reap() }

// ForkSoon lets runners of this process do without syscall.ForkExec from their first command on.
func ForkSoon() { plainForks = 0 }
