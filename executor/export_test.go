package executor

// AtPoint makes f be called at each point of the record order.
func AtPoint(f func(point string, id ID)) { reached = f }

// Points are all of them, in order.
var Points = []string{pointIntent, pointForkEntry, pointForked, pointStarted, pointDied, pointEndNoted, pointEndWritten}

// Reap does once what ReapOrphans does again and again.
func (l *Local) Reap() { l.wardens().reap() }

// ForkSoon lets runners of this process do without syscall.ForkExec from their first command on.
func ForkSoon() { plainForks = 0 }
