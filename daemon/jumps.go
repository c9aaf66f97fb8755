package daemon

import "wf/workspace/clock"

// followClock makes everything that waits for a time of the wall clock look at it when it was set, or when the machine woke up.
// The caller calls stop. Where the system does not tell, the keeper of the triggers looks every ten seconds and runs every minute.
func (d *daemon) followClock() (stop func()) {
	stop, err := clock.OnJump(d.lookAtClock)
	if err != nil {
		d.cfg.Log.Debug("changes of the clock are noticed late", "err", err)
		return func() {}
	}
	return stop
}

func (d *daemon) lookAtClock() {
	d.triggers.keeper.LookAtClock()
	for _, e := range d.workspaces.entries() {
		d.requests.Go(e.ws.LookAtClock) // its loop may be busy
	}
}
