package workspace

import (
	"wf/workspace/activerun"
)

// Records, events and the scheduler use the wall clock, because people read these times and the next daemon has no other
// clock in common. The wall clock can be set. The loop compares it with the time since boot. When they differ, the loop
// passes the difference to each run (scheduler.ClockSet), so that a timeout of ten minutes remains ten minutes. Times in the
// past are moved, so that durations stay the same. Some records contain readings of both clocks, so that the next daemon
// notices changes that happened while no daemon ran.

// followClock checks whether the wall clock was set. The loop calls it before each burst of functions.
func followClock(w *Workspace) {
	at, by := w.clock.Set()
	if by == 0 {
		return
	}
	w.cfg.Log.Warn("the clock of the machine was set", "by", by)
	for _, r := range append([]*activerun.Run(nil), w.runs...) {
		r.SetClock(at, by)
		r.LookAtClock()
	}
}

// LookAtClock makes the active runs look at the clocks at once, because the wall clock may have been set, or the machine slept.
// Otherwise their timers do so every minute.
func (w *Workspace) LookAtClock() {
	w.loop.Post(func() {
		for _, r := range append([]*activerun.Run(nil), w.runs...) {
			r.LookAtClock()
		}
	})
}
