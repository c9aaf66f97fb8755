package executor

import (
	"flag"
	"time"
)

// Torture makes the tests of faults and crashes take every way: each operation fails once. Without it they take some.
var Torture = flag.Bool("torture", false, "take every way through faults and crashes")

// ShortRetryPause sets the pause after a temporary failure to n milliseconds. It returns what restores it.
func ShortRetryPause(n int) (restore func()) {
	old := retryPause
	retryPause = time.Duration(n) * time.Millisecond
	return func() { retryPause = old }
}

// Guard says that all children of this process are runners, or come from them.
func (l *Local) Guard() {
	w := l.sharedReaper()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ownsChildren = true
}

// Reap does once what ReapOrphans does again and again.
func (l *Local) Reap() { l.sharedReaper().reap() }
