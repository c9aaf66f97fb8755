package daemon

import "wf/workspace/clock"

// followClock makes everything that waits for a time of the wall clock look at it when it was set, or when the machine woke up.
// The caller calls stop. Where the system does not tell, the keeper of the triggers looks every ten seconds and runs every minute.
func followClock(d *daemon) (stop func()) {
	stop, err := clock.OnJump(func() { lookAtClock(d) })
	if err != nil {
		d.cfg.Log.Debug("changes of the clock are noticed late", "err", err)
		return func() {}
	}
	return stop
}

func lookAtClock(d *daemon) {
	d.triggers.keeper.LookAtClock()
	for _, e := range d.workspaces.entries() {
		d.requests.Go(e.ws.LookAtClock) // its loop may be busy
	}
}
