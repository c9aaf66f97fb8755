package executor

import (
	"flag"
	"time"
)

// Torture makes the tests of faults try every operation and not only some.
var Torture = flag.Bool("torture", false, "try every fault and crash")

// ShortRetryPause sets the pause after a temporary failure to n milliseconds. It returns what restores it.
func ShortRetryPause(n int) (restore func()) {
	old := retryPause
	retryPause = time.Duration(n) * time.Millisecond
	return func() { retryPause = old }
}

// Guard tells the reaper that all children of this process are runners or come from them.
func (l *Local) Guard() {
	w := l.sharedReaper()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ownsChildren = true
}

// Reap does one round of ReapOrphans.
func (l *Local) Reap() { l.sharedReaper().reap() }
