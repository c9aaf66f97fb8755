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

// Refuse makes f be asked before each operation that the machine may refuse.
func Refuse(f func(op, path string) error) { setInject(f) }

// ShortRetryPause sets the pause after a temporary failure to n milliseconds. It returns what restores it.
func ShortRetryPause(n int) (restore func()) {
	old := retryPause
	retryPause = time.Duration(n) * time.Millisecond
	return func() { retryPause = old }
}

// Guard says that all children of this process are runners, or come from them.
func (l *Local) Guard() {
	w := l.wardens()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.guardian = true
}

// Reap does once what ReapOrphans does again and again.
func (l *Local) Reap() { l.wardens().reap() }
