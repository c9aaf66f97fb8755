package executor

// AtPoint makes f be called at each point of the record order.
func AtPoint(f func(point string, id ID)) { reached = f }

// AtBoot makes this process believe that the machine was started anew.
func AtBoot(id string) { thisBoot = func() (string, error) { return id, nil } }

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
