package workspace

import (
	"wf/workspace/activerun"
)

// Records, events and the scheduler use the wall clock, because people read these times and the next daemon has no other
// clock in common. The wall clock can be set. The loop compares it with the time since boot; when they part, each run gets
// the difference (scheduler.ClockSet), so that a timeout of ten minutes remains ten minutes. Times in the past are moved, so
// that durations remain the same. Some records contain a reading of both clocks, so that the next daemon of the same boot
// notices what was set while there was none.

// heedClock notices that the wall clock was set. The loop calls it before it handles a message.
func (w *Workspace) heedClock() {
	at, by := w.clock.Set()
	if by == 0 {
		return
	}
	w.cfg.Log.Warn("the clock of the machine was set", "by", by)
	for _, r := range append([]*activerun.Run(nil), w.runs...) {
		r.SetClock(at, by)
	}
}
