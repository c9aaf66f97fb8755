package executor

import (
	"flag"
	"maps"
	"slices"
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
	w := l.shared().reaper
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ownsChildren = true
}

// Reap does one round of ReapOrphans.
func (l *Local) Reap() { l.shared().reaper.reap() }

// AwaitRunners waits until all runners have been reaped, which Close does not wait for.
func (l *Local) AwaitRunners() {
	w := l.shared().reaper
	w.mu.Lock()
	all := slices.Collect(maps.Values(w.own))
	w.mu.Unlock()
	for _, reaped := range all {
		<-reaped
	}
}

// SpareRunner returns the pid of the next spare runner, or 0 if there is none.
func (l *Local) SpareRunner() int {
	if all := l.SpareRunners(); len(all) > 0 {
		return all[0]
	}
	return 0
}

// SpareRunners returns the pids of the spare runners.
func (l *Local) SpareRunners() (pids []int) {
	s := l.shared().spares
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, spare := range s.ready {
		pids = append(pids, spare.process.Pid)
	}
	return pids
}
