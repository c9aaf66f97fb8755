package loop

import "time"

// A Timer calls a function on the loop after a time. Its methods are called on the loop, or before Start.
type Timer struct {
	loop  *Loop
	f     func()
	timer *time.Timer // nil while the timer is not set
	set   uint64      // counts Reset and Stop, to drop calls of earlier settings
}

// NewTimer returns a timer that is not set.
func (l *Loop) NewTimer(f func()) *Timer { return &Timer{loop: l, f: f} }

// Reset sets the timer to call its function once after d. It replaces an earlier setting.
func (t *Timer) Reset(d time.Duration) {
	t.Stop()
	set := t.set
	t.timer = time.AfterFunc(d, func() {
		t.loop.Post(func() {
			if t.set == set {
				t.timer = nil
				t.f()
			}
		})
	})
}

// Stop cancels the timer.
func (t *Timer) Stop() {
	t.set++
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}
