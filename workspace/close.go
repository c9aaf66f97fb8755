package workspace

import (
	"context"
)

// Close saves the workfile, lets go of the runs, which go on in their executor, and ends the
// workspace. It returns when all of that is done; ctx bounds the wait.
func (w *Workspace) Close(ctx context.Context) error {
	if !w.loop.Post(w.startClose) {
		return nil
	}
	select {
	case <-w.loop.Done():
		w.loop.Wait()
		w.dropFence()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startClose lets the loop end after a last save.
func (w *Workspace) startClose() {
	if w.closing {
		return
	}
	w.closing = true
	w.queue.refuseWaiting(errClosed())
	w.file.SaveThen(w.loop.End)
}

// leave releases everything when the loop ends.
func (w *Workspace) leave() {
	if w.quarantine.attempt.noted {
		w.quarantine.endAttempt() // to end in order is no failure
	}
	for _, r := range w.runs {
		r.Detach()
	}
	w.file.Leave()
	w.out.Close("the workspace is closing")
	w.presence.publishSnapshot()
}

// crashed releases what it can after a panic on the loop. Nothing is saved: the workspace ends as if its
// daemon had been killed, and the daemon opens it again, which counts as a trial. Clients that wait for an
// answer ask again.
func (w *Workspace) crashed() {
	w.quarantine.countCrash()
	for _, r := range w.runs {
		r.Abandon()
	}
	w.out.Close("internal error: the workfile is opened again")
	go func() { // ends with the helpers, which learn of the end from the loop
		w.loop.Wait()
		w.dropFence()
	}()
}
