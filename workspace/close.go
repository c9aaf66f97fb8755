package workspace

import (
	"context"
	"sync"
)

// helpers are the goroutines that do slow work for a loop; closing waits for them.
type helpers struct {
	wg    sync.WaitGroup
	guard func(f func()) // runs f, and carries its panic to the loop
}

// run starts f, which reports back through the inbox.
func (h *helpers) run(f func()) { h.wg.Go(func() { h.guard(f) }) }

// closeRequest is kept until the last save of a closing workspace is over.
type closeRequest struct{ saved bool }

// Close saves the workfile, lets go of the runs, which go on in their executor, and ends the
// workspace. It returns when all is done; ctx bounds the wait.
func (w *Workspace) Close(ctx context.Context) error {
	if !w.send(call((*Workspace).beginClose)) {
		return nil
	}
	select {
	case <-w.done:
		w.helpers.wg.Wait()
		w.dropFence()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Workspace) beginClose() {
	if w.closing != nil {
		return
	}
	w.closing = &closeRequest{}
	w.refuseWaiting(errClosed(), false)
	w.saveThen(func() { w.closing.saved = true })
}

func (w *Workspace) ended() bool { return w.closing != nil && w.closing.saved }

// leave releases everything; it is the loop's last deed.
func (w *Workspace) leave() {
	close(w.quit)
	if w.trial.noted {
		w.endTrial() // to end in order is no failure
	}
	w.keepStatuses() // an error is logged; nobody is left who could wait
	for _, r := range w.runs {
		r.leaveSlots()
		r.dropPools(w)
		r.detach()
	}
	w.keepEdits()
	w.out.closeAll("the workspace is closing")
	w.out.timer.Stop()
	w.file.timer.Stop()
	w.holdTimer.Stop()
	w.publishPulse()
}
